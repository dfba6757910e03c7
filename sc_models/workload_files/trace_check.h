// SPDX-License-Identifier: Apache-2.0
// Checks the traces of all ranks before the run.
//
// Files are PREFIX.0.et, PREFIX.1.et, … without a gap, or those of PREFIX.ranks.json
//   (workload_files/rank_manifest.h), of which a shared one is read once. They are read as streams, in parallel;
//   ranges of ids and unmatched messages are kept meanwhile. A file in which a node comes before
//   one of its dependencies is read again by itself, and its ids and dependencies are held.
// Control dependencies on a node that is not there make the traces recorded ones: their control
//   dependencies are the call stack, and do not count.
// Errors: BadInput, with file, node and field: no file, a missing rank; an id that comes twice; a
//   dependency on a node that the file does not have; circular dependencies, with all their nodes;
//   a send or receive without its counterpart of the same source, destination and tag, or of
//   another size; one in a file that several ranks share; and errors of rank_manifest.h and
//   ChakraReader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

struct TraceFiles {
  std::vector<std::string> paths{};  // index: rank
  std::uint64_t nodes = 0;           // total number
  // Number of computations, loads and stores; number of nodes without a duration, operations and
  // bytes, which take no time.
  std::uint64_t computations = 0, untimed = 0;
  std::uint64_t communications = 0;        // sends, receives and collectives
  std::uint64_t timed_communications = 0;  // of these, with a duration: recorded
  // A trace has computations of CPU and accelerator, or tells their threads or streams: recorded.
  bool has_lanes = false;
  // Recorded traces: data dependencies alone count, since control dependencies name nodes that are
  // not there, so many of them.
  TraceDependencies dependencies = TraceDependencies::kAll;
  std::uint64_t missing_callers = 0;
};

TraceFiles check_traces(const std::string& prefix);
// Errors: BadInput for traces in which no node takes time, such as PyTorch host traces linked
// without a profile.
void check_takes_time(const TraceFiles& files);

}  // namespace fredsim
