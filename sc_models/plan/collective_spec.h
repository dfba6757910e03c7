// SPDX-License-Identifier: Apache-2.0
// A collective on a group, as it is asked for: input of the planner (collective/planner.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/flit.h"
#include "plan/chunking.h"
#include "plan/collective.h"

namespace fredsim {

struct CollectiveSpec {
  Collective collective = Collective::kAllReduce;
  std::vector<int> group;   // in rank order (base/member.h): NPUs and I/O controllers
  std::uint64_t bytes = 0;  // all_to_all_v: what each rank sends on average
  std::string algorithm = "auto";
  int vc = kDp;
  int root = 0;   // rank
  int roots = 0;  // Part::roots
  std::uint64_t start_cycle = 0;
  PacketOrder order = PacketOrder::kAuto;
  int packet_flits = 0;               // longest packet, at the endpoints; 0: the machine's
  Chunking chunking{};                // on systems (systems/system_plan.h)
  std::vector<std::uint64_t> matrix;  // all_to_all_v: bytes from rank i to rank j at i * N + j
};

// Sizes of an all_to_all_v where none are given: every block uniform in 0 … 2 bytes / N, so that a
// rank sends about `bytes`.
std::vector<std::uint64_t> random_matrix(int ranks, std::uint64_t bytes, std::uint64_t seed);

// BadInput for a size of 0, a root that no rank of the group is, or a unicast between others than
// two.
void check_spec(const CollectiveSpec& spec);

}  // namespace fredsim
