// SPDX-License-Identifier: Apache-2.0
// Collective on a group, as the user asks for it: input of the planner (collective/planner.h).
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
  std::vector<int> group;   // NPUs and I/O controllers, in rank order (base/member.h)
  std::uint64_t bytes = 0;  // all_to_all_v: average bytes that a rank sends
  std::string algorithm = "auto";
  int vc = kDp;
  int root = 0;   // rank
  int roots = 0;  // Part::roots
  std::uint64_t start_cycle = 0;
  PacketOrder order = PacketOrder::kAuto;
  int packet_flits = 0;               // longest packet, at the endpoints; 0: the machine's default
  Chunking chunking{};                // on systems (systems/system_plan.h)
  std::vector<std::uint64_t> matrix;  // all_to_all_v: bytes from rank i to rank j at i * N + j
};

// Random sizes of an all_to_all_v without a given matrix: every block is uniform in [0, 2 bytes /
// N], so that a rank sends about `bytes` in total.
std::vector<std::uint64_t> random_matrix(int ranks, std::uint64_t bytes, std::uint64_t seed);

// Errors: BadInput for a size of 0, a root that is no rank of the group, or a unicast whose group
// is not two members.
void check_spec(const CollectiveSpec& spec);

}  // namespace fredsim
