// SPDX-License-Identifier: Apache-2.0
// Text of sc_models/energy/rows.json, which the build embeds.
#pragma once

#include <string_view>

namespace fredsim {

extern const std::string_view kEnergyRowsText;

}  // namespace fredsim
