// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/reduction_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/int128.h"
#include "plan/members.h"

namespace fredsim {
namespace {

// Ranks that contribute, and that receive, at a node and below.
std::pair<std::ptrdiff_t, std::ptrdiff_t> below(const ReductionTree& tree, int node,
                                                const GroupRoles& roles) {
  std::pair<std::ptrdiff_t, std::ptrdiff_t> count;
  for (const auto& member : tree[node].members) {
    count.first += roles.contributes[member.rank] ? 1 : 0;
    count.second += roles.receives[member.rank] ? 1 : 0;
  }
  for (const auto& child : tree[node].children) {
    const auto [contributors, receivers] = below(tree, child.node, roles);
    count.first += contributors;
    count.second += receivers;
  }
  return count;
}

}  // namespace

std::vector<int> uplinks_of(const Topology& topology, NodeId chiplet) {
  std::vector<std::tuple<double, NodeId, int, int>> uplinks;
  const int level = topology.nodes[chiplet].level;
  for (int p = 0; p < topology.nodes[chiplet].ports; ++p) {
    const int id = topology.link_out(chiplet, p);
    if (id < 0) continue;
    const Link& link = topology.links[id];
    if (topology.nodes[link.to].level > level)
      uplinks.emplace_back(-link.rate.value(), link.to, link.to_port, p);
  }
  std::ranges::sort(uplinks);
  std::vector<int> ports;
  ports.reserve(uplinks.size());
  for (const auto& [rate, to, to_port, port] : uplinks) ports.push_back(port);
  return ports;
}

PortMasks uplink_directions(const ReductionTree& tree, int node, const GroupRoles& roles) {
  const auto [contributors, receivers] = below(tree, node, roles);
  const bool has_all = contributors == std::ranges::count(roles.contributes, true);
  const bool reaches_all = receivers == std::ranges::count(roles.receives, true);
  return {.inputs = receivers > 0 && !has_all ? 1U : 0U,
          .outputs = contributors > 0 && !(has_all && reaches_all) ? 1U : 0U};
}

namespace {

// An uplink as routing sees it: the chiplet above, and the edge µSwitches at both ends.
struct UplinkKind {
  NodeId parent = 0;
  int own_pair = 0;
  int parent_pair = 0;
  friend bool operator<(const UplinkKind& a, const UplinkKind& b) {
    return std::tie(a.parent, a.own_pair, a.parent_pair) <
           std::tie(b.parent, b.own_pair, b.parent_pair);
  }
};

// The uplinks of a node that its group may take now.
struct FreeUplinks {
  std::vector<int> all;  // all ports in ascending order, free or not
  std::map<UplinkKind, std::vector<int>> of_kind;
};

class TreeEnumerator {
 public:
  TreeEnumerator(const Topology& topology, const GroupRoles& roles, const PortUse& used,
                 const std::function<bool(const ReductionTree&)>& visit)
      : topology_(topology), roles_(roles), used_(used), visit_(visit) {}

  // `begin`: the first node of the highest level so far. True: visit_ is content.
  bool extend(const ReductionTree& tree, std::size_t begin) {
    if (tree.size() - begin == 1) return visit_(tree);
    std::vector<FreeUplinks> uplinks;
    std::size_t uplink_count = ~std::size_t{0};
    for (std::size_t s = begin; s < tree.size(); ++s) {
      uplinks.push_back(free_uplinks(tree, s));
      uplink_count = std::min(uplink_count, uplinks.back().all.size());
    }
    std::set<std::vector<UplinkKind>> seen;
    for (std::size_t i = 0; i < uplink_count; ++i) {
      std::vector<int> ports;
      ports.reserve(uplinks.size());
      for (const FreeUplinks& node : uplinks) ports.push_back(node.all[i]);
      const std::optional<std::vector<UplinkKind>> kinds = kinds_of(tree, begin, uplinks, ports);
      if (kinds && seen.insert(*kinds).second && up(tree, begin, ports)) return true;
    }
    return other_choices(tree, begin, uplinks, seen);
  }

 private:
  UplinkKind kind_of(NodeId chiplet, int port) const {
    const Link& link = topology_.links[topology_.link_out(chiplet, port)];
    return {link.to, port / 2, link.to_port / 2};
  }

