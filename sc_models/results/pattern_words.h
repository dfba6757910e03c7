// SPDX-License-Identifier: Apache-2.0
// Names of the patterns of synthetic traffic, in options and results.
//
// traffic/traffic_pattern.cpp has a row per name, in this order.
#pragma once

#include <string_view>

namespace fredsim {

// Results also have the names of traffic that a file defines.
inline constexpr std::string_view kPatternsOfResults =
    "uniform transpose bit_complement neighbor hotspot tornado shuffle bit_reverse bit_rotation "
    "random_permutation asymmetric background matrix netrace";
inline constexpr std::string_view kPatternWords =
    kPatternsOfResults.substr(0, kPatternsOfResults.find(" matrix"));

}  // namespace fredsim
