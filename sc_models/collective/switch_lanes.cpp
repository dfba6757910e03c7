#include "collective/switch_lanes.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <tuple>

#include "base/int128.h"

namespace fredsim {
namespace {

// Ports of a chiplet that lead up, in the order of the chiplets and ports they lead to, which is the
// same order at every chiplet below the same switch.
std::vector<int> uplinks_of(const Topology& topology, NodeId chiplet) {
  std::vector<std::tuple<NodeId, int, int>> uplinks;
  const Node& node = topology.nodes[chiplet];
  for (int p = 0; p < node.ports; ++p) {
    const int id = topology.link_out(chiplet, p);
    if (id < 0) continue;
    const Link& link = topology.links[id];
    if (topology.nodes[link.to].level > node.level) uplinks.emplace_back(link.to, link.to_port, p);
  }
  std::ranges::sort(uplinks);
  std::vector<int> ports;
  for (const auto& [to, to_port, port] : uplinks) ports.push_back(port);
  return ports;
}

class Climber {
 public:
  Climber(const Topology& topology, int slice, std::vector<Skeleton>& found)
      : topology_(topology), slice_(slice), found_(found) {}

  // `begin`: the first stop of the highest level so far.
  void climb(const Skeleton& skeleton, std::size_t begin) {
    if (skeleton.size() - begin == 1) {
      found_.push_back(skeleton);
      return;
    }
    std::vector<std::vector<int>> uplinks;
    std::size_t lanes = ~std::size_t{0};
    for (std::size_t s = begin; s < skeleton.size(); ++s) {
      uplinks.push_back(uplinks_of(topology_, skeleton[s].chiplet));
      lanes = std::min(lanes, uplinks.back().size());
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::size_t lane = (i + static_cast<std::size_t>(slice_)) % lanes;
      Skeleton next = skeleton;
      std::map<NodeId, int> parents;  // ascending, as the stops of a level
      for (std::size_t s = begin; s < skeleton.size(); ++s) {
        next[s].up_port = uplinks[s - begin][lane];
        parents.emplace(up_link(next[s]).to, 0);
      }
      for (auto& [chiplet, stop] : parents) {
        stop = static_cast<int>(next.size());
        next.push_back({.chiplet = chiplet, .members = {}, .children = {}});
      }
      for (std::size_t s = begin; s < skeleton.size(); ++s) {
        const Link& up = up_link(next[s]);
        next[s].parent = parents.at(up.to);
        next[next[s].parent].children.push_back({up.to_port, static_cast<int>(s)});
      }
      climb(next, skeleton.size());
    }
  }

 private:
  const Link& up_link(const SkeletonStop& stop) const {
    return topology_.links[topology_.link_out(stop.chiplet, stop.up_port)];
  }

