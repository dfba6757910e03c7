// SPDX-License-Identifier: Apache-2.0
// two_phase: an all-to-all on a grid, half of each block along X and then Y, the other half along Y
// and then X, both at the same time.
//
// A block for another row and column is read by the NPUs at the two corners in between, and sent on
//   packet by packet as it arrives. Packets go straight through routers, and links along X and Y
//   are busy from the first cycle to the last: within 2 % of the busiest link's time from 2 MiB on
//   5 x 4, where X-Y routing (direct) leaves a fifth of it idle.
// A corner that is no member of the group, or has no path, relays nothing; the other one then has
//   the whole block, and without any it goes straight to its receiver, as in direct.
// Virtual channels: by the distance of a hop, farthest first. Packets from distant NPUs overtake
//   the packets that NPUs on their path send to neighbours, which therefore cannot delay them until
//   no other packets are left.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "plan/channels.h"
#include "routing/mesh_routing.h"
#include "routing/nic_port.h"

namespace fredsim {
namespace {

// Number of links of a straight hop, and the maximum in its row or column.
struct Straight {
  int distance = 0, longest = 0;
};

// Index of a hop's virtual channel, of `count` by priority, highest first. Neighbours use the last
// channel, on long lines also NPUs two links away; with three channels, the next distances use the
// one before. (Fitted on lines of 3 to 12: other shares of the same channels take up to a fifth
// longer.)
int channel_index(const Straight& hop, int count) {
  constexpr int kLong = 9;
  if (count == 1) return 0;
  if (hop.distance <= (hop.longest >= kLong ? 2 : 1)) return count - 1;
  const int middle = hop.longest == 4 || hop.longest == 5 || hop.longest >= kLong ? 3 : 2;
  return count > 2 && hop.distance <= middle ? count - 2 : count > 2 ? count - 3 : 0;
}

class Relays {
 public:
  explicit Relays(const EndpointPart& part)
      : part_(part), vcs_(channels_of(part.topology(), part.plan(), part.number())) {
    for (int rank = 0; rank < part.ranks(); ++rank) {
      if (!is_npu(rank)) continue;
      const MeshPosition at = position(rank);
      ranks_[{at.x, at.y}] = rank;
    }
  }

  // Virtual channels in use, highest priority first.
  const std::vector<int>& vcs() const { return vcs_; }

  void add(int from, int to, const FlitRange& block) const {
    const MeshPosition a = position(from), b = position(to);
    std::vector<int> corners;
    if (a.x != b.x && a.y != b.y && is_npu(from) && is_npu(to))
      for (const auto& at : {std::pair(b.x, a.y), std::pair(a.x, b.y)})
        if (const int corner = corner_at(at, from, to); corner >= 0) corners.push_back(corner);
    if (corners.empty()) {
      part_.add_pair(from, to, block, vc(from, to));
      return;
    }
    for (std::size_t k = 0; k < corners.size(); ++k)
      relay(from, corners[k], to, share_of(block, corners.size(), k));
  }

 private:
  bool is_npu(int rank) const { return node(rank).kind == NodeKind::kNpu; }
  const Node& node(int rank) const { return part_.topology().nodes[part_.members()[rank]]; }
  MeshPosition position(int rank) const { return mesh_position(node(rank).address); }

  // A member there that packets reach, and from which they go on; -1: none.
  int corner_at(const std::pair<int, int>& at, int from, int to) const {
    const auto found = ranks_.find(at);
    if (found == ranks_.end()) return -1;
    const int corner = found->second;
    const auto has_path = [&](int a, int b) {
      return has_nic_port(part_.topology(), part_.members()[a], part_.members()[b]);
    };
    return has_path(from, corner) && has_path(corner, to) ? corner : -1;
  }

  Straight along(int a, int b, int side, int ring) const {
    const int distance = std::abs(a - b);
    if (ring == 0) return {distance, side - 1};
    return {std::min(distance, ring - distance), ring / 2};
  }
  int vc(int from, int to) const {
    const SwitchGrid& grid = part_.topology().grid;
    const MeshPosition a = position(from), b = position(to);
    const Straight x = along(a.x, b.x, grid.width, grid.rings.columns);
    const Straight y = along(a.y, b.y, grid.height, grid.rings.rows);
    const Straight& hop = x.distance >= y.distance ? x : y;
    return vcs_[channel_index(hop, static_cast<int>(vcs_.size()))];
  }

  void relay(int from, int by, int to, const FlitRange& range) const {
    if (range.flits == 0) return;
    TreeBuilder builder = part_.builder(0);
    builder.reduce(from, by, vc(from, by));
    builder.reduce(by, to, vc(by, to));
    part_.add(builder.finish_relayed(from, to, range));
  }

  const EndpointPart& part_;
  std::vector<int> vcs_;
  std::map<std::pair<int, int>, int> ranks_;  // by column and row
};

class TwoPhase final : public Algorithm {
 public:
  TwoPhase() : Algorithm("two_phase", &Topology::has_places) {}
  std::string_view aliases() const override { return "two_shot"; }
  bool has(Collective collective) const override {
    return collective == Collective::kAllToAll || collective == Collective::kAllToAllV;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (exists_on(topology) && fills_rows_and_columns(topology, part.members)) return {};
    return fmt::format(
        "two_phase needs NPUs in several rows and columns of a grid, found {} members on {} "
        "without; "
        "allowed: {}",
        part.members.size(), topology.name, allowed_algorithms(part.collective));
  }
  int window(const Topology& /*topology*/, const Part& /*part*/) const override { return kWindow; }
  bool paces_by_window() const override { return true; }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const Relays relays(part);
    if (relays.vcs().size() > 1) {
      std::vector<std::string> names(relays.vcs().size());
      std::ranges::transform(relays.vcs(), names.begin(), priority_name);
      part.plan().note(fmt::format("{}: the farther the earlier, on virtual channels {}",
                                   to_string(part.spec().collective), fmt::join(names, ", ")));
    }
    const std::vector<std::vector<FlitRange>> blocks = part.pair_blocks();
    const int ranks = part.ranks();
    // Every rank begins with its successor, so that the first receivers all differ.
    for (int offset = 1; offset < ranks; ++offset)
      for (int i = 0; i < ranks; ++i)
        relays.add(i, (i + offset) % ranks, blocks[i][(i + offset) % ranks]);
  }
  std::uint64_t trees(const Topology& /*topology*/, const CollectiveSpec& /*spec*/) const override {
    return 2;  // two trees per pair
  }
  // Packets of different pairs are in no ratio at a corner.
  bool has_packet_order(const Topology& /*topology*/, const Part& /*part*/) const override {
    return false;
  }
  Layout layout() const override { return Layout::kStar; }

 private:
  // Packets of a pair's half in flight: more than corners hold back while their links are
  // another's.
  static constexpr int kWindow = 1024;

  // Some pair of NPUs shares neither row nor column.
  static bool fills_rows_and_columns(const Topology& topology, const std::vector<NodeId>& members) {
    std::vector<MeshPosition> places;
    for (const NodeId member : members)
      if (topology.nodes[member].kind == NodeKind::kNpu)
        places.push_back(mesh_position(topology.nodes[member].address));
    const auto differs = [&](auto of) {
      return std::ranges::any_of(
          places, [&](const MeshPosition& place) { return of(place) != of(places.front()); });
    };
    return differs([](const MeshPosition& p) { return p.x; }) &&
           differs([](const MeshPosition& p) { return p.y; });
  }
};

}  // namespace

const Algorithm& two_phase_algorithm() {
  static const TwoPhase algorithm;
  return algorithm;
}

}  // namespace fredsim
