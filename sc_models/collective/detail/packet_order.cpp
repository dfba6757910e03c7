// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/packet_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detail/packet_pace.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kFewestPackets = 128;  // min of the longest tree
constexpr std::uint64_t kMaxPackets = 64;      // max per tree in a frame
// Slack of a packet after a hop: on a grid by what packets take on its slowest link, on a tree of
// the frame.
constexpr double kSlackPackets = 6;
constexpr double kSlackOfFrame = 0.9;
constexpr std::uint64_t kMaxWindow = 64;  // on a tree
constexpr double kRouterCycles = 8;       // per link
constexpr double kUnitsPerCycle = 16;     // min resolution of intervals and dues

bool goes_at_once(const Tree& tree) {
  return tree.transport == Transport::kEndpoint && tree.step == 0;
}

bool reduces_at_once(const Tree* tree) {
  if (!goes_at_once(*tree)) return false;
  if (const RingBoxTree* const of_box = tree->ranks.box_tree()) return of_box->box().has_sums();
  return std::ranges::any_of(tree->ranks,
                             [](const TreeRank& rank) { return !rank.reduce_from.empty(); });
}

// A part's trees, all of them reducing, or of a part that has a pace or may choose one.
class Order {
 public:
  Order(const Topology& topology, const LinkWalk& walk, Part& part, std::vector<Tree*> trees,
        bool may_choose_pace)
      : topology_(topology),
        walk_(walk),
        part_(part),
        trees_(std::move(trees)),
        may_choose_pace_(may_choose_pace),
        on_grid_(topology.has_places()) {}

