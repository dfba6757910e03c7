// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "topology/assembly.h"
#include "topology/detail/exact_limits.h"
#include "topology/graph/graph_paths.h"
#include "topology/graph/one_way_paths.h"

namespace fredsim {
namespace {

// Maximum number of sets of parts that NPUs have links into; with more sets, NPUs forward packets.
constexpr std::size_t kMaxPartSets = 1024;

// Connected components of the nodes.
class JoinedNodes {
 public:
  explicit JoinedNodes(std::size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int set_of(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(int a, int b) {
    parent_[std::max(set_of(a), set_of(b))] = std::min(set_of(a), set_of(b));
  }

 private:
  std::vector<int> parent_;
};

bool is_npu_name(const std::string& name) {
  return name.starts_with("npu") && name.size() > 3 && name[3] >= '0' && name[3] <= '9';
}

void check_listed(const GraphSpec& spec) {
  std::map<std::string, const GraphNode*> named;
  std::size_t npus = 0, adders = 0;
  for (const GraphNode& node : spec.nodes) {
    const auto [first, is_new] = named.emplace(node.name, &node);
    if (!is_new) {
      throw BadInput(fmt::format("{}: found the name '{}' twice, first at {}; allowed: each once",
                                 node.label, node.name, first->second->label));
    }
    if (node.is_switch && is_npu_name(node.name)) {
      throw BadInput(fmt::format(
          "{}: found '{}' for a switch; allowed: any name but npu and a number, which NPUs have",
          node.label, node.name));
    }
    npus += node.is_npu() ? 1 : 0;
    adders += node.is_adder ? 1 : 0;
  }
  const std::size_t switches = spec.nodes.size() - npus - adders;
  if (npus < 2 || npus > kMaxGraphNpus) {
    throw BadInput(
        fmt::format("{}: found {} NPUs; allowed: 2 to {}", spec.label, npus, kMaxGraphNpus));
  }
  if (npus + adders > kMaxGraphNpus) {
    throw BadInput(fmt::format("{}: found {} NPUs and {} adders; allowed: up to {} together",
                               spec.label, npus, adders, kMaxGraphNpus));
  }
  if (switches > kMaxGraphSwitches) {
    throw BadInput(fmt::format("{}: found {} switches; allowed: up to {}", spec.label, switches,
                               kMaxGraphSwitches));
  }
}

bool has_one_way(const GraphSpec& spec) {
  return std::ranges::any_of(spec.links, &GraphLink::one_way);
}

void check_one_way(const GraphSpec& spec) {
  std::vector<int> leaving(spec.nodes.size()), entering(spec.nodes.size());
  for (const GraphLink& link : spec.links) {
    if (!link.one_way) continue;
    for (const int node : {link.from, link.to}) {
      if (!spec.nodes[node].is_switch) continue;
      throw BadInput(fmt::format("{}: found a link one way at {}, a switch; allowed: between NPUs",
                                 link.label, spec.nodes[node].name));
    }
    leaving[link.from] += link.count;
    entering[link.to] += link.count;
  }
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    if (leaving[i] == entering[i]) continue;
    throw BadInput(fmt::format("{}: found {} links one way from {} and {} to it; allowed: as many",
                               spec.nodes[i].label, leaving[i], spec.nodes[i].name, entering[i]));
  }
}

// An adder is part of a switch: one link, to it.
void check_adders(const GraphSpec& spec) {
  std::vector<int> links(spec.nodes.size());
  for (const GraphLink& link : spec.links) {
    for (const auto& [node, other] :
         {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
      if (!spec.nodes[node].is_adder) continue;
      ++links[node];
      if (spec.nodes[other].is_switch && !link.one_way) continue;
      throw BadInput(fmt::format(
          "{}: found a link of the adder {} to {}{}; allowed: to a switch, both ways", link.label,
          spec.nodes[node].name, spec.nodes[other].name, link.one_way ? ", one way" : ""));
    }
  }
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    if (!spec.nodes[i].is_adder || links[i] == 1) continue;
    throw BadInput(fmt::format("{}: found {} links of the adder {}; allowed: one, to its switch",
                               spec.nodes[i].label, links[i], spec.nodes[i].name));
  }
}

// Orders two-way links by the nodes that they join, so that the result does not depend on the order
// of links or of their ends in the list. One-way links follow in the listed order.
GraphSpec in_order(GraphSpec spec) {
  for (GraphLink& link : spec.links)
    if (!link.one_way && link.from > link.to) std::swap(link.from, link.to);
  std::ranges::stable_sort(spec.links, {}, [](const GraphLink& link) {
    return link.one_way ? std::tuple(true, 0, 0, std::uint64_t{0}, std::uint64_t{0})
                        : std::tuple(false, link.from, link.to, link.bandwidth, link.latency_ps);
  });
  return spec;
}

// Link of the topology: parallel links of an NPU are one.
struct Cable {
  const GraphLink* link = nullptr;
  std::uint64_t bandwidth = 0;
  int copies = 1;
  int nic_port = 0;  // NIC port of an NPU without a switch on its die
};

class GraphBuilder {
 public:
  GraphBuilder(const MachineSpec& machine, const GraphSpec& spec)
      : spec_(in_order(spec)),
        machine_(machine),
        assembly_(machine, graph_kind()),
        part_(spec.nodes.size()) {}