  const Topology& topology_;
  int slice_;
  std::vector<Skeleton>& found_;
};

}  // namespace

std::vector<Skeleton> skeletons_of(const Topology& topology, const std::vector<NodeId>& members,
                                   int slice) {
  std::map<NodeId, SkeletonStop> chiplets;
  for (std::size_t r = 0; r < members.size(); ++r) {
    const Link& link = topology.links[topology.link_out(members[r], slice)];
    assert(topology.nodes[link.to].level == 1);
    SkeletonStop& stop = chiplets[link.to];
    stop.chiplet = link.to;
    stop.members.push_back({link.to_port, static_cast<int>(r)});
  }
  Skeleton lowest;
  for (auto& [chiplet, stop] : chiplets) lowest.push_back(std::move(stop));
  std::vector<Skeleton> found;
  Climber(topology, slice, found).climb(lowest, 0);
  return found;
}

std::vector<PortsTaken> ports_of(const Skeleton& skeleton) {
  std::vector<PortsTaken> taken;
  for (const SkeletonStop& stop : skeleton) {
    PortsTaken here{stop.chiplet, 0};
    if (stop.up_port >= 0) here.ports |= 1U << stop.up_port;
    for (const auto& member : stop.members) here.ports |= 1U << member.port;
    for (const auto& child : stop.children) here.ports |= 1U << child.port;
    taken.push_back(here);
  }
  return taken;
}

int lanes_wanted(const Topology& topology, const Skeleton& skeleton,
                 const std::vector<NodeId>& members, int slice) {
  const Rational port = topology.links[topology.link_out(members.front(), slice)].rate;
  std::uint64_t wanted = 1;
  for (const SkeletonStop& stop : skeleton) {
    if (stop.up_port < 0) continue;
    const Rational up = topology.links[topology.link_out(stop.chiplet, stop.up_port)].rate;
    const Uint128 need = static_cast<Uint128>(port.num) * up.den;
    const Uint128 have = static_cast<Uint128>(port.den) * up.num;
    wanted = std::max(wanted, static_cast<std::uint64_t>((need + have - 1) / have));
  }
  return static_cast<int>(std::min<std::uint64_t>(wanted, kMaxPorts));
}

std::vector<StopFlow> flows_on(const Skeleton& skeleton, const std::vector<bool>& contributes,
                               const std::vector<bool>& receives) {
  const auto all_contributors = std::ranges::count(contributes, true);
  const auto all_receivers = std::ranges::count(receives, true);
  std::vector<std::ptrdiff_t> contributors(skeleton.size());
  std::vector<std::ptrdiff_t> receivers(skeleton.size());
  std::vector<StopFlow> flows;
  for (std::size_t s = 0; s < skeleton.size(); ++s) {
    const SkeletonStop& stop = skeleton[s];
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    for (const auto& member : stop.members) {
      if (contributes[member.rank]) in |= 1U << member.port, ++contributors[s];
      if (receives[member.rank]) out |= 1U << member.port, ++receivers[s];
    }
    for (const auto& child : stop.children) {
      contributors[s] += contributors[child.stop];
      receivers[s] += receivers[child.stop];
      const bool done_below = contributors[child.stop] == all_contributors;
      if (contributors[child.stop] > 0 && (!done_below || receivers[child.stop] < all_receivers))
        in |= 1U << child.port;
      if (receivers[child.stop] > 0 && !done_below) out |= 1U << child.port;
    }
    const std::uint32_t up = stop.up_port < 0 ? 0 : 1U << stop.up_port;
    const int place = static_cast<int>(s);
    if (contributors[s] == all_contributors) {
      const Flow flow{in, out | (receivers[s] < all_receivers ? up : 0)};
      if (flow.inputs != 0 && flow.outputs != 0) flows.push_back({place, flow, true});
      continue;
    }
    if (in != 0) flows.push_back({place, {in, up}, true});
    if (out != 0) flows.push_back({place, {up, out}, false});
  }
  return flows;
}

namespace {

void append_ranks(const Skeleton& skeleton, const std::vector<StopFlow>& flows,
                  const std::vector<SumOrder>& orders, int stop, SumOrder& result) {
  std::size_t f = 0;
  while (flows[f].stop != stop || !flows[f].sum) ++f;
  for (const int port : orders[f].postfix) {
    if (port == SumOrder::kAdd) {
      result.postfix.push_back(port);
      continue;
    }
    const auto& members = skeleton[stop].members;
    const auto member = std::ranges::find(members, port, &SkeletonStop::Member::port);
    if (member != members.end()) {
      result.postfix.push_back(member->rank);
      continue;
    }
    const auto& children = skeleton[stop].children;
    append_ranks(skeleton, flows, orders,
                 std::ranges::find(children, port, &SkeletonStop::Child::port)->stop, result);
  }
}

}  // namespace

SumOrder rank_order(const Skeleton& skeleton, const std::vector<StopFlow>& flows,
                    const std::vector<SumOrder>& orders) {
  // The highest flow towards the sum has all of it.
  int top = 0;
  for (const StopFlow& flow : flows) {
    if (flow.sum) top = flow.stop;
  }
  SumOrder result;
  append_ranks(skeleton, flows, orders, top, result);
  return result;
}

}  // namespace fredsim
