// SPDX-License-Identifier: Apache-2.0
// jump_rings: a ring for each jump j by which every member has a direct link to the member that is
// j ranks after it, where links lead one way.
//
// Jumps have no common divisor with the group's size, so that each ring has all members. Rings
//   share the data in proportion to their slowest links.
// Source: Wang et al., TopoOpt, NSDI 2023, §4.2.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"

namespace fredsim {
namespace {

struct JumpRing {
  int jump = 0;
  std::uint64_t bandwidth = 0;  // bytes/s
};

// Bandwidths between members by rank, of links between the switches on their dies.
class DirectLinks {
 public:
  DirectLinks(const Topology& topology, const std::vector<NodeId>& members) {
    std::map<NodeId, int> rank_at;
    for (int rank = 0; rank < std::ssize(members); ++rank)
      rank_at.emplace(topology.first_link_out(members[rank]).to, rank);
    for (const Link& link : topology.links) {
      const auto from = rank_at.find(link.from), to = rank_at.find(link.to);
      if (from != rank_at.end() && to != rank_at.end())
        bandwidths_[{from->second, to->second}] += link.bytes_per_second;
    }
  }
  // 0: there is none.
  std::uint64_t bandwidth(int from, int to) const {
    const auto link = bandwidths_.find({from, to});
    return link == bandwidths_.end() ? 0 : link->second;
  }

 private:
  std::map<std::pair<int, int>, std::uint64_t> bandwidths_;
};

std::vector<JumpRing> rings_of(const Topology& topology, const std::vector<NodeId>& members) {
  const DirectLinks links(topology, members);
  const auto ranks = static_cast<int>(members.size());
  std::vector<JumpRing> rings;
  for (int jump = 1; jump < ranks; ++jump) {
    if (std::gcd(jump, ranks) != 1) continue;
    JumpRing ring{jump, std::numeric_limits<std::uint64_t>::max()};
    for (int rank = 0; rank < ranks && ring.bandwidth > 0; ++rank)
      ring.bandwidth = std::min(ring.bandwidth, links.bandwidth(rank, (rank + jump) % ranks));
    if (ring.bandwidth > 0) rings.push_back(ring);
  }
  return rings;
}

class JumpRings final : public Algorithm {
 public:
  JumpRings() : Algorithm("jump_rings") {}
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  bool exists_on(const Topology& topology) const override { return topology.one_way; }
  bool is_papers(const Topology& topology, Collective /*collective*/) const override {
    return topology.one_way;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (topology.one_way && !rings_of(topology, part.members).empty()) return {};
    return fmt::format(
        "jump_rings needs links one way from each member to the one that is as many ranks after "
        "it, "
        "this group of {} on {} has none; allowed: {}",
        part.members.size(), topology.name, allowed_algorithms(part.collective));
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const std::vector<JumpRing> rings = rings_of(part.topology(), part.members());
    std::uint64_t all = 0, before = 0;
    for (const JumpRing& ring : rings) all += ring.bandwidth;
    for (const JumpRing& ring : rings) {
      const std::uint64_t after = before + ring.bandwidth;
      const auto share = [&](const FlitRange& range) {
        const auto until = [&](std::uint64_t bandwidth) {
          return static_cast<std::uint64_t>(Uint128{range.flits} * bandwidth / all);
        };
        return part_of(range, until(before), until(after));
      };
      add_ring(part, ring.jump, share);
      before = after;
    }
  }
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const override {
    const auto widest = std::ranges::max_element(topology.nodes, {}, &Node::ports);
    return Algorithm::trees(topology, spec) * static_cast<std::uint64_t>(widest->ports);
  }
  bool has_packet_order(const Topology& /*topology*/, const Part& part) const override {
    return part.collective == Collective::kAllReduce;
  }
  // Trees of a ring share their hops.
  bool is_weighed_at_any_size() const override { return true; }
  bool goes_by_ranks() const override { return true; }

 private:
  template <typename Share>
  static void add_ring(const EndpointPart& part, int jump, const Share& share) {
    const int ranks = part.ranks();
    RingBox box;
    box.sides = {ranks};
    std::vector<int> place_of(static_cast<std::size_t>(ranks));
    for (int place = 0, rank = 0; place < ranks; ++place, rank = (rank + jump) % ranks) {
      box.ranks.push_back(rank);
      place_of[rank] = place;
    }
    const BoxTrees trees(part.builder(0), box, part.roles());
    const auto add = [&](int place, const FlitRange& range) {
      if (range.flits > 0) part.add(trees.tree(place, range));
    };
    if (part.shares_vector()) {
      const FlitRange own = share(part.vector());
      for (int place = 0; place < ranks; ++place) add(place, share_of(own, ranks, place));
      return;
    }
    const std::vector<FlitRange> blocks = part.blocks();
    for (int rank = 0; rank < ranks; ++rank) add(place_of[rank], share(blocks[rank]));
  }
};

}  // namespace

const Algorithm& jump_rings_algorithm() {
  static const JumpRings algorithm;
  return algorithm;
}

}  // namespace fredsim
