// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/coalesced_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fredsim {
namespace {

// Lane for the calls of one place, so that nodes of a lane follow one another.
int lane_beside(ProfileGraph& graph, int lane, std::size_t place) {
  ProfileGraph::Lane beside = graph.lanes[static_cast<std::size_t>(lane)];
  beside.name += fmt::format(", call {}", place + 1);
  const auto found = std::ranges::find(graph.lanes, beside.name, &ProfileGraph::Lane::name);
  if (found != graph.lanes.end()) return static_cast<int>(found - graph.lanes.begin());
  graph.lanes.push_back(std::move(beside));
  return static_cast<int>(graph.lanes.size()) - 1;
}

}  // namespace

void split_coalesced(ProfileGraph& graph, const std::vector<CoalescedCalls>& kernels) {
  for (const CoalescedCalls& kernel : kernels) {
    const auto at = static_cast<std::size_t>(kernel.node);
    const ProfiledNode whole = graph.nodes[at];
    std::vector<ProfiledNode> calls{whole};
    for (const ProfiledNode& other : kernel.others) {
      ProfiledNode& call = calls.emplace_back(whole);
      call.node = other.node;
      call.call = other.call;
      call.lane = lane_beside(graph, whole.lane, calls.size() - 1);
      for (const ProfiledNode::After& after : whole.after)
        ++graph.dependencies[static_cast<std::size_t>(after.rule)];
    }
    ProfiledNode join{.begin = whole.end, .end = whole.end, .lane = whole.lane};
    join.node.name = "coalesced";
    for (ProfiledNode& call : calls) {
      const int number = static_cast<int>(graph.nodes.size());
      join.after.push_back({number, TraceRule::kStream, whole.end});
      ++graph.dependencies[static_cast<std::size_t>(TraceRule::kStream)];
      graph.nodes.push_back(std::move(call));
    }
    graph.nodes[at] = std::move(join);
  }
}

}  // namespace fredsim