  Topology build() {
    for (const GraphLink& link : spec_.links) {
      const bool of_npu = !spec_.nodes[link.from].is_switch || !spec_.nodes[link.to].is_switch;
      const auto count = static_cast<std::uint64_t>(link.count);
      cables_.push_back(
          {&link, of_npu ? link.bandwidth * count : link.bandwidth, of_npu ? 1 : link.count, 0});
    }
    const bool has_ports = find_parts();
    add_nodes(has_ports);
    for (const Cable& cable : cables_)
      if (!cable.link->one_way) connect(cable);
    next_in_ = next_port_;
    for (const Cable& cable : cables_)
      if (cable.link->one_way) connect(cable);
    Topology& topology = assembly_.topology();
    topology.dimensions = {{static_cast<int>(topology.npus.size())}};
    topology.slices = 1;
    topology.simulate_all_slices = true;
    note_names();
    topology.flow_only = flow_only_reason(topology);
    if (has_one_way(spec_)) {
      topology.one_way = true;
      topology.flow_only =
          "found links one way, round which packets would wait for each other; allowed: links "
          "both ways";
      topology.paths = std::make_shared<OneWayPaths>(topology);
    } else {
      auto paths = std::make_shared<const GraphPaths>(topology);
      topology.slices = paths->shares();
      topology.paths = std::move(paths);
    }
    return assembly_.finish();
  }

 private:
  // Numbers the parts of the switches that are joined only by NPUs. False: some NPUs are joined
  // through other NPUs, which forward packets; all switches form one part.
  bool find_parts() {
    JoinedNodes joined(spec_.nodes.size());
    bool has_links_of_npus = false;
    for (const GraphLink& link : spec_.links) {
      const bool from = spec_.nodes[link.from].is_switch, to = spec_.nodes[link.to].is_switch;
      if (from && to) joined.join(link.from, link.to);
      has_links_of_npus = has_links_of_npus || (!from && !to);
    }
    std::map<int, int> numbers;  // number of a part, by its first switch
    for (int i = 0; i < std::ssize(spec_.nodes); ++i) {
      if (!spec_.nodes[i].is_switch) continue;
      part_[i] =
          numbers.try_emplace(joined.set_of(i), static_cast<int>(numbers.size())).first->second;
    }
    parts_ = static_cast<int>(numbers.size());
    if (!has_links_of_npus && parts_join_all_npus()) return true;
    parts_ = 1;
    std::ranges::fill(part_, 0);
    return false;
  }

