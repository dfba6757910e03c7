// SPDX-License-Identifier: Apache-2.0
// Breakdowns as objects of the results JSON (results/fields/breakdown.h).
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "results/breakdown.h"

namespace fredsim {

nlohmann::ordered_json breakdown_json(std::span<const LatencyBreakdown> breakdowns);

}  // namespace fredsim
