// SPDX-License-Identifier: Apache-2.0
// Format of timelines that viewers require: catapult's (chrome://tracing) and Perfetto's rules.
#pragma once

#include <nlohmann/json.hpp>

namespace fredsim {

// Test failures where it is broken.
void check_format(const nlohmann::json& timeline);

}  // namespace fredsim
