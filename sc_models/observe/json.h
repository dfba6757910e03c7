// The results JSON (DESIGN §6): one object, keys in a fixed order, numbers exact or shortest
// round-trip, so that equal results are equal text but for "wall_s" and "sim_cycles_per_s".
//
// Everything outside "derived" was simulated or asked for; "derived" holds what was computed
// analytically: "bound_ns", the lower bound of the busiest link, and "time_over_bound".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "observe/conflict_table.h"
#include "observe/report.h"
#include "observe/traffic_results.h"

namespace fredsim {

// Ends in a newline. Text that is not UTF-8 (a path may be anything) comes out with U+FFFD in it.
std::string results_json(std::string_view version, std::span<const ReportedRun> runs);
// `fredsim traffic`: "runs" has one object per rate, "saturation" what they show together.
std::string traffic_json(std::string_view version, const TrafficSetup& setup,
                         std::span<const TrafficPoint> points);
// `fredsim conflicts`: "runs" has one object per number of flows and m.
std::string conflicts_json(std::string_view version, const ConflictSetup& setup,
                           std::span<const ConflictPoint> points);

}  // namespace fredsim
