// SPDX-License-Identifier: Apache-2.0
#include "fabric/node_costs.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "base/flit.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Cost of a cycle in ns: `base`, and an amount per port.
struct CostLine {
  double base = 0, per_port = 0;
  double at(int ports) const { return base + per_port * ports; }
};

// Cost at one lane, and its growth factor at 256 lanes.
struct ImplementationCost {
  CostLine ns;
  double full_flits = 1;
  double at(int ports, int lanes) const {
    return ns.at(ports) * (1 + (full_flits - 1) * (lanes - 1) / (kFlitLanes - 1));
  }
};

struct KindCost {
  std::string_view kind;
  ImplementationCost rtl;   // line over the ports of the switch
  ImplementationCost twin;  // line over the ports that have links
};

// Measured with tb_fabric_speed on a hyperthread of an AMD EPYC whose other hyperthread was in use:
// switches alone, in all-reduces of 512 KiB; ns per cycle of one switch, at one lane and at 256:
//
//   kind                ports   RTL, 1     256   twin, 1     256   machine
//   fred                    4      930  106000       147    1570   fred_small
//   fred               10..12  2380..2740    -  204..230       -   fred_d, per step; 2 MiB
//   reducing_crossbar       4      925  206600       146    1760   fred_small with --set
//   switch.kind=...
//   aggregator              4     1110   61200       170    1550
//   voq_crossbar            4     2970    7750       274     459
//   mesh                   10     2273   16600       176     405   mesh
//   mesh_reducing          10     2345       -       232       -   mesh_reducing
//
// Lines of fred are fits to its sizes; lines of kinds with one size have fred's proportion of base
// and ports (mesh and mesh_reducing: by ports alone). Growth from 1 to 256 lanes is that of the
// measured size for all ports. mesh_reducing at 256 lanes is assumed equal to an aggregator, which
// adds in a shared pool, too.
constexpr std::array<KindCost, 6> kCosts{{
    {"fred", {{35, 226}, 114}, {{107, 10.2}, 10.7}},
    {"reducing_crossbar", {{35, 222}, 223}, {{106, 10}, 12.1}},
    {"aggregator", {{42, 267}, 55}, {{124, 11.5}, 9.1}},
    {"voq_crossbar", {{110, 715}, 2.6}, {{198, 19}, 1.7}},
    {"mesh", {{0, 227}, 7.3}, {{0, 22}, 2.3}},
    {"mesh_reducing", {{0, 235}, 55}, {{0, 29}, 9.1}},
}};

// Costs of NPUs with their NICs, and of links, from the same runs with twins: 600 ns for 4 NPUs
// with a port each and 16 links, 3900 for 20 NPUs with 4 ports, 258 links and 18 idle I/O
// controllers; at 256 lanes, whose payload is made and checked, 7000 and 59000.
constexpr double kNpuNs = 100, kNicPortNs = 5, kLinkNs = 5;
constexpr double kNpuFullFlits = 16;

template <class Of>
double mean_of(Of of) {
  double sum = 0;
  for (const KindCost& cost : kCosts) sum += of(cost);
  return sum / static_cast<double>(kCosts.size());
}

double switch_ns(const Topology& topology, const Node& node, SwitchModel model, int joined,
                 int lanes) {
  const SwitchShape shape = switch_shape(topology, node, lanes);
  const auto twin = [&](const KindCost& cost) { return cost.twin.at(joined, lanes); };
  const auto rtl = [&](const KindCost& cost) { return cost.rtl.at(shape.ports(), lanes); };
  const auto* const cost = std::ranges::find(kCosts, node.switch_kind, &KindCost::kind);
  const bool is_known = cost != kCosts.end();
  const double twin_ns = is_known ? twin(*cost) : mean_of(twin);
  const double rtl_ns = is_known ? rtl(*cost) : mean_of(rtl);
  if (model == SwitchModel::kLockstep) return twin_ns + rtl_ns;
  return has_rtl(model, shape) ? rtl_ns : twin_ns;
}

}  // namespace

NodeCosts node_costs(const Topology& topology, const ModelOfSwitch& model_of, int lanes) {
  assert(lanes >= 1 && lanes <= kFlitLanes);
  NodeCosts costs{.ns = std::vector<double>(topology.nodes.size()), .lanes = lanes};
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    int joined = 0;
    for (int port = 0; port < node.ports; ++port) joined += topology.link_out(id, port) >= 0;
    if (joined == 0) continue;
    double ns = kNicPortNs * joined;  // an I/O controller, which takes no part in an all-reduce
    if (node.kind == NodeKind::kNpu) {
      ns += kNpuNs;
      ns *= 1 + (kNpuFullFlits - 1) * (lanes - 1) / (kFlitLanes - 1);
    }
    if (node.is_switch()) ns = switch_ns(topology, node, model_of(node), joined, lanes);
    costs.ns[id] = ns + kLinkNs * joined;
  }
  return costs;
}

NodeCosts node_costs(const Topology& topology, SwitchModel model, int lanes) {
  return node_costs(
      topology, [model](const Node&) { return model; }, lanes);
}

}  // namespace fredsim