  FreeUplinks free_uplinks(const ReductionTree& tree, std::size_t node) const {
    const NodeId chiplet = tree[node].chiplet;
    const PortMasks need = uplink_directions(tree, static_cast<int>(node), roles_);
    const auto used = used_.find(chiplet);
    const PortMasks taken = used == used_.end() ? PortMasks{} : used->second;
    FreeUplinks free{uplinks_of(topology_, chiplet), {}};
    for (const bool half_taken : {true, false}) {
      std::map<UplinkKind, std::vector<int>> found;
      for (const int port : free.all) {
        const bool in = (taken.inputs >> port & 1U) != 0;
        const bool out = (taken.outputs >> port & 1U) != 0;
        if ((in && need.inputs != 0) || (out && need.outputs != 0)) continue;
        if ((in || out) == half_taken) found[kind_of(chiplet, port)].push_back(port);
      }
      free.of_kind.merge(found);  // keeps existing entries: half-taken uplinks come first
    }
    return free;
  }

  // The kinds of one uplink per node; none where one may not be taken.
  std::optional<std::vector<UplinkKind>> kinds_of(const ReductionTree& tree, std::size_t begin,
                                                  const std::vector<FreeUplinks>& uplinks,
                                                  const std::vector<int>& ports) const {
    std::vector<UplinkKind> kinds;
    for (std::size_t s = 0; s < ports.size(); ++s) {
      const UplinkKind kind = kind_of(tree[begin + s].chiplet, ports[s]);
      const auto free = uplinks[s].of_kind.find(kind);
      if (free == uplinks[s].of_kind.end() || std::ranges::count(free->second, ports[s]) == 0)
        return {};
      kinds.push_back(kind);
    }
    return kinds;
  }

  // Visits all choices of kinds that lead to one chiplet, except the choices already seen.
  bool other_choices(const ReductionTree& tree, std::size_t begin,
                     const std::vector<FreeUplinks>& uplinks,
                     const std::set<std::vector<UplinkKind>>& seen) {
    std::set<NodeId> parents;
    for (const auto& [kind, ports] : uplinks.front().of_kind) parents.insert(kind.parent);
    for (const NodeId parent : parents) {
      std::vector<std::vector<UplinkKind>> kinds(uplinks.size());
      for (std::size_t s = 0; s < uplinks.size(); ++s) {
        for (const auto& [kind, ports] : uplinks[s].of_kind)
          if (kind.parent == parent) kinds[s].push_back(kind);
      }
      if (std::ranges::any_of(kinds, [](const auto& of_node) { return of_node.empty(); })) continue;
      std::vector<std::size_t> at(kinds.size());  // mixed-radix counter over the choices
      for (std::size_t digit = 0; digit < at.size();) {
        std::vector<UplinkKind> chosen;
        std::vector<int> ports;
        for (std::size_t s = 0; s < at.size(); ++s) {
          chosen.push_back(kinds[s][at[s]]);
          ports.push_back(uplinks[s].of_kind.at(chosen.back()).front());
        }
        if (!seen.contains(chosen) && up(tree, begin, ports)) return true;
        for (digit = 0; digit < at.size() && ++at[digit] == kinds[digit].size(); ++digit)
          at[digit] = 0;
      }
    }
    return false;
  }

  // Goes up by these uplinks to the next level.
  bool up(const ReductionTree& tree, std::size_t begin, const std::vector<int>& ports) {
    ReductionTree next = tree;
    std::map<NodeId, int> parents;  // ascending, as the nodes of a level
    for (std::size_t s = begin; s < tree.size(); ++s) {
      next[s].up_port = ports[s - begin];
      parents.emplace(up_link(next[s]).to, 0);
    }
    for (auto& [chiplet, node] : parents) {
      node = static_cast<int>(next.size());
      next.push_back({.chiplet = chiplet, .members = {}, .children = {}});
    }
    for (std::size_t s = begin; s < tree.size(); ++s) {
      const Link& up = up_link(next[s]);
      next[s].parent = parents.at(up.to);
      next[next[s].parent].children.push_back({up.to_port, static_cast<int>(s)});
    }
    return extend(next, tree.size());
  }

  const Link& up_link(const ReductionNode& node) const {
    return topology_.links[topology_.link_out(node.chiplet, node.up_port)];
  }

