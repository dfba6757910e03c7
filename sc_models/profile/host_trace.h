// SPDX-License-Identifier: Apache-2.0
// An execution trace of PyTorch's host (ExecutionTraceObserver): operations of the CPU with their
// inputs, without times. It completes a profile that lacks the sizes of collectives.
//
// Schemas: 1.0.1 (flat `inputs`, `input_shapes`, `rf_id`), 1.0.2 and later up to
//   1.1.1-chakra.0.0.4 (`inputs.values`, a list `attrs`), plain or gzip.
// Errors: BadInput with file, node and key; a schema that is not one of these.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/collective_call.h"
#include "profile/kineto.h"

namespace fredsim {

struct HostTrace {
  struct Node {
    std::uint64_t id = 0;
    std::string name{};
    std::uint64_t record = Kineto::kNone;  // rf_id
    int thread = 0;                        // tid, from 1
    int call = -1;                         // index into `calls`: record_param_comms, gloo:…
  };
  std::string path, schema;
  std::string process;      // its number; empty: not told
  std::vector<Node> nodes;  // ascending by record: the order in which they began
  std::vector<CollectiveCall> calls;
  std::map<std::string, std::vector<int>> groups;  // process groups, by name
};

HostTrace read_host_trace(const std::string& path);

// How the operations of a profile were found in a host's trace.
struct HostJoin {
  std::uint64_t operations = 0, joined = 0, by_record = 0, by_order = 0;
  std::vector<std::string> missing{};  // names of the first that were not, ten at most
  double share() const {
    return operations == 0 ? 1 : static_cast<double>(joined) / static_cast<double>(operations);
  }
};

// Gives the profile's operations the calls of their nodes: by record id where the profile has
// them, else by thread and order of equal names.
HostJoin join(Kineto& profile, const HostTrace& host);

}  // namespace fredsim
