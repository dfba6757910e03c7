// SPDX-License-Identifier: Apache-2.0
// The results JSON: one object, keys in a fixed order, numbers exact or shortest round-trip, so
// that equal results are equal text except for "command", "wall_s" and "sim_cycles_per_s".
//
// Everything outside "derived" was simulated or asked for; "derived" holds analytical values:
// "bound_ns", the lower bound of the busiest link, and "time_over_bound".
// An interrupted run has "incomplete": true and "delivered_bytes" so far, and null for numbers that
// need a complete run. A run of a testbench's own NPUs (engine/measurement.h) has null for fields
// that do not apply: "config", "machine", "size_bytes", "seed", "algbw_gbps", "busbw_gbps",
// "payload", "bound_ns".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/setting.h"
#include "report/conflict_table.h"
#include "results/origin.h"
#include "results/report.h"
#include "results/traffic_results.h"

namespace fredsim {

// A machine file with these keys as an object; as YAML it is one.
nlohmann::ordered_json machine_json(std::span<const MachineKey> keys);

// {"fabric.middle": "2", …}: all settings.
nlohmann::ordered_json settings_json(const Settings& settings);

std::string results_json(const Origin& origin, std::span<const ReportedRun> runs);
// `fredsim traffic`: "runs" has one object per rate, "saturation" the summary of all.
std::string traffic_json(const Origin& origin, const TrafficSetup& setup,
                         std::span<const TrafficPoint> points);
// `fredsim conflicts`: "runs" has one object per number of flows and m.
std::string conflicts_json(const Origin& origin, const ConflictSetup& setup,
                           std::span<const ConflictPoint> points);

}  // namespace fredsim
