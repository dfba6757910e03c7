// SPDX-License-Identifier: Apache-2.0
// Links between the partitions of this process and of other processes (ranks/ranks.h): crossing
// flits and credits, a message per neighbouring process and window.
//
// Both sides list the pairs of partitions that links join in the same order, so that a message has
// only the flits and credits that cross.
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
  Ranks* ranks = nullptr;      // null: this process has the whole fabric
  std::vector<int> rank_of{};  // rank of each partition; every rank has one or more
  bool has(int partition) const { return ranks == nullptr || rank_of[partition] == ranks->rank(); }
};

class RankLinks {
 public:
  RankLinks(const Topology& topology, const Cut& cut, const RankShare& share);

  // Exchanges the contents of the outboxes `box` with neighbouring processes, between two windows;
  // all are at the same edge. `own`: by partition, null for another process's.
  void exchange(std::span<Partition* const> own, int box, std::uint64_t edge);
  // Exchange with all processes, with data of the caller, `mine`. Returns the data of the others,
  // by rank, ready to be read; this rank's entry is empty.
  std::span<RankMessage> exchange(std::span<Partition* const> own, int box, std::uint64_t edge,
                                  const RankMessage& mine);

 private:
  struct Pair {
    int own = 0, other = 0;
    auto operator<=>(const Pair&) const = default;
  };
  struct Neighbour {
    std::vector<Pair> from_here, to_here;  // order within the message
  };

  void pack(std::span<Partition* const> own, int box, const Neighbour& neighbour,
            RankMessage& message) const;
  void unpack(std::span<Partition* const> own, std::uint64_t edge, const Neighbour& neighbour,
              RankMessage& message) const;

  Ranks& ranks_;
  std::vector<Neighbour> by_rank_;        // index: rank; no pairs: no links lead there
  std::vector<int> neighbours_, others_;  // ranks with links to this one; all other ranks
  std::vector<RankMessage> out_, in_, collected_;
};

}  // namespace fredsim
