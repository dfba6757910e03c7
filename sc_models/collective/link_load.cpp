#include "collective/link_load.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <map>
#include <set>

#include "routing/mesh_routing.h"
#include "routing/online_routes.h"

namespace fredsim {
namespace {

class LinkWalk {
 public:
  LinkWalk(const Topology& topology, const Plan& plan)
      : topology_(topology), plan_(plan), flits_(topology.links.size()) {
    for (const PhaseProgram& program : plan.programs)
      programs_[{program.node, program.phase}] =
          phase_flows(topology.nodes[program.node].fred, program.row);
    if (needs_online_routes(topology, plan))
      routes_ = online_routes(topology, std::numeric_limits<std::uint16_t>::max());
  }

  // Adds one tree to flits().
  void walk(const Tree& tree) {
    const std::vector<NodeId>& members = plan_.parts[tree.part].members;
    std::set<std::pair<NodeId, int>> fired;  // (chiplet, flow): its inputs join, it sends once
    for (const TreeRank& rank : tree.ranks) {
      const NodeId from = members[rank.rank];
      if (tree.transport == Transport::kInSwitch) {
        if (rank.contributes)
          follow_flows(tree, rank.phase, cross(from, rank.switch_port, tree.flits), fired);
        continue;
      }
      for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to}) {
        for (const Send& send : *sends) follow(from, members[send.rank], send.port, tree.flits);
      }
    }
  }
  std::vector<std::uint64_t>& flits() { return flits_; }

  double busiest_ns() const {
    double worst = 0;
    for (std::size_t l = 0; l < flits_.size(); ++l) {
      const double seconds = static_cast<double>(flits_[l]) * kFlitBytes /
                             static_cast<double>(topology_.links[l].bytes_per_second);
      worst = std::max(worst, seconds * 1e9);
    }
    return worst;
  }

 private:
  const Link& cross(NodeId node, int port, std::uint64_t flits) {
    const int link = topology_.link_out(node, port);
    assert(link >= 0);
    flits_[link] += flits;
    return topology_.links[link];
  }

  void follow_flows(const Tree& tree, int phase, const Link& arrival,
                    std::set<std::pair<NodeId, int>>& fired) {
    const NodeId node = arrival.to;
    if (topology_.nodes[node].kind != NodeKind::kFredSwitch) return;
    const std::vector<Flow>& flows = programs_.at({node, phase});
    const auto flow = std::ranges::find_if(
        flows, [&](const Flow& f) { return (f.inputs >> arrival.to_port & 1U) != 0; });
    assert(flow != flows.end());
    if (!fired.emplace(node, static_cast<int>(flow - flows.begin())).second) return;
    for (std::uint32_t ports = flow->outputs; ports != 0; ports &= ports - 1)
      follow_flows(tree, phase, cross(node, std::countr_zero(ports), tree.flits), fired);
  }

  void follow(NodeId from, NodeId to, int port, std::uint64_t flits) {
    const std::uint16_t address = topology_.nodes[to].address;
    const Link* link = &cross(from, port, flits);
    while (link->to != to) link = &cross(link->to, next_port(*link, address), flits);
  }

  int next_port(const Link& arrival, std::uint16_t destination) const {
    if (topology_.nodes[arrival.to].kind == NodeKind::kFredSwitch)
      return routes_[arrival.to][destination] - 1;
    const MeshRouterShape& router = topology_.nodes[arrival.to].mesh;
    const MeshPosition to = mesh_position(destination);
    const int direction = mesh_direction(router.x, router.y, to.x, to.y, topology_.mesh.rings);
    return direction < 0 ? kFirstLocal + arrival.to_port % router.local_ports : direction;
  }

  const Topology& topology_;
  const Plan& plan_;
  std::vector<std::uint64_t> flits_;
  std::map<std::pair<NodeId, int>, std::vector<Flow>> programs_;
  std::vector<OnlineRoutes> routes_;
};

}  // namespace

bool needs_online_routes(const Topology& topology, const Plan& plan) {
  return topology.kind == FabricKind::kFredTree &&
         std::ranges::any_of(plan.trees, [](const Tree& tree) {
           return tree.transport == Transport::kEndpoint && tree.ranks.size() > 1;
         });
}

std::vector<std::uint64_t> link_flits(const Topology& topology, const Plan& plan) {
  LinkWalk walk(topology, plan);
  for (const Tree& tree : plan.trees) walk.walk(tree);
  return std::move(walk.flits());
}

void set_bounds(const Topology& topology, Plan& plan) {
  LinkWalk walk(topology, plan);
  std::vector<std::uint64_t> all(topology.links.size());
  std::size_t next = 0;
  for (int part = 0; part < std::ssize(plan.parts); ++part) {
    std::ranges::fill(walk.flits(), 0U);
    for (; next < plan.trees.size() && plan.trees[next].part == part; ++next)
      walk.walk(plan.trees[next]);
    plan.parts[part].bound_ns = walk.busiest_ns();
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += walk.flits()[l];
  }
  assert(next == plan.trees.size());

  // All flits of a link leave after the first start; a part ends its own time after its start.
  const double cycle_ns = 1e9 / static_cast<double>(topology.clock_hz);
  std::vector<double> end(plan.parts.size());
  double first = std::numeric_limits<double>::infinity();
  const auto end_of = [&](const auto& self, int part) -> double {
    if (end[part] > 0) return end[part];
    const Part& p = plan.parts[part];
    double start = static_cast<double>(p.start_cycle) * cycle_ns;
    for (const int before : p.after) start = std::max(start, self(self, before));
    return end[part] = start + p.bound_ns;
  };
  plan.bound_ns = 0;
  for (int part = 0; part < std::ssize(plan.parts); ++part) {
    first = std::min(first, static_cast<double>(plan.parts[part].start_cycle) * cycle_ns);
    plan.bound_ns = std::max(plan.bound_ns, end_of(end_of, part));
  }
  walk.flits() = std::move(all);
  if (const double busiest = walk.busiest_ns(); busiest > 0)
    plan.bound_ns = std::max(plan.bound_ns, first + busiest);
}

}  // namespace fredsim
