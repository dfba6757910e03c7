// Breakdowns as the results JSON has them; the keys are in testbenches/fredsim/README.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "results/breakdown.h"

namespace fredsim {

nlohmann::ordered_json breakdown_json(std::span<const LatencyBreakdown> breakdowns);

}  // namespace fredsim
