// SPDX-License-Identifier: Apache-2.0
// Checks the traces of all ranks before the run.
//
// Files (workload_files/trace_files.h) are read as streams, in parallel, one that ranks share once;
//   ranges of ids and unmatched messages are kept meanwhile. A file in which a node comes before
//   one of its dependencies is read again by itself, and its ids and dependencies are held.
// Control dependencies on a node that is not there make the traces recorded ones: their control
//   dependencies are the call stack, and do not count, unless a question says which do.
// Errors: BadInput, with file, node and field: no file, a missing rank; an id that comes twice; a
//   dependency on a node that the file does not have; circular dependencies, with all their nodes;
//   a send or receive without its counterpart of the same source, destination and tag, or of
//   another size; one in a file that several ranks share; a process group with other ranks
//   elsewhere; and errors of trace_files.h and ChakraReader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload_files/comm_groups.h"
#include "workload_files/stream_order.h"
#include "workload_files/trace_files.h"
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
  bool has_splits = false;  // some all-to-all has unequal ones
  // Dependencies that count. `missing_callers`: number of control dependencies on nodes that are not
  // there, which make them data dependencies alone.
  TraceDependencies dependencies = TraceDependencies::kAll;
  std::uint64_t missing_callers = 0;
  // Order of operations of GPUs that their dependencies lack, by rank; empty: no rank lacks any.
  std::vector<StreamOrder> orders{};
  std::uint64_t restored = 0;  // total number of these
  const StreamOrder* order_of(int rank) const {
    return orders.empty() ? nullptr : &orders[static_cast<std::size_t>(rank)];
  }
  CommGroups groups{};  // of the traces' own metadata, but for groups with ranks that have no trace
};

// `dependencies`: none: all, or data dependencies alone in recorded traces.
TraceFiles check_traces(const TraceName& name,
                        std::optional<TraceDependencies> dependencies = std::nullopt);
TraceFiles check_traces(const std::string& prefix);
// Errors: BadInput for traces in which no node takes time, such as PyTorch host traces linked
// without a profile.
void check_takes_time(const TraceFiles& files);

}  // namespace fredsim
