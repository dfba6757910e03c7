// SPDX-License-Identifier: Apache-2.0
// A job's execution traces as one sequence of operations.
//
// Ranks without nodes are left out. Ranks that compute and communicate in the same way, with
//   partners that do, have one role. The order is one in which the job can run: a communication comes once, when all
//   roles have reached it, so that any sequence of operations is free of deadlock.
// Errors: BadInput, as check_traces(); a job without nodes; ranks that cannot be put in order.
#pragma once

#include <string>
#include <vector>

#include "synthesis/trace_model.h"

namespace fredsim {

// An operation as it was recorded, its collective's size that of one repetition. Its token has no
// values.
struct JobOperation {
  TraceToken token{};
  std::uint64_t duration_ps = 0, bytes = 0, operations = 0;
};

struct JobSequences {
  TraceLayout layout{};
  std::uint64_t nodes = 0;           // of all ranks
  std::vector<JointShape> shapes{};  // tokens refer to them by number
  // Distinct ones: in each, one rank stands for its role.
  std::vector<std::vector<JobOperation>> sequences{};
};

// `path`: PREFIX of PREFIX.RANK.et or another ending (workload_files/trace_files.h), PREFIX.%d.et, or
// the file of a rank. Groups: of PREFIX.groups.json, else of the traces' own metadata.
JobSequences job_sequences(const std::string& path);

}  // namespace fredsim
