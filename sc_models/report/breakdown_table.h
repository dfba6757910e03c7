// SPDX-License-Identifier: Apache-2.0
// Breakdowns as tables: a line per stage of the path and cause, and packets node by node.
//
// CSV leaves them out, since its one table is the results'.
#pragma once

#include <span>
#include <string>

#include "report/table_output.h"
#include "results/breakdown.h"

namespace fredsim {

// `title`: machine and work.
std::string breakdown_text(const std::string& title, std::span<const LatencyBreakdown> breakdowns,
                           TableOutput& output);

}  // namespace fredsim