  // True if every two NPUs have links into one common part.
  bool parts_join_all_npus() const {
    std::map<int, std::set<int>> parts_of;  // by NPU
    for (int i = 0; i < std::ssize(spec_.nodes); ++i)
      if (!spec_.nodes[i].is_switch) parts_of.try_emplace(i);
    for (const GraphLink& link : spec_.links) {
      const bool from = spec_.nodes[link.from].is_switch, to = spec_.nodes[link.to].is_switch;
      if (from != to)
        parts_of[from ? link.to : link.from].insert(part_[from ? link.from : link.to]);
    }
    // NPUs with links into the same parts are equal.
    std::set<std::set<int>> kinds;
    for (const auto& [npu, parts] : parts_of) kinds.insert(parts);
    if (kinds.size() > kMaxPartSets) return false;
    const auto have_one_in_common = [](const std::set<int>& a, const std::set<int>& b) {
      return std::ranges::any_of(a, [&](int part) { return b.contains(part); });
    };
    return std::ranges::all_of(kinds, [&](const std::set<int>& a) {
      return std::ranges::all_of(kinds,
                                 [&](const std::set<int>& b) { return have_one_in_common(a, b); });
    });
  }

  // Numbers NIC ports of NPUs by part, then in the order of the links.
  void number_nic_ports() {
    std::map<int, std::vector<std::pair<int, int>>> links;  // by NPU: part and cable
    for (int c = 0; c < std::ssize(cables_); ++c) {
      const GraphLink& link = *cables_[c].link;
      const bool from = spec_.nodes[link.from].is_switch;
      links[from ? link.to : link.from].emplace_back(part_[from ? link.from : link.to], c);
    }
    for (auto& [npu, of_npu] : links) {
      if (spec_.nodes[npu].is_switch) continue;
      std::ranges::stable_sort(of_npu, {}, &std::pair<int, int>::first);
      for (std::size_t port = 0; port < of_npu.size(); ++port)
        cables_[of_npu[port].second].nic_port = static_cast<int>(port);
    }
  }

  std::vector<int> links_by_node() const {
    std::vector<int> links(spec_.nodes.size()), leaving = links, entering = links;
    for (const Cable& cable : cables_) {
      if (cable.link->one_way) {
        ++leaving[cable.link->from];
        ++entering[cable.link->to];
        continue;
      }
      links[cable.link->from] += cable.copies;
      links[cable.link->to] += cable.copies;
    }
    // One-way links out and in are equally many, but parallel ones count once.
    for (std::size_t i = 0; i < links.size(); ++i) links[i] += std::max(leaving[i], entering[i]);
    return links;
  }

  std::vector<bool> nodes_with_routers(bool has_ports) const {
    std::vector<bool> with(spec_.nodes.size());
    if (has_ports) return with;
    const std::vector<int> links = links_by_node();
    for (const GraphLink& link : spec_.links) {
      const bool between = !spec_.nodes[link.from].is_switch && !spec_.nodes[link.to].is_switch;
      for (const int node : {link.from, link.to})
        if (!spec_.nodes[node].is_switch && (between || links[node] > 1)) with[node] = true;
    }
    return with;
  }

  void add_nodes(bool has_ports) {
    const std::vector<int> links = links_by_node();
    const std::vector<bool> with_router = nodes_with_routers(has_ports);
    if (has_ports) number_nic_ports();
    node_of_.assign(spec_.nodes.size(), -1);
    next_port_.assign(spec_.nodes.size(), 0);
    std::uint16_t address = 0;
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
      if (spec_.nodes[i].is_npu())
        node_of_[i] = assembly_.add_npu(with_router[i] ? 1 : links[i], address++);
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
      if (spec_.nodes[i].is_adder)
        node_of_[i] = assembly_.add_adder(with_router[i] ? 1 : links[i], address++);
    std::vector<int> of_part(static_cast<std::size_t>(parts_));
    const auto add = [&](std::string name, int ports, int part) {
      Node node{};
      node.kind = NodeKind::kSwitch;
      node.name = std::move(name);
      node.ports = ports;
      node.switch_kind = switch_kind_of(machine_, graph_kind());
      node.values = {{"P", ports}};
      node.level = 1;
      node.slice = part;
      node.switch_index = of_part[part]++;
      return assembly_.add_switch(std::move(node));
    };
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
      if (spec_.nodes[i].is_switch) node_of_[i] = add(spec_.nodes[i].name, links[i], part_[i]);
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      if (!with_router[i]) continue;
      const NodeId npu = node_of_[i];
      const NodeId router = add(assembly_.topology().nodes[npu].name + ".router", 1 + links[i], 0);
      assembly_.connect({npu, 0}, {router, 0},
                        {.key = "clock",
                         .bytes_per_second = bandwidth_of(static_cast<int>(i)),
                         .latency = 1,
                         .on_die = true});
      node_of_[i] = router;
      next_port_[i] = 1;
    }
  }

