#include "collective/in_switch_plan.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include "collective/split.h"

namespace fredsim {
namespace {

constexpr int kPhase = 0;

// The members below one L1 chiplet of a slice.
struct Branch {
  std::uint32_t ports = 0;
  std::vector<int> rank_at;  // port -> rank
};

SumOrder relabel(const SumOrder& order, const auto& append_leaf) {
  SumOrder result;
  for (const int n : order.postfix) {
    if (n == SumOrder::kAdd)
      result.postfix.push_back(n);
    else
      append_leaf(n, result.postfix);
  }
  return result;
}

// Uplinks count in the order of the L2 chiplets and ports they lead to, which is the same order at
// every L1 chiplet of a slice.
int uplink_port(const Topology& topology, NodeId l1, int slice) {
  std::vector<std::tuple<NodeId, int, int>> uplinks;
  for (int p = 0; p < topology.nodes[l1].ports; ++p) {
    const int id = topology.link_out(l1, p);
    if (id < 0) continue;
    const Link& link = topology.links[id];
    if (topology.nodes[link.to].level == 2) uplinks.emplace_back(link.to, link.to_port, p);
  }
  assert(!uplinks.empty());
  std::ranges::sort(uplinks);
  return std::get<2>(uplinks[static_cast<std::size_t>(slice) % uplinks.size()]);
}

class SlicePlanner {
 public:
  SlicePlanner(const Topology& topology, Plan& plan, int slice)
      : topology_(topology), plan_(plan), slice_(slice) {
    for (std::size_t r = 0; r < plan.members.size(); ++r) {
      const Link& link = topology.links[topology.link_out(plan.members[r], slice)];
      const Node& chiplet = topology.nodes[link.to];
      assert(chiplet.kind == NodeKind::kFredSwitch && chiplet.level == 1);
      Branch& branch = branches_[link.to];
      branch.rank_at.resize(chiplet.ports, -1);
      branch.rank_at[link.to_port] = static_cast<int>(r);
      branch.ports |= 1U << link.to_port;
    }
  }

  // Programs the chiplets of the slice; the order in which they add the ranks.
  SumOrder program() {
    if (branches_.size() == 1) {
      const auto& [l1, branch] = *branches_.begin();
      return rank_order(branch, load(l1, {{branch.ports, branch.ports}}));
    }
    std::map<int, SumOrder> sum_at;  // input port of the L2 chiplet -> the sum that arrives there
    NodeId l2 = -1;
    Flow top;
    for (const auto& [l1, branch] : branches_) {
      const int port = uplink_port(topology_, l1, slice_);
      const Link& up = topology_.links[topology_.link_out(l1, port)];
      assert(l2 < 0 || l2 == up.to);
      l2 = up.to;
      const std::uint32_t uplink = 1U << port;
      const SumOrder order = load(l1, {{branch.ports, uplink}, {uplink, branch.ports}});
      sum_at[up.to_port] = rank_order(branch, order);
      top.inputs |= 1U << up.to_port;
    }
    top.outputs = top.inputs;
    return relabel(load(l2, {top}), [&](int port, std::vector<int>& out) {
      const std::vector<int>& sum = sum_at.at(port).postfix;
      out.insert(out.end(), sum.begin(), sum.end());
    });
  }

 private:
  static SumOrder rank_order(const Branch& branch, const SumOrder& order) {
    return relabel(order,
                   [&](int port, std::vector<int>& out) { out.push_back(branch.rank_at[port]); });
  }

  // Routes the flows of one chiplet; the order of the first one.
  SumOrder load(NodeId node, const std::vector<Flow>& flows) {
    const FredSwitchShape& shape = topology_.nodes[node].fred;
    const FredRoute route = route_flows(shape, flows);
    plan_.programs.push_back({node, kPhase, phase_row(shape, plan_.vc, flows, route)});
    return route.order.front();
  }

  const Topology& topology_;
  Plan& plan_;
  int slice_;
  std::map<NodeId, Branch> branches_;
};

}  // namespace

void plan_in_switch(const Topology& topology, Plan& plan) {
  const int slices = topology.fred.slices;
  for (int slice = 0; slice < slices; ++slice) {
    Tree tree;
    tree.transport = Transport::kInSwitch;
    tree.first_flit = share_begin(plan.flits, slices, slice);
    tree.flits = share_begin(plan.flits, slices, slice + 1) - tree.first_flit;
    if (tree.flits == 0) continue;
    TreeRank rank;
    rank.contributes = true;
    rank.receives = true;
    rank.switch_port = slice;
    rank.phase = kPhase;
    tree.ranks.assign(plan.members.size(), rank);
    tree.order = SlicePlanner(topology, plan, slice).program();
    plan.trees.push_back(std::move(tree));
  }
}

}  // namespace fredsim
