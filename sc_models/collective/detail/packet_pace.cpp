// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/packet_pace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "plan/acknowledgements.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr double kSlack = 0.003;
constexpr double kMaxLoss = 0.0005;     // by rounding
constexpr double kLongestFrame = 4096;  // cycles, where a shorter one does

// Gives a part, all of whose trees have an order, its frame.
class Pace {
 public:
  Pace(const Topology& topology, const LinkWalk& walk, Part& part, std::vector<Tree*> trees)
      : topology_(topology), walk_(walk), part_(part), trees_(std::move(trees)) {}

  void set() {
    const std::vector<std::uint64_t> packets = packets_in_frame();
    set_acknowledgements(packets);
    const double cycles = busiest(packets) * (1 + kSlack);
    double min_loss = std::numeric_limits<double>::infinity();
    std::uint64_t times = 1;
    for (std::uint64_t t = 1; min_loss > kMaxLoss; ++t) {
      const double exact = cycles * static_cast<double>(t);
      if (t > 1 && exact > kLongestFrame) break;
      const double loss = std::ceil(exact) / exact - 1;
      if (loss >= min_loss) continue;
      min_loss = loss;
      times = t;
    }
    part_.frame = static_cast<std::uint64_t>(std::ceil(cycles * static_cast<double>(times)));
    for (std::size_t i = 0; i < trees_.size(); ++i) trees_[i]->in_frame = packets[i] * times;
  }

 private:
  // Packets of each tree in the shortest frame that the intervals allow.
  std::vector<std::uint64_t> packets_in_frame() const {
    std::uint64_t all = 1;
    for (const Tree* tree : trees_) all = std::lcm(all, tree->interval);
    std::vector<std::uint64_t> packets;
    std::uint64_t common = 0;
    for (const Tree* tree : trees_) common = std::gcd(common, all / tree->interval);
    packets.reserve(trees_.size());
    for (const Tree* tree : trees_) packets.push_back(all / tree->interval / common);
    return packets;
  }

  // An acknowledgement stands for at least as many packets as without a pace.
  void set_acknowledgements(const std::vector<std::uint64_t>& packets) {
    const std::uint64_t fewest = *std::ranges::min_element(packets);
    const std::uint64_t frames = (kAcknowledgePackets + fewest - 1) / fewest;
    for (std::size_t i = 0; i < trees_.size(); ++i)
      trees_[i]->acknowledge_packets = frames * packets[i];
  }

  // Cycles for which the busiest link sends.
  double busiest(const std::vector<std::uint64_t>& packets) const {
    std::vector<double> cycles(topology_.links.size());
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const Tree& tree = *trees_[i];
      const auto add = [&](double flits) {
        return [&cycles, flits, this](int link) {
          cycles[link] += flits / topology_.links[link].flit_rate().value();
        };
      };
      walk_.walk(tree, add(static_cast<double>(packets[i]) * part_.packet_flits));
      const auto back =
          add(static_cast<double>(packets[i]) / static_cast<double>(tree.acknowledge_packets));
      for (const TreeRank& rank : tree.ranks) {
        for (const auto* sends : {&rank.acknowledge_sums, &rank.acknowledge_results})
          for (const Send& to : *sends)
            walk_.walk_hop(part_.members[rank.rank], part_.members[to.rank], to.port, back);
      }
    }
    return *std::ranges::max_element(cycles);
  }

  const Topology& topology_;
  const LinkWalk& walk_;
  Part& part_;
  std::vector<Tree*> trees_;
};

bool shares_links(const LinkWalk& walk, const Topology& topology, const Plan& plan) {
  std::vector<int> of(topology.links.size(), -1);
  bool shares = false;
  for (const Tree& tree : plan.trees) {
    walk.walk(tree, [&](int link) {
      shares |= of[link] >= 0 && of[link] != tree.part;
      of[link] = tree.part;
    });
  }
  return shares;
}

bool routers_keep_pace(const Topology& topology) {
  return topology.has_places() && !adds_in_switches(topology);
}

void refuse(Plan& plan, Part& part, const std::string& why) {
  part.order = PacketOrder::kAuto;
  plan.note("packets have no pace: " + why);
}

// Names what keeps a part from having a pace where routers let it; empty: nothing.
std::string obstacle(const Part& part, bool shares) {
  if (part.collective == Collective::kAllToAll || part.collective == Collective::kAllToAllV)
    return "an all-to-all asks more of routers than they reach at the rate of links";
  if (part.roots > 0) return "streams of several roots have none";
  return shares ? "groups share links" : "";
}

}  // namespace

std::vector<bool> may_choose_pace(const Topology& topology, const Plan& plan) {
  std::vector<bool> may(plan.parts.size());
  if (!routers_keep_pace(topology)) return may;
  const auto may_have = [](const Part& part) {
    return part.order == PacketOrder::kAuto && part.bytes > kPacedAboveBytes;
  };
  if (std::ranges::none_of(plan.parts, may_have)) return may;
  const bool shares =
      plan.parts.size() > 1 && shares_links(LinkWalk(topology, plan, false), topology, plan);
  for (std::size_t n = 0; n < may.size(); ++n)
    may[n] = may_have(plan.parts[n]) && obstacle(plan.parts[n], shares).empty();
  return may;
}

void refuse_packet_pace(const Topology& topology, Plan& plan) {
  if (std::ranges::none_of(plan.parts, &Part::is_paced)) return;
  const bool routers_keep_it = routers_keep_pace(topology);
  const bool shares = routers_keep_it && plan.parts.size() > 1 &&
                      shares_links(LinkWalk(topology, plan, false), topology, plan);
  for (Part& part : plan.parts) {
    if (!part.is_paced()) continue;
    const std::string why = routers_keep_it
                                ? obstacle(part, shares)
                                : "only NPUs of a mesh or torus whose routers do not add keep one";
    if (!why.empty()) refuse(plan, part, why);
  }
}

void set_packet_pace(const Topology& topology, Plan& plan) {
  if (std::ranges::none_of(plan.parts, &Part::is_paced)) return;
  const LinkWalk walk(topology, plan, false);
  for (int number = 0; number < std::ssize(plan.parts); ++number) {
    Part& part = plan.parts[number];
    if (!part.is_paced()) continue;
    std::vector<Tree*> trees;
    for (Tree& tree : plan.trees)
      if (tree.part == number) trees.push_back(&tree);
    const auto has_order = [](const Tree* tree) { return tree->interval != 0; };
    if (trees.empty() || !std::ranges::all_of(trees, has_order))
      refuse(plan, part, "trees of fewer than 128 packets, or in no ratio of small numbers");
    else
      Pace(topology, walk, part, std::move(trees)).set();
  }
}

}  // namespace fredsim
