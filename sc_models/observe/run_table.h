// Results as tables for people. Columns marked * are derived (analytic), all others were simulated;
// kTableLegend says so below the table.
#pragma once

#include <span>
#include <string>

#include "observe/report.h"

namespace fredsim {

inline constexpr const char* kTableLegend =
    "All figures are simulated, cycle by cycle, except those marked *: derived, the analytic "
    "lower\n"
    "bound set by the busiest link, and how far the simulated time is above it.\n";

// One machine, one line per size. The heading names what all lines share.
std::string run_table(std::span<const ReportedRun> runs);

// One size, one line per machine, the base first. Machines go by their name, or by the path of
// their configuration where two share a name.
std::string compare_table(std::span<const ReportedRun> runs);

}  // namespace fredsim
