// SPDX-License-Identifier: Apache-2.0
// hdrm: halving-doubling with rank mapping, for as many members on each switch of two layers
// (topology/topology.h, SwitchLayers), which a BiGraph has. No partners are on one switch or in one
// layer, and each pair of switches has one flow each way in every step.
//
// Group: m members on each of n switches, half of them upper ones, m and n powers of 2. Partners
//   differ in one bit of their places 0 … mn - 1.
// Map: place = (layer, i, v) with log2 n/2 bits of i and log2 m of v. Its layer is the parity of
//   all of its bits, so each step changes layers. On the lower layer it is on switch i, on the
//   upper one on switch i xor v (modulo n/2). So of the m places on a switch, which have every v,
//   the partners are on switches that differ in v, in any step.
// With m > n/2 a switch has more members than switches to send to: 2m/n flows per pair, on as many
//   links where there are as many. The plan says so.
// Source: Dong et al., EFLOPS: Algorithm and System Co-Design for a High Performance Distributed
//   Training Platform, HPCA 2020. A published simulator of it rotates where the upper switch is
//   chosen by exclusive or here; the flows per pair are the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "plan/hop_times.h"

namespace fredsim {
namespace {

// Members by switch.
struct SwitchMembers {
  std::vector<std::vector<int>> lower, upper;  // ranks, by switch with members
  bool is_even = true;                         // equal number on each switch

  std::size_t per_switch() const { return lower.empty() ? 0 : lower.front().size(); }
};

SwitchMembers members_by_switch(const Topology& topology, const std::vector<NodeId>& members) {
  const SwitchLayers& layers = topology.layers;
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(layers.lower + layers.upper));
  for (int r = 0; r < std::ssize(members); ++r) {
    const NodeId at = topology.first_link_out(members[r]).to;
    ranks[topology.nodes[at].switch_index].push_back(r);
  }
  SwitchMembers found;
  std::size_t size = 0;
  for (int s = 0; s < std::ssize(ranks); ++s) {
    if (ranks[s].empty()) continue;
    if (size == 0) size = ranks[s].size();
    found.is_even = found.is_even && ranks[s].size() == size;
    (s < layers.lower ? found.lower : found.upper).push_back(ranks[s]);
  }
  return found;
}

class Hdrm final : public Algorithm {
 public:
  Hdrm() : Algorithm("hdrm", &Topology::has_layers) {}
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (!exists_on(topology))
      return fmt::format(
          "hdrm needs two layers of switches, as a bigraph has, {} has none; allowed: {}",
          topology.name, allowed_algorithms(part.collective));
    const SwitchMembers by_switch = members_by_switch(topology, part.members);
    const std::size_t lower = by_switch.lower.size(), upper = by_switch.upper.size();
    if (by_switch.is_even && lower == upper && std::has_single_bit(lower) &&
        std::has_single_bit(by_switch.per_switch()))
      return {};
    const std::string each =
        by_switch.is_even
            ? std::to_string(part.members.size() / std::max<std::size_t>(1, lower + upper))
            : "unequal numbers";
    return fmt::format(
        "hdrm needs 1, 2, 4, 8 … members on each of 1, 2, 4, 8 … upper and as many lower switches, "
        "this group on {} has {} on each of {} upper and {} lower ones; allowed: {}",
        topology.name, each, upper, lower, allowed_algorithms(part.collective));
  }
  // All-reduces have as many as cover the way through all steps, and a fifth more. Every link is as
  // full as the NICs, so that any further packets wait in queues and arrive late for some steps
  // (docs/studies/eflops.md).
  bool paces_by_window() const override { return true; }
  int window(const Topology& topology, const Part& part) const override {
    if (part.collective != Collective::kAllReduce) return Algorithm::window(topology, part);
    constexpr double kMore = 1.2;
    constexpr int kLeast = 2;
    const Link& nic = topology.first_link_out(part.members.front());
    const double packet = part.packet_flits / nic.rate.value();  // cycles
    const double step = 3.0 * static_cast<double>(nic.flit_cycles()) +
                        2.0 * HopTimes(topology).through(nic.to) + packet;
    const std::size_t ranks = part.members.size();
    const double packets = 2.0 * std::countr_zero(ranks) * step / packet;
    return std::max(kLeast,
                    static_cast<int>(std::lround(kMore * packets / static_cast<double>(ranks))));
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const SwitchMembers by_switch = members_by_switch(part.topology(), part.members());
    const auto half = static_cast<unsigned>(by_switch.lower.size());
    const auto on_each = static_cast<unsigned>(by_switch.per_switch());
    const unsigned flows = std::max(1U, on_each / half);  // a pair of switches has in a step
    RingBox box;
    box.sides = {part.ranks()};
    box.shape = LineShape::kHalving;
    for (unsigned place = 0; place < static_cast<unsigned>(part.ranks()); ++place) {
      const unsigned v = place % on_each;
      const unsigned i = place / on_each % half;
      const bool is_upper = std::popcount(place) % 2 == 1;
      // Flows of a pair go to members that follow each other on a switch, and by their addresses
      // over the links of the pair.
      const unsigned member = v % half * flows + v / half;
      box.ranks.push_back(is_upper ? by_switch.upper[i ^ v % half][member]
                                   : by_switch.lower[i][member]);
    }
    if (flows > 1)
      part.plan().note(fmt::format(
          "hdrm: {} flows between each two switches in each step, on {} link{}, since the {} "
          "members of a switch have partners on {}",
          flows, part.topology().layers.pair_links,
          part.topology().layers.pair_links == 1 ? "" : "s", on_each, half));
    part.add_box(box);
  }
  // Estimates would take it where it is no faster.
  bool is_weighed() const override { return false; }
  Layout layout() const override { return Layout::kStar; }
};

}  // namespace

const Algorithm& hdrm_algorithm() {
  static const Hdrm algorithm;
  return algorithm;
}

}  // namespace fredsim
