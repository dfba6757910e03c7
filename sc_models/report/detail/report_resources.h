// SPDX-License-Identifier: Apache-2.0
// Texts compiled into the program: the parts of the report's page (report/page/) and the D3
// library, which comes from the system. Defined in a source that the build writes.
#pragma once

#include <string_view>

namespace fredsim {

extern const std::string_view kPageTemplate;  // has a mark for each of the other texts
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kD3Script;
extern const std::string_view kD3Licences;

}  // namespace fredsim