  // Bandwidth of a node, out or in, whichever is higher.
  std::uint64_t bandwidth_of(int node) const {
    std::uint64_t out = 0, in = 0;
    for (const Cable& cable : cables_) {
      const bool both = !cable.link->one_way;
      if (cable.link->from == node || (both && cable.link->to == node)) out += cable.bandwidth;
      if (cable.link->to == node || (both && cable.link->from == node)) in += cable.bandwidth;
    }
    return std::max(out, in);
  }

  int latency(std::uint64_t time_ps) {
    const auto known = latencies_.find(time_ps);
    if (known != latencies_.end()) return known->second;
    const int cycles = assembly_.latency(spec_.label, "link latency", time_ps);
    latencies_.emplace(time_ps, cycles);
    return cycles;
  }

  // Numbers ports of switches in the order of the links.
  PortRef end(int node, int nic_port) {
    const NodeId id = node_of_[node];
    return {id, assembly_.topology().nodes[id].is_switch() ? next_port_[node]++ : nic_port};
  }

  void connect(const Cable& cable) {
    const GraphLink& link = *cable.link;
    const LinkClass shape{.key = link.label,
                          .bytes_per_second = cable.bandwidth,
                          .latency = latency(link.latency_ps),
                          .efficiency = link.efficiency};
    if (link.one_way) {
      const PortRef from{node_of_[link.from], next_port_[link.from]++};
      assembly_.connect_one_way(from, {node_of_[link.to], next_in_[link.to]++}, shape);
      return;
    }
    for (int copy = 0; copy < cable.copies; ++copy) {
      const PortRef from = end(link.from, cable.nic_port);
      const PortRef to = end(link.to, cable.nic_port);
      assembly_.connect(from, to, shape);
    }
  }

  // Notes the listed names of the NPUs, if they differ.
  void note_names() {
    const auto first = std::ranges::find_if(spec_.nodes, &GraphNode::is_npu);
    const auto last = std::find_if(spec_.nodes.rbegin(), spec_.nodes.rend(),
                                   [](const GraphNode& node) { return node.is_npu(); });
    if (first->name == "npu0") return;
    assembly_.topology().notes.push_back(
        fmt::format("NPUs are numbered as they are listed: npu0 is {}, npu{} is {}", first->name,
                    assembly_.topology().npus.size() - 1, last->name));
  }

  const GraphSpec spec_;
  const MachineSpec& machine_;
  Assembly assembly_;
  std::vector<Cable> cables_;
  std::vector<int> part_;  // by node listed, of switches
  int parts_ = 1;
  std::vector<NodeId> node_of_;  // node in the topology, by listed node
  std::vector<int> next_port_;
  std::vector<int> next_in_;  // next free port of one-way links
  std::map<std::uint64_t, int> latencies_;
};

}  // namespace

void check_graph(const GraphSpec& spec) {
  check_listed(spec);
  check_one_way(spec);
  check_adders(spec);
  JoinedNodes parts(spec.nodes.size());
  for (const GraphLink& link : spec.links) {
    if (link.from == link.to) {
      throw BadInput(fmt::format("{}: found a link from {} to itself; allowed: between two nodes",
                                 link.label, spec.nodes[link.from].name));
    }
    parts.join(link.from, link.to);
  }
  for (int i = 1; i < std::ssize(spec.nodes); ++i) {
    if (parts.set_of(i) == parts.set_of(0)) continue;
    throw BadInput(
        fmt::format("{}: found {} and {}, which no path of links joins; allowed: a graph in which "
                    "all nodes are joined",
                    spec.nodes[i].label, spec.nodes.front().name, spec.nodes[i].name));
  }
}

Topology build_graph(const MachineSpec& machine, const GraphSpec& spec) {
  return GraphBuilder(machine, spec).build();
}

}  // namespace fredsim