  const Topology& topology_;
  const GroupRoles& roles_;
  const PortUse& used_;
  const std::function<bool(const ReductionTree&)>& visit_;
};

}  // namespace

int slice_nic_port(const Topology& topology, NodeId member, int slice) {
  return topology.has_slices() ? slice : topology.first_link_out(member).from_port;
}

ReductionTree lowest_nodes(const Topology& topology, const std::vector<NodeId>& members, int slice,
                           const std::vector<bool>& joined) {
  std::map<NodeId, ReductionNode> chiplets;
  for (std::size_t r = 0; r < members.size(); ++r) {
    if (!joined[r]) continue;
    const int port = slice_nic_port(topology, members[r], slice);
    const Link& link = topology.links[topology.link_out(members[r], port)];
    assert(topology.nodes[link.to].level == 1);
    ReductionNode& node = chiplets[link.to];
    node.chiplet = link.to;
    node.members.push_back({link.to_port, static_cast<int>(r)});
  }
  ReductionTree lowest;
  for (auto& [chiplet, node] : chiplets) lowest.push_back(std::move(node));
  return lowest;
}

bool visit_reduction_trees(const Topology& topology, const ReductionTree& lowest,
                           const GroupRoles& roles, const PortUse& used,
                           const std::function<bool(const ReductionTree&)>& visit) {
  return TreeEnumerator(topology, roles, used, visit).extend(lowest, 0);
}

PortUse ports_of(const ReductionTree& tree, const GroupRoles& roles) {
  PortUse use;
  for (const NodeFlow& flow : flows_on(tree, roles)) {
    PortMasks& masks = use[tree[flow.node].chiplet];
    masks.inputs |= flow.flow.inputs;
    masks.outputs |= flow.flow.outputs;
  }
  return use;
}

int trees_wanted(const Topology& topology, const ReductionTree& tree,
                 std::span<const NodeId> members, int slice) {
  const Rational port = slowest_port(topology, members, slice);
  std::uint64_t wanted = 1;
  for (const ReductionNode& node : tree) {
    if (node.up_port < 0) continue;
    const Rational up = topology.links[topology.link_out(node.chiplet, node.up_port)].rate;
    const Uint128 need = static_cast<Uint128>(port.num) * up.den;
    const Uint128 have = static_cast<Uint128>(port.den) * up.num;
    wanted = std::max(wanted, static_cast<std::uint64_t>((need + have - 1) / have));
  }
  return static_cast<int>(std::min<std::uint64_t>(wanted, kMaxPorts));
}

std::vector<NodeFlow> flows_on(const ReductionTree& tree, const GroupRoles& roles) {
  const auto& [contributes, receives] = roles;
  const auto all_contributors = std::ranges::count(contributes, true);
  const auto all_receivers = std::ranges::count(receives, true);
  std::vector<std::ptrdiff_t> contributors(tree.size());
  std::vector<std::ptrdiff_t> receivers(tree.size());
  std::vector<NodeFlow> flows;
  for (std::size_t s = 0; s < tree.size(); ++s) {
    const ReductionNode& node = tree[s];
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    for (const auto& member : node.members) {
      if (contributes[member.rank]) in |= 1U << member.port, ++contributors[s];
      if (receives[member.rank]) out |= 1U << member.port, ++receivers[s];
    }
    for (const auto& child : node.children) {
      contributors[s] += contributors[child.node];
      receivers[s] += receivers[child.node];
      const bool done_below = contributors[child.node] == all_contributors;
      if (contributors[child.node] > 0 && (!done_below || receivers[child.node] < all_receivers))
        in |= 1U << child.port;
      if (receivers[child.node] > 0 && !done_below) out |= 1U << child.port;
    }
    const std::uint32_t up = node.up_port < 0 ? 0 : 1U << node.up_port;
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

void append_ranks(const ReductionTree& tree, const std::vector<NodeFlow>& flows,
                  const std::vector<SumOrder>& orders, int node, SumOrder& result) {
  std::size_t f = 0;
  while (flows[f].node != node || !flows[f].sum) ++f;
  for (const int port : orders[f].postfix) {
    if (port == SumOrder::kAdd) {
      result.postfix.push_back(port);
      continue;
    }
    const auto& members = tree[node].members;
    const auto member = std::ranges::find(members, port, &ReductionNode::Member::port);
    if (member != members.end()) {
      result.postfix.push_back(member->rank);
      continue;
    }
    const auto& children = tree[node].children;
    append_ranks(tree, flows, orders,
                 std::ranges::find(children, port, &ReductionNode::Child::port)->node, result);
  }
}

}  // namespace

SumOrder rank_order(const ReductionTree& tree, const std::vector<NodeFlow>& flows,
                    const std::vector<SumOrder>& orders) {
  // The highest flow towards the sum has all of it.
  int top = 0;
  for (const NodeFlow& flow : flows) {
    if (flow.sum) top = flow.node;
  }
  SumOrder result;
  append_ranks(tree, flows, orders, top, result);
  return result;
}

}  // namespace fredsim
