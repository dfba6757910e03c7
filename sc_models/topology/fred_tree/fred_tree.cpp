// SPDX-License-Identifier: Apache-2.0
#include "topology/fred_tree/fred_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "topology/assembly.h"

namespace fredsim {
namespace {

constexpr int kMaxCount = 4096;  // limit of any count; the number of ports is a lower one
constexpr int kAddresses = 1 << std::numeric_limits<decltype(Node::address)>::digits;

// The configuration keys of a tree's levels, as its file writes them.
class Keys {
 public:
  explicit Keys(const FredTreeSpec& spec) : spec_(spec) {}

  std::string below(int level) const {
    return name(level, level == 1 ? "npus_per_l1" : "l1_switches", "below");
  }
  std::string uplinks(int level) const { return name(level, "uplinks", "uplinks"); }
  std::string latency(int level) const { return name(level, "uplink_latency", "latency"); }
  std::string chiplets(int level) const {
    return name(level, "l2_chiplets_per_slice", "chiplets_per_slice");
  }
  std::string uplink_bandwidth(int level) const {
    return name(level, "uplink_bandwidth", "uplink_bandwidth");
  }
  // "fabric.l1_switches x fabric.npus_per_l1 = 5 x 4": top first.
  std::string npus() const {
    std::vector<std::string> names;
    std::vector<int> counts;
    for (int k = spec_.tree.depth(); k >= 1; --k) {
      names.push_back(below(k));
      counts.push_back(spec_.tree.levels[k - 1].below);
    }
    return fmt::format("{} = {}", fmt::join(names, " x "), fmt::join(counts, " x "));
  }

 private:
  std::string name(int level, std::string_view two_level, std::string_view general) const {
    return spec_.two_level_keys ? fmt::format("fabric.{}", two_level)
                                : fmt::format("fabric.levels.{}.{}", level, general);
  }

  const FredTreeSpec& spec_;
};

void check_levels(const SwitchTree& tree, const Keys& keys) {
  check_range("fabric.levels: the number of levels", tree.depth(), 1, kMaxTreeLevels);
  for (int k = 1; k <= tree.depth(); ++k) {
    const TreeLevel& level = tree.levels[k - 1];
    check_range(keys.below(k), level.below, k == 1 ? 1 : 2, kMaxPorts);
    check_range(keys.chiplets(k), level.chiplets_per_slice, 1, k == 1 ? 1 : kMaxPorts);
    check_range(keys.uplinks(k), level.uplinks, k == tree.depth() ? 0 : 1,
                k == tree.depth() ? 0 : kMaxPorts);
  }
  for (int k = 1; k < tree.depth(); ++k) {
    const TreeLevel& lower = tree.levels[k - 1];
    const int above = tree.levels[k].chiplets_per_slice;
    if (lower.chiplets_per_slice * lower.uplinks % above == 0) continue;
    const std::string times =
        k == 1 ? "" : fmt::format(" x {} = {}", keys.chiplets(k), lower.chiplets_per_slice);
    throw BadInput(fmt::format("{}: found {}{}, which does not divide evenly over {} = {}",
                               keys.uplinks(k), lower.uplinks, times, keys.chiplets(k + 1), above));
  }
}

void check_ports(const MachineSpec& machine, const SwitchTree& tree, const Keys& keys) {
  const TreeLevel& l1 = tree.levels.front();
  const int max_io = dealt_to(machine.io_controllers, tree.switches(1), 0);
  const int l1_ports = l1.below + l1.uplinks + max_io;
  if (l1_ports < 2 || l1_ports > kMaxPorts) {
    throw BadInput(fmt::format(
        "an L1 chiplet would have {} ports ({} NPUs + {} uplinks + {} I/O controllers); {} + {} + "
        "io.count / {} L1 switches may be 2 to {}",
        l1_ports, l1.below, l1.uplinks, max_io, keys.below(1), keys.uplinks(1), tree.switches(1),
        kMaxPorts));
  }
  for (int k = 2; k <= tree.depth(); ++k) {
    const TreeLevel& lower = tree.levels[k - 2];
    const TreeLevel& level = tree.levels[k - 1];
    const int ports = level.below * tree.uplinks_per_chiplet_above(k - 1) + level.uplinks;
    if (ports <= kMaxPorts) continue;
    const bool lower_has_several = lower.chiplets_per_slice > 1;
    std::string names = fmt::format("{} x {}", keys.below(k), keys.uplinks(k - 1));
    std::string counts = fmt::format("{} x {}", level.below, lower.uplinks);
    if (lower_has_several) {
      names += fmt::format(" x {}", keys.chiplets(k - 1));
      counts += fmt::format(" x {}", lower.chiplets_per_slice);
    }
    names += fmt::format(" / {}", keys.chiplets(k));
    counts += fmt::format(" / {}", level.chiplets_per_slice);
    if (k < tree.depth()) {
      names += fmt::format(" + {}", keys.uplinks(k));
      counts += fmt::format(" + {}", level.uplinks);
    }
    throw BadInput(fmt::format("an L{} chiplet would have {} ports ({} = {}); allowed: 2 to {}", k,
                               ports, names, counts, kMaxPorts));
  }
}

// Maximum number of links of a chiplet of a level.
int most_links(const MachineSpec& machine, const SwitchTree& tree, int k) {
  const TreeLevel& level = tree.levels[k - 1];
  if (k > 1) return level.below * tree.uplinks_per_chiplet_above(k - 1) + level.uplinks;
  return level.below + level.uplinks + dealt_to(machine.io_controllers, tree.switches(1), 0);
}

void check_chiplet_ports(const MachineSpec& machine, const FredTreeSpec& spec) {
  if (spec.chiplet_ports == 0) return;
  int most = 2;
  for (int k = 1; k <= spec.tree.depth(); ++k)
    most = std::max(most, most_links(machine, spec.tree, k));
  check_range("fabric.chiplet_ports", spec.chiplet_ports, most, kMaxPorts);
}

void check(const MachineSpec& machine, const FredTreeSpec& spec) {
  const SwitchTree& tree = spec.tree;
  const Keys keys(spec);
  check_range("fabric.middle", spec.middle, 2, 4);
  check_range("fabric.slices", spec.slices, 1, kMaxPorts);
  check_range("io.count", machine.io_controllers, 0, kMaxCount);
  check_levels(tree, keys);
  const auto npus = std::accumulate(
      tree.levels.begin(), tree.levels.end(), std::int64_t{1},
      [](std::int64_t count, const TreeLevel& level) { return count * level.below; });
  if (machine.npus != npus) {
    throw BadInput(
        fmt::format("npu.count: found {}, but {} = {}", machine.npus, keys.npus(), npus));
  }
  if (machine.npus + machine.io_controllers > kAddresses) {
    throw BadInput(fmt::format("npu.count + io.count: found {} + {}; allowed: up to {}",
                               machine.npus, machine.io_controllers, kAddresses));
  }
  check_ports(machine, tree, keys);
  check_chiplet_ports(machine, spec);
}

Node chiplet(std::string kind, std::string name, int ports, int middle) {
  Node node{};
  node.kind = NodeKind::kSwitch;
  node.name = std::move(name);
  node.ports = ports;
  node.switch_kind = std::move(kind);
  node.values = {{"P", ports}, {"M", middle}};
  return node;
}

class TreeBuilder {
 public:
  TreeBuilder(const MachineSpec& machine, const FredTreeSpec& spec)
      : machine_(machine),
        spec_(spec),
        tree_(spec.tree),
        keys_(spec),
        kind_(switch_kind_of(machine, fred_tree_kind())),
        assembly_(machine, fred_tree_kind()) {
    Topology& topology = assembly_.topology();
    topology.tree = tree_;
    topology.slices = spec_.slices;
    topology.in_switch = spec_.in_switch;
    topology.simulate_all_slices = spec_.simulate_all_slices;
    for (const TreeLevel& level : tree_.levels) topology.dimensions.push_back({level.below});
    read_latencies();
  }

