// SPDX-License-Identifier: Apache-2.0
// Counters of a TrainFabric.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "traffic/trains/train_fabric.h"

namespace fredsim::trains {
namespace {

// Counter registers see a stall so many edges after it happened (switch/mesh/mesh_twin.h).
constexpr Edge kLateEdges = 2;

}  // namespace

void TrainFabric::add_stalls(Node& node, Stall stall, Edge edge, std::uint64_t count) {
  node.stalls[stall] += count;
  if (edge + kLateEdges < end_) return;
  Late& late = node.late[edge % kLateEdges];
  if (late.edge != edge) late = {.edge = edge};
  late.stalls[stall] += count;
}

// Counts credits and stalls of the edges before `edge`.
void TrainFabric::count_up_to(Output& output, Edge edge) {
  if (output.onward != 0 && (output.waiting != 0 || output.is_blocked || output.train != kNone)) {
    count_ring(output, edge);
    return;
  }
  if (output.is_blocked) count_blocked(output, edge);
  if (output.waiting != 0) {
    count_waiting(output, edge);
    return;
  }
  for (; output.left < output.flits && output.leaves[output.left] < edge; ++output.left)
    --output.credits;
  output.credits += static_cast<int>(output.to_come.take(output.counted, edge));
  output.counted = edge;
}

void TrainFabric::count_waiting(Output& output, Edge edge) {
  Node& node = nodes_[output.node];
  const auto waiting = static_cast<std::uint64_t>(std::popcount(output.waiting));
  const int need = static_cast<int>(output.need);
  int credits = output.credits;
  Edge leaves = output.left < output.flits ? output.leaves[output.left] : kNever;
  Stalls early{};  // those that no counter shows late
  for (Edge at = output.counted; at != edge; ++at) {
    const Stall stall = credits < need ? kCredit : at < output.free_from ? kArbiter : kLink;
    const std::uint64_t count = stall == kLink ? 1 : waiting;
    if (at + kLateEdges < end_) {
      early[stall] += count;
    } else {
      add_stalls(node, stall, at, count);
    }
    if (leaves == at) {
      --credits;
      leaves = ++output.left < output.flits ? output.leaves[output.left] : kNever;
    }
    credits += static_cast<int>(output.to_come.take_one(at + 1));
  }
  for (std::size_t i = 0; i < early.size(); ++i) node.stalls[i] += early[i];
  output.credits = credits;
  output.counted = edge;
}

// Counts edges at which a flit of the last train waited for the link.
void TrainFabric::count_blocked(Output& output, Edge edge) {
  Node& node = nodes_[output.node];
  for (std::uint32_t i = 0; i < output.flits; ++i) {
    const Edge end = std::min(output.leaves[i], edge);
    for (Edge at = std::max(output.leaves[i] - output.blocked[i], output.counted); at < end; ++at)
      add_stalls(node, kLink, at, 1);
  }
  if (output.free_from <= edge) output.is_blocked = false;
}

LinkCount TrainFabric::count(int link) const {
  const Link& l = topology_.links[link];
  const Output& output = outputs_[nodes_[l.from].first + static_cast<std::uint32_t>(l.from_port)];
  if (output.flits_taken == 0) return {};
  const std::span<const Edge> leaves(output.leaves.data(), output.flits);
  const auto later =
      std::ranges::count_if(leaves, [&](Edge edge) { return edge + output.pace.late() >= now_; });
  LinkCount count;
  count.flits =
      output.flits_taken - static_cast<std::uint64_t>(later) - output.pace.waiting_before(now_);
  count.sent = static_cast<double>(count.flits) - output.pace.left(now_, leaves);
  return count;
}

FabricCounts TrainFabric::counts() {
  for (Output& output : outputs_)
    if (output.input != kNone && nodes_[output.node].cut_through != nullptr) catch_up(output, now_);
  FabricCounts counts;
  for (int link = 0; link < std::ssize(topology_.links); ++link)
    counts.links.push_back(count(link));
  for (const Node& node : nodes_) {
    counts.switches.emplace_back();
    if (node.cut_through == nullptr) continue;
    Stalls stalls = node.stalls;
    for (const Late& late : node.late) {
      if (late.edge == kNever || late.edge + kLateEdges < now_) continue;
      for (std::size_t i = 0; i < stalls.size(); ++i) stalls[i] -= late.stalls[i];
    }
    SwitchCounters& counters = counts.switches.back().emplace();
    counters.stall_credit = stalls[kCredit];
    counters.stall_arbiter = stalls[kArbiter];
    counters.stall_link = stalls[kLink];
  }
  return counts;
}

void TrainFabric::check_balance() const {
  for (const Output& output : outputs_) {
    if (output.input == kNone) continue;
    CreditTimes to_come = output.to_come;
    const int back = output.credits -
                     (nodes_[output.node].cut_through != nullptr ? output.flits - output.left : 0);
    const auto coming = to_come.take(output.counted, output.counted + kEdges - 1);
    if (back + static_cast<int>(coming) == output.depth) continue;
    throw RunFailed(
        fmt::format("link {}: credits are not back",
                    topology_
                        .links[topology_.link_out(static_cast<NodeId>(output.node),
                                                  static_cast<int>(&output - &outputs_[0]) -
                                                      static_cast<int>(nodes_[output.node].first))]
                        .name));
  }
}

}  // namespace fredsim::trains
