// SPDX-License-Identifier: Apache-2.0
// Results of run and compare as tables. Columns marked * are derived (analytic), all others were
// simulated; kTableLegend explains this.
//
// Every row in CSV has the complete inputs of its run, under the names of the results JSON; cells
// that an interrupted run does not have are empty, and the base has the ratio 1 to itself.
#pragma once

#include <span>
#include <vector>

#include "report/table_output.h"
#include "results/report.h"

namespace fredsim {

inline constexpr const char* kTableLegend =
    "All figures are simulated, cycle by cycle, except those marked *: derived, the analytic "
    "lower bounds set by the plan's busiest link (bound) and by the least cuts of the network, "
    "whatever the algorithm (net. bound), and how far the simulated time is above them.";

inline constexpr const char* kFlowLegend =
    "Times come from flows, not flits: link bandwidth and the longest path, with an offset "
    "calibrated by exact runs of the same collective. Error: the largest difference from exact "
    "runs at sizes that were not used for the calibration. *: derived, the analytic lower bounds "
    "set by the plan's busiest link (bound) and by the least cuts of the network, whatever the "
    "algorithm (net. bound), and how far the time is above them.";

// Table of one machine, one line per size. The heading has the values that all lines share.
TitledTable run_table(std::span<const ReportedRun> runs);

// Table of one size, one line per machine, the base first. Machines go by their name, or by the
// path of their configuration if two share a name. The size is in the heading of tables for a
// terminal, and a column of other formats, so that tables of several sizes can be joined.
TitledTable compare_table(std::span<const ReportedRun> runs, TableFormat format);

// Tables of parts, for every run that has several different ones.
std::vector<TitledTable> parts_tables(std::span<const ReportedRun> runs);

}  // namespace fredsim