  Topology build() {
    // Classes first: an indivisible bandwidth is reported before anything is built.
    const LinkClass npu = endpoint_link("npu.bandwidth", machine_.npu_bandwidth);
    const LinkClass io = endpoint_link("io.bandwidth", machine_.io_bandwidth);
    std::vector<LinkClass> uplinks;
    for (int k = 1; k < tree_.depth(); ++k) {
      const std::string key = keys_.uplink_bandwidth(k);
      uplinks.push_back({key, uplink_bytes_per_second(k, key), latency_[k]});
    }
    for (int i = 0; i < machine_.npus; ++i) {
      assembly_.add_npu(spec_.slices, static_cast<std::uint16_t>(i));
    }
    for (int k = 1; k <= tree_.depth(); ++k) add_level(k);
    for (int i = 0; i < tree_.switches(1); ++i) {
      for (int s = 0; s < spec_.slices; ++s) {
        connect_npus(i, s, npu);
        if (tree_.depth() > 1) connect_uplinks(1, i, s, uplinks[0]);
      }
      connect_io(i, io);
    }
    for (int k = 2; k < tree_.depth(); ++k) {
      for (int i = 0; i < tree_.switches(k); ++i) {
        for (int s = 0; s < spec_.slices; ++s) connect_uplinks(k, i, s, uplinks[k - 1]);
      }
    }
    return assembly_.finish();
  }

 private:
  LinkClass endpoint_link(std::string_view key, std::uint64_t bandwidth) const {
    return {std::string(key), divide_bandwidth(bandwidth, spec_.slices, key, "slices"),
            latency_.front()};
  }