  void set() {
    if (!find_frame()) return;
    frame_ = frame_cycles();
    const std::uint64_t common =
        std::accumulate(packets_.begin(), packets_.end(), std::uint64_t{1},
                        [](std::uint64_t a, std::uint64_t b) { return std::lcm(a, b); });
    const auto scale = static_cast<std::uint64_t>(
        std::ceil(frame_ * kUnitsPerCycle / static_cast<double>(common)));
    units_per_cycle_ = static_cast<double>(common * scale) / frame_;
    last_due_ = 0;
    std::uint64_t shortest = common * scale;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      trees_[i]->interval = common * scale / packets_[i];
      shortest = std::min(shortest, trees_[i]->interval);
    }
    if (!on_grid_) count_on_channels();
    for (Tree* tree : trees_) set_dues(*tree);
    const std::uint64_t window = last_due_ / shortest + 1;
    const bool has_dues = last_due_ <= std::numeric_limits<std::uint32_t>::max();
    if (may_choose_pace_ && has_dues && packets_of_longest() >= kFewestPacedPackets)
      part_.order = PacketOrder::kPaced;
    // The window must not throttle paced sources.
    if (part_.is_paced() || (!on_grid_ && window <= kMaxWindow))
      part_.window = std::max(part_.window, static_cast<int>(window));
    const bool may_wait = part_.is_paced() || std::ranges::all_of(trees_, reduces_at_once);
    if (may_wait && has_dues && window <= static_cast<std::uint64_t>(part_.window)) {
      part_.is_ordered = true;
      return;
    }
    for (Tree* tree : trees_) tree->interval = 0;
  }

 private:
  // Packets per frame, by tree, such that the trees are as long as they are to a packet. False:
  // none are.
  bool find_frame() {
    const auto packet = static_cast<std::uint64_t>(part_.packet_flits);
    const std::uint64_t longest = flits_of_longest();
    if (longest < kFewestPackets * packet) return false;
    packets_.resize(trees_.size());
    for (std::uint64_t max = 1; max <= (on_grid_ ? kMaxPackets : 1); ++max) {
      const auto fits = [&](std::size_t i) {
        const std::uint64_t is = trees_[i]->flits * max;
        packets_[i] = (is + longest / 2) / longest;
        const std::uint64_t would_be = longest * packets_[i];
        return packets_[i] > 0 && std::max(is, would_be) - std::min(is, would_be) <= packet * max;
      };
      std::size_t i = 0;
      while (i < trees_.size() && fits(i)) ++i;
      if (i == trees_.size()) return true;
    }
    return false;
  }

  std::uint64_t flits_of_longest() const {
    return (*std::ranges::max_element(trees_, {}, &Tree::flits))->flits;
  }
  std::uint64_t packets_of_longest() const {
    return flits_of_longest() / static_cast<std::uint64_t>(part_.packet_flits);
  }

  // Cycles of a frame on the busiest link.
  double frame_cycles() const {
    std::vector<std::uint64_t> packets(topology_.links.size());
    for (std::size_t i = 0; i < trees_.size(); ++i)
      walk_.walk(*trees_[i], [&](int link) { packets[link] += packets_[i]; });
    double max = 0;
    for (std::size_t l = 0; l < packets.size(); ++l)
      max = std::max(max, static_cast<double>(packets[l]) * packet_cycles(topology_.links[l]));
    return max;
  }

  double packet_cycles(const Link& link) const {
    return part_.packet_flits / link.flit_rate().value();
  }

  void set_dues(Tree& tree) {
    std::vector<TreeRank*> ranks(part_.members.size());
    for (TreeRank& rank : tree.ranks) ranks[rank.rank] = &rank;
    // Time at which the sum of a rank is complete.
    const auto sums = [&](const auto& self, TreeRank& rank) -> std::uint64_t {
      std::uint64_t made = 0;
      for (const int number : rank.reduce_from) {
        TreeRank& from = *ranks[number];
        made = std::max(made, send(tree, from, from.reduce_to.front(), self(self, from)));
      }
      return made;
    };
    const auto results = [&](const auto& self, TreeRank& rank, std::uint64_t ready) -> void {
      last_due_ = std::max(last_due_, ready);
      for (Send& to : rank.broadcast_to) self(self, *ranks[to.rank], send(tree, rank, to, ready));
    };
    for (TreeRank& rank : tree.ranks) {
      if (rank.reduce_to.empty() && (!rank.reduce_from.empty() || rank.contributes))
        results(results, rank, sums(sums, rank));
    }
  }

  // Its due, not before the packet is there; returns when it has arrived.
  std::uint64_t send(const Tree& tree, const TreeRank& from, Send& to, std::uint64_t ready) {
    if (!on_grid_) ready = place(from.rank, to, ready, tree.interval);
    to.due = static_cast<std::uint32_t>(ready);
    return ready + hop(from, to);
  }

  // A channel's packets share an interval evenly: the first place from `ready` on that no other
  // has.
  std::uint64_t place(int rank, const Send& to, std::uint64_t ready, std::uint64_t interval) {
    std::vector<bool>& taken = places_[{rank, to.port, to.vc}];
    const std::uint64_t places = taken.size();
    std::uint64_t at = (ready * places + interval - 1) / interval;
    while (taken[at % places]) ++at;
    taken[at % places] = true;
    return (at * interval + places - 1) / places;
  }

  void count_on_channels() {
    for (const Tree* tree : trees_) {
      for_each_send(tree->ranks, [&](int rank, const Send& to) {
        places_[{rank, to.port, to.vc}].push_back(false);
      });
    }
  }

  std::uint64_t hop(const TreeRank& from, const Send& to) const {
    double cycles = 0;
    double slowest = 0;
    walk_.walk_hop(part_.members[from.rank], part_.members[to.rank], to.port, [&](int number) {
      const Link& link = topology_.links[number];
      cycles += link.latency + kRouterCycles;
      slowest = std::max(slowest, packet_cycles(link));
    });
    const double slack = on_grid_ ? kSlackPackets * slowest : kSlackOfFrame * frame_;
    return static_cast<std::uint64_t>((cycles + slowest + slack) * units_per_cycle_);
  }

  const Topology& topology_;
  const LinkWalk& walk_;
  Part& part_;
  std::vector<Tree*> trees_;
  bool may_choose_pace_;
  bool on_grid_;
  std::vector<std::uint64_t> packets_;  // packets in a frame, by tree
  double frame_ = 0;                    // cycles
  double units_per_cycle_ = 1;
  std::uint64_t last_due_ = 0;                                     // latest due of a first packet
  std::map<std::tuple<int, int, int>, std::vector<bool>> places_;  // by rank, port and VC
};

// True if the packets of the collective can have an order on such a fabric.
bool may_be_ordered(const Topology& topology, const Part& part) {
  if (part.order == PacketOrder::kArrival) return false;
  // Between routers that add an order costs.
  if (part.order != PacketOrder::kRecurring && topology.has_places() && adds_in_switches(topology))
    return false;
  const Algorithm* algorithm = find_algorithm(part.algorithm);
  return part.roots == 0 && algorithm != nullptr && algorithm->has_packet_order(topology, part);
}

}  // namespace

void set_packet_order(const Topology& topology, Plan& plan) {
  std::vector<std::vector<Tree*>> trees(plan.parts.size());
  for (Tree& tree : plan.trees) trees[tree.part].push_back(&tree);
  const std::vector<bool> may_pace = may_choose_pace(topology, plan);
  std::vector<std::size_t> ordered;
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const bool goes = may_pace[part] || plan.parts[part].is_paced();
    if (trees[part].size() >= 2 && may_be_ordered(topology, plan.parts[part]) &&
        std::ranges::all_of(trees[part], [&](const Tree* tree) {
          return goes ? goes_at_once(*tree) : reduces_at_once(tree);
        }))
      ordered.push_back(part);
  }
  if (ordered.empty()) return;
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  for (const std::size_t part : ordered)
    Order(topology, walk, plan.parts[part], std::move(trees[part]), may_pace[part]).set();
}

}  // namespace fredsim
