// SPDX-License-Identifier: Apache-2.0
// Columns of the tables of run and compare (run_table.h), and of the texts in them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "report/table_fields.h"
#include "results/report.h"

namespace fredsim::run_columns {

// A line of either table.
struct RunRow {
  std::string machine;
  const ReportedRun* run = nullptr;
  bool is_fastest = false;  // fastest machine, and faster than the base
  const RunResult& result() const { return run->result; }
};
using RunField = Field<RunRow>;

// "20 NPUs", "10 groups of 2 NPUs", "2 + 3 NPUs"
std::string ranks_text(const RunResult& r);
// Cell of algbw or busbw.
Cell bandwidth(double gbps, bool incomplete);
Cell size_cell(std::uint64_t bytes);
// Column for programs only: people find its value in the heading, or do not need it.
RunField only_in_csv(const char* name, std::function<Cell(const RunResult&)> cell);
RunField field(Column column, std::function<Cell(const RunResult&)> cell);
// Participants of a run, and its work apart from algorithm and size.
std::vector<RunField> fields_of_work();
RunField machine_field(Shown shown);
RunField algorithm_field(int rank, Shown shown);
RunField size_field(Shown shown);
RunField cycles_field(int rank);
RunField time_field();
RunField algbw_field(int rank);
RunField busbw_field(int rank);
RunField injected_field(int rank);
RunField link_field(int rank);
RunField bound_field(int rank);
RunField time_over_bound_field(int rank);
RunField time_over_network_field(int rank);
RunField payload_field(int rank);
RunField ratio_field(Column column, double Comparison::*ratio);
// The best of several machines stands out.
RunField speedup_field();
// Columns of the stated error of flow times, if it was measured.
std::vector<RunField> error_fields(std::span<const ReportedRun> runs);
// Retransmissions, if links have them.
std::vector<RunField> resent_fields(std::span<const ReportedRun> runs, int rank);
// Column of energy, if that of any run is known.
std::vector<RunField> energy_fields(std::span<const ReportedRun> runs, int rank);
// A placement that all runs share is left out of text, not of other formats.
RunField placement_field(std::span<const ReportedRun> runs);
RunField over_best_field();
std::vector<RunField> more_counts();
std::vector<RunField> joined(std::initializer_list<std::vector<RunField>> groups);

}  // namespace fredsim::run_columns
