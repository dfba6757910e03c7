// SPDX-License-Identifier: Apache-2.0
// Results of synthetic traffic as a table: a line per rate, and a summary of all rates: saturation
// and the busiest links.
#pragma once

#include <span>
#include <string>

#include "report/table_output.h"
#include "results/traffic_results.h"

namespace fredsim {

inline constexpr const char* kTrafficLegend =
    "Rates in flits per cycle and sending node; no node sends to itself. Latency in cycles from a "
    "packet's creation to the consumption of its last flit, waiting at its source included; with "
    "--request-reply from the request's creation to the reply's last flit. Hops: "
    "wafer links crossed. Saturated: less than 95 % of the offered flits are accepted, or packets "
    "of the window never arrived; latencies then depend on how long the run is. A warm-up shorter "
    "than the latency looks the same: lengthen it. All figures are simulated, cycle by cycle.";

// Requires at least one point, rates ascending.
TitledTable traffic_table(const TrafficSetup& setup, std::span<const TrafficPoint> points);
// Summary of two lines.
std::string traffic_summary(const TrafficSetup& setup, std::span<const TrafficPoint> points);

}  // namespace fredsim
