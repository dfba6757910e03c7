// SPDX-License-Identifier: Apache-2.0
// Runs of one machine as NCCL-tests prints them, for programs that read its output.
//
// Lines: comments about the sizes and the ranks, the headings, a line per complete run, then
//   "# Out of bounds values" and "# Avg bus bandwidth".
// Columns: size in bytes as in results; count in elements of 2 bytes (FP16, "half"), for
//   collectives whose data belongs to ranks the count of one rank; redop "sum" or "none"; root, -1
//   where there is none; time in µs, algbw, busbw, #wrong for out-of-place and in-place. Both have
//   the one simulated run, since its time does not depend on the place of the result.
// #wrong: 0, since a wrong payload ends a run as failed; N/A with flows, which carry none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/report.h"

namespace fredsim {

// The program of NCCL-tests that measures a collective, "all_reduce_perf"; none: there is none.
std::optional<std::string_view> nccl_program(std::string_view collective);
// Collectives that have one, with commas.
std::string nccl_collectives();

// `root`: rank of the collective's root.
std::string nccl_text(std::span<const ReportedRun> runs, int root, std::string_view version);

}  // namespace fredsim
