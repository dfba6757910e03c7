// SPDX-License-Identifier: Apache-2.0
// Links between the partitions of this process and those of others (ranks/ranks.h): flits and credits that cross, a message per
// neighbouring process and window.
//
// Both sides list the pairs of partitions that links join in the same order, so that a message has no more than what crosses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/cut.h"
#include "fabric/partition.h"
#include "ranks/ranks.h"
#include "topology/topology.h"

namespace fredsim {

// Share of this process in a fabric that is cut.
struct RankShare {
  Ranks* ranks = nullptr;      // null: this process has all of it
  std::vector<int> rank_of{};  // by partition; each has one or more
  bool has(int partition) const { return ranks == nullptr || rank_of[partition] == ranks->rank(); }
};

class RankLinks {
 public:
  RankLinks(const Topology& topology, const Cut& cut, const RankShare& share);

  // All that is in the outboxes `box` for other processes, and what they have for this one; all are at the same edge. `own`: by
  // partition, null where it is another process's. Between two windows, neighbours alone.
  void exchange(std::span<Partition* const> own, int box, std::uint64_t edge);
  // The same with all, and something to tell, `mine`: what others tell, to be read on, by rank; that of this one is empty.
  std::span<RankMessage> meet(std::span<Partition* const> own, int box, std::uint64_t edge,
                              const RankMessage& mine);

 private:
  struct Pair {
    int own = 0, other = 0;
    auto operator<=>(const Pair&) const = default;
  };
  struct Neighbour {
    std::vector<Pair> from_here, to_here;  // in the order of the message
  };

  void pack(std::span<Partition* const> own, int box, const Neighbour& neighbour,
            RankMessage& message) const;
  void unpack(std::span<Partition* const> own, std::uint64_t edge, const Neighbour& neighbour,
              RankMessage& message) const;

  Ranks& ranks_;
  std::vector<Neighbour> by_rank_;        // without pairs: no links lead there
  std::vector<int> neighbours_, others_;  // ranks that links lead to; all but this one
  std::vector<RankMessage> out_, in_, met_;
};

}  // namespace fredsim
