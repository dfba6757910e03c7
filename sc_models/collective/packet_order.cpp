#include "collective/packet_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "collective/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kFewestPackets = 128;  // of the longest tree
constexpr std::uint64_t kMostPackets = 64;     // of a tree in a frame
// How late a packet may be after a hop, by what packets take on its slowest link.
constexpr double kSlackPackets = 6;
constexpr double kRouterCycles = 8;    // per link
constexpr double kUnitsPerCycle = 16;  // of intervals and dues, at least

// A part's trees, all of them reducing.
class Order {
 public:
  Order(const Topology& topology, const LinkWalk& walk, const Part& part, std::vector<Tree*> trees)
      : topology_(topology), walk_(walk), part_(part), trees_(std::move(trees)) {}

  void set() {
    if (!find_frame()) return;
    const double cycles = frame_cycles();
    const std::uint64_t common =
        std::accumulate(packets_.begin(), packets_.end(), std::uint64_t{1},
                        [](std::uint64_t a, std::uint64_t b) { return std::lcm(a, b); });
    const auto scale = static_cast<std::uint64_t>(
        std::ceil(cycles * kUnitsPerCycle / static_cast<double>(common)));
    units_per_cycle_ = static_cast<double>(common * scale) / cycles;
    last_due_ = 0;
    std::uint64_t shortest = common * scale;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      trees_[i]->interval = common * scale / packets_[i];
      shortest = std::min(shortest, trees_[i]->interval);
      set_dues(*trees_[i]);
    }
    if (static_cast<std::uint64_t>(part_.window) * shortest > last_due_) return;
    for (Tree* tree : trees_) tree->interval = 0;
  }

 private:
  // Packets per frame, by tree, such that the trees are as long as they are to a packet. False: none are.
  bool find_frame() {
    const auto packet = static_cast<std::uint64_t>(part_.packet_flits);
    const std::uint64_t longest = (*std::ranges::max_element(trees_, {}, &Tree::flits))->flits;
    if (longest < kFewestPackets * packet) return false;
    packets_.resize(trees_.size());
    for (std::uint64_t most = 1; most <= kMostPackets; ++most) {
      const auto fits = [&](std::size_t i) {
        const std::uint64_t is = trees_[i]->flits * most;
        packets_[i] = (is + longest / 2) / longest;
        const std::uint64_t would_be = longest * packets_[i];
        return packets_[i] > 0 && std::max(is, would_be) - std::min(is, would_be) <= packet * most;
      };
      std::size_t i = 0;
      while (i < trees_.size() && fits(i)) ++i;
      if (i == trees_.size()) return true;
    }
    return false;
  }

  // That the busiest link takes.
  double frame_cycles() const {
    std::vector<std::uint64_t> packets(topology_.links.size());
    for (std::size_t i = 0; i < trees_.size(); ++i)
      walk_.walk(*trees_[i], [&](int link) { packets[link] += packets_[i]; });
    double most = 0;
    for (std::size_t l = 0; l < packets.size(); ++l)
      most = std::max(most, static_cast<double>(packets[l]) * packet_cycles(topology_.links[l]));
    return most;
  }

  double packet_cycles(const Link& link) const {
    return part_.packet_flits / link.flit_rate().value();
  }

  void set_dues(Tree& tree) {
    std::vector<TreeRank*> ranks(part_.members.size());
    for (TreeRank& rank : tree.ranks) ranks[rank.rank] = &rank;
    const auto sums = [&](const auto& self, TreeRank& rank) -> std::uint64_t {
      rank.sum_due = 0;
      for (const int number : rank.reduce_from) {
        TreeRank& from = *ranks[number];
        rank.sum_due = std::max(rank.sum_due, self(self, from) + hop(from, from.reduce_to.front()));
      }
      return rank.sum_due;
    };
    const auto results = [&](const auto& self, TreeRank& rank, std::uint64_t due) -> void {
      rank.result_due = due;
      last_due_ = std::max(last_due_, due);
      for (const Send& to : rank.broadcast_to) self(self, *ranks[to.rank], due + hop(rank, to));
    };
    for (TreeRank& rank : tree.ranks) {
      if (rank.reduce_to.empty() && !rank.reduce_from.empty())
        results(results, rank, sums(sums, rank));
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
    return static_cast<std::uint64_t>((cycles + (1 + kSlackPackets) * slowest) * units_per_cycle_);
  }

  const Topology& topology_;
  const LinkWalk& walk_;
  const Part& part_;
  std::vector<Tree*> trees_;
  std::vector<std::uint64_t> packets_;  // in a frame, by tree
  double units_per_cycle_ = 1;
  std::uint64_t last_due_ = 0;  // of first packets
};

bool reduces_at_once(const Tree& tree) {
  return tree.transport == Transport::kEndpoint && tree.step == 0 &&
         std::ranges::any_of(tree.ranks,
                             [](const TreeRank& rank) { return !rank.reduce_from.empty(); });
}

}  // namespace

void set_packet_order(const Topology& topology, Plan& plan) {
  if (!topology.is_grid() || adds_in_switches(topology)) return;
  const LinkWalk walk(topology, plan, false);
  std::vector<std::vector<Tree*>> trees(plan.parts.size());
  for (Tree& tree : plan.trees) trees[tree.part].push_back(&tree);
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    if (trees[part].size() < 2 || plan.parts[part].roots > 0 ||
        !std::ranges::all_of(trees[part], [](const Tree* tree) { return reduces_at_once(*tree); }))
      continue;
    Order(topology, walk, plan.parts[part], std::move(trees[part])).set();
  }
}

}  // namespace fredsim