  // Latency of the links below each level.
  void read_latencies() {
    const auto is_own = [](std::uint64_t ps) { return ps != 0; };
    int common = 0;
    if (!std::ranges::all_of(spec_.latency_ps, is_own) ||
        spec_.latency_ps.size() < tree_.levels.size()) {
      common = assembly_.latency("fabric.link_latency", "link latency", machine_.link_latency_ps);
    }
    latency_.assign(tree_.levels.size(), common);
    for (std::size_t k = 0; k < spec_.latency_ps.size(); ++k) {
      if (spec_.latency_ps[k] == 0) continue;
      latency_[k] = assembly_.latency(keys_.latency(static_cast<int>(k) + 1),
                                      fmt::format("latency of links below level {}", k + 1),
                                      spec_.latency_ps[k]);
    }
  }

  std::uint64_t uplink_bytes_per_second(int k, std::string_view key) const {
    const TreeLevel& level = tree_.levels[k - 1];
    return divide_bandwidth(level.uplink_bandwidth,
                            spec_.slices * level.chiplets_per_slice * level.uplinks, key,
                            k == 1 ? "slices x uplinks" : "slices x chiplets x uplinks");
  }

  int io_of(int l1) const { return dealt_to(machine_.io_controllers, tree_.switches(1), l1); }

  // Chiplet c of slice s of switch i on level k.
  NodeId chiplet_at(int k, int i, int s, int c) const {
    return first_of_level_[k - 1] +
           (i * spec_.slices + s) * tree_.levels[k - 1].chiplets_per_slice + c;
  }

  void add_level(int k) {
    const TreeLevel& level = tree_.levels[k - 1];
    first_of_level_.push_back(static_cast<NodeId>(assembly_.topology().nodes.size()));
    for (int i = 0; i < tree_.switches(k); ++i) {
      for (int s = 0; s < spec_.slices; ++s) {
        for (int c = 0; c < level.chiplets_per_slice; ++c) {
          const int links =
              k == 1 ? level.below + level.uplinks + io_of(i)
                     : level.below * tree_.uplinks_per_chiplet_above(k - 1) + level.uplinks;
          const int ports = std::max(links, spec_.chiplet_ports);
          Node node = chiplet(level.switch_kind.empty() ? kind_ : level.switch_kind,
                              name(k, i, s, c), ports, spec_.middle);
          node.level = k;
          node.slice = s;
          node.switch_index = i;
          node.chiplet = c;
          assembly_.add_switch(std::move(node));
        }
      }
    }
  }

  std::string name(int k, int i, int s, int c) const {
    if (k == 1) return fmt::format("l1_{}.s{}", i, s);
    return k == tree_.depth() ? fmt::format("l{}.s{}.c{}", k, s, c)
                              : fmt::format("l{}_{}.s{}.c{}", k, i, s, c);
  }

  void connect_npus(int l1, int s, const LinkClass& link) {
    const int below = tree_.npus_per_l1();
    for (int i = 0; i < below; ++i) {
      assembly_.connect({assembly_.topology().npus[l1 * below + i], s},
                        {chiplet_at(1, l1, s, 0), i}, link);
    }
  }

  void connect_uplinks(int k, int i, int s, const LinkClass& link) {
    const TreeLevel& level = tree_.levels[k - 1];
    const int parent = i / tree_.levels[k].below;
    const int child = i % tree_.levels[k].below;
    const int per_chiplet = tree_.uplinks_per_chiplet_above(k);
    const int first = k == 1 ? level.below : level.below * tree_.uplinks_per_chiplet_above(k - 1);
    for (int c = 0; c < level.chiplets_per_slice; ++c) {
      for (int u = 0; u < level.uplinks; ++u) {
        const int g = c * level.uplinks + u;
        assembly_.connect(
            {chiplet_at(k, i, s, c), first + u},
            {chiplet_at(k + 1, parent, s, g / per_chiplet), child * per_chiplet + g % per_chiplet},
            link);
      }
    }
  }

  void connect_io(int l1, const LinkClass& link) {
    const TreeLevel& level = tree_.levels.front();
    for (int k = 0; k < io_of(l1); ++k) {
      const auto controllers = assembly_.topology().io_controllers.size();
      const NodeId controller = assembly_.add_io(
          spec_.slices, static_cast<std::uint16_t>(machine_.npus + static_cast<int>(controllers)));
      for (int s = 0; s < spec_.slices; ++s) {
        assembly_.connect({controller, s},
                          {chiplet_at(1, l1, s, 0), level.below + level.uplinks + k}, link);
      }
    }
  }

  const MachineSpec& machine_;
  const FredTreeSpec& spec_;
  const SwitchTree& tree_;
  Keys keys_;
  std::string kind_;
  Assembly assembly_;
  std::vector<int> latency_;  // cycles, of the links below a level
  std::vector<NodeId> first_of_level_;
};

}  // namespace

std::vector<TreeLevel> levels_of(const TwoLevels& tree) {
  return {{.below = tree.npus_per_l1,
           .uplinks = tree.uplinks,
           .uplink_bandwidth = tree.uplink_bandwidth},
          {.below = tree.l1_switches, .chiplets_per_slice = tree.l2_chiplets_per_slice}};
}

Topology build_fred_tree(const MachineSpec& machine, const FredTreeSpec& spec) {
  check(machine, spec);
  return TreeBuilder(machine, spec).build();
}

}  // namespace fredsim
