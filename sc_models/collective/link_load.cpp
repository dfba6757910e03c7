#include "collective/link_load.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <set>

#include "routing/mesh_routing.h"

namespace fredsim {
namespace {

class LinkWalk {
 public:
  LinkWalk(const Topology& topology, const Plan& plan)
      : topology_(topology), plan_(plan), flits_(topology.links.size()) {
    for (const PhaseProgram& program : plan.programs)
      programs_[{program.node, program.phase}] =
          phase_flows(topology.nodes[program.node].fred, program.row);
  }

  std::vector<std::uint64_t> run() {
    for (const Tree& tree : plan_.trees) {
      std::set<std::pair<NodeId, int>> fired;  // (chiplet, flow): its inputs join, it sends once
      for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
        const TreeRank& rank = tree.ranks[r];
        if (tree.transport == Transport::kInSwitch) {
          if (rank.contributes)
            follow_flows(tree, rank.phase, cross(plan_.members[r], rank.switch_port, tree.flits),
                         fired);
          continue;
        }
        for (const Send& send : rank.reduce_to) follow_xy(static_cast<int>(r), send, tree.flits);
        for (const Send& send : rank.broadcast_to) follow_xy(static_cast<int>(r), send, tree.flits);
      }
    }
    return std::move(flits_);
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

  void follow_xy(int from, const Send& send, std::uint64_t flits) {
    const MeshPosition to = mesh_position(topology_.nodes[plan_.members[send.rank]].address);
    const Link* link = &cross(plan_.members[from], send.port, flits);
    for (;;) {
      const MeshRouterShape& router = topology_.nodes[link->to].mesh;
      const int direction = mesh_direction(router.x, router.y, to.x, to.y, topology_.mesh.rings);
      if (direction < 0) {
        cross(link->to, kFirstLocal + link->to_port % router.local_ports, flits);
        return;
      }
      link = &cross(link->to, direction, flits);
    }
  }

  const Topology& topology_;
  const Plan& plan_;
  std::vector<std::uint64_t> flits_;
  std::map<std::pair<NodeId, int>, std::vector<Flow>> programs_;
};

}  // namespace

std::vector<std::uint64_t> link_flits(const Topology& topology, const Plan& plan) {
  return LinkWalk(topology, plan).run();
}

double busiest_link_ns(const Topology& topology, const Plan& plan) {
  const std::vector<std::uint64_t> flits = link_flits(topology, plan);
  double worst = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    const double seconds = static_cast<double>(flits[l]) * kFlitBytes /
                           static_cast<double>(topology.links[l].bytes_per_second);
    worst = std::max(worst, seconds * 1e9);
  }
  return worst;
}

}  // namespace fredsim
