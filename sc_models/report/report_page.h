// SPDX-License-Identifier: Apache-2.0
// The page of `fredsim report`: one HTML file with style, script, the D3 library and the data in it, which
// needs no network and no other file. Its parts are sources in report/page/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fredsim {

// The same data gives the same text: no date, no path of its own. Whatever the data holds stays data:
// nothing in it ends the element that it is in.
std::string report_page(std::string_view version, const nlohmann::ordered_json& data);

}  // namespace fredsim
