// SPDX-License-Identifier: Apache-2.0
// The page of `fredsim report`: one HTML file with style, script, the D3 library and the data in
// it, which needs no network and no other file. Its parts are sources in report/page/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fredsim {

// Deterministic: no date, no path of its own. The data stays data: no text in it ends the element
// that contains it.
std::string report_page(std::string_view version, const nlohmann::ordered_json& data);

}  // namespace fredsim
