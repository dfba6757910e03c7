// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/int128.h"

namespace fredsim {
namespace {

[[noreturn]] void broken(const std::string& what) { throw std::logic_error("topology: " + what); }

void check_nodes(const Topology& topology) {
  std::unordered_set<std::string_view> names(topology.nodes.size());
  std::set<std::uint16_t> addresses;
  for (const Node& node : topology.nodes) {
    if (!names.insert(node.name).second) broken("two nodes are called " + node.name);
    if (node.ports < 1 || (node.ports > kMaxPorts && topology.flow_only.empty())) {
      broken(fmt::format("{} has {} ports", node.name, node.ports));
    }
    // Addresses in a system are relative to its blocks (topology/system.h).
    if (node.is_endpoint() && !addresses.insert(node.address).second && !topology.has_blocks()) {
      broken(fmt::format("the address {} of {} is taken", node.address, node.name));
    }
    if (node.is_switch() == node.switch_kind.empty()) {
      broken(fmt::format("{} is of the switch kind '{}'", node.name, node.switch_kind));
    }
  }
  const auto check_list = [&](const std::vector<NodeId>& list, NodeKind kind) {
    for (const NodeId id : list) {
      if (id < 0 || id >= std::ssize(topology.nodes) || topology.nodes[id].kind != kind) {
        broken(fmt::format("node {} is in the wrong list of endpoints", id));
      }
    }
    if (std::set<NodeId>(list.begin(), list.end()).size() != list.size()) {
      broken("an endpoint is listed twice");
    }
  };
  check_list(topology.npus, NodeKind::kNpu);
  check_list(topology.io_controllers, NodeKind::kIo);
  check_list(topology.adders, NodeKind::kAdder);
  const auto endpoints = std::ranges::count_if(topology.nodes, &Node::is_endpoint);
  if (std::ssize(topology.npus) + std::ssize(topology.io_controllers) +
          std::ssize(topology.adders) !=
      endpoints) {
    broken("an endpoint is in no list");
  }
}

void check_dimensions(const Topology& topology) {
  if (topology.dimensions.empty()) return;
  std::size_t npus = 1;
  for (const TopologyDimension& one : topology.dimensions)
    npus *= static_cast<std::size_t>(one.size);
  if (npus != topology.npus.size()) {
    broken(fmt::format("{} NPUs in dimensions for {}", topology.npus.size(), npus));
  }
}

// rate * bare / bits, in lowest terms.
Rational slowed(const Link& link, const Rational& rate, std::uint64_t bare, std::uint64_t bits) {
  Uint128 num = static_cast<Uint128>(rate.num) * bare, den = static_cast<Uint128>(rate.den) * bits;
  Uint128 a = num, b = den;
  while (b != 0) a = std::exchange(b, a % b);
  num /= a, den /= a;
  constexpr Uint128 kMax = std::numeric_limits<std::uint64_t>::max();
  if (num > kMax || den > kMax) {
    throw BadInput(fmt::format(
        "link {}: found {}/{} flits per cycle, of which {}/{} carry payload; allowed: rates that "
        "are fractions of 64 bits",
        link.name, rate.num, rate.den, bare, bits));
  }
  return {static_cast<std::uint64_t>(num), static_cast<std::uint64_t>(den)};
}

}  // namespace

void lengthen_flits(Link& link, std::uint64_t bare, std::uint64_t bits) {
  link.rate = slowed(link, link.rate, bare, bits);
  if (link.burst > 0) link.peak = slowed(link, link.peak, bare, bits);
  link.wire_stretch *= static_cast<double>(bits) / static_cast<double>(bare);
}

int SwitchTree::switches(int level) const {
  int count = 1;
  for (int k = depth(); k > level; --k) count *= levels[k - 1].below;
  return count;
}

int SwitchTree::uplinks_per_chiplet_above(int level) const {
  const TreeLevel& lower = levels[level - 1];
  return lower.chiplets_per_slice * lower.uplinks / levels[level].chiplets_per_slice;
}

void Topology::index_ports() {
  check_nodes(*this);
  check_dimensions(*this);
  first_port_.assign(1, 0);
  for (const Node& node : nodes) first_port_.push_back(first_port_.back() + node.ports);
  out_.assign(first_port_.back(), -1);
  in_.assign(first_port_.back(), -1);

  std::unordered_set<std::string_view> names(links.size());
  const auto connect = [&](std::vector<int>& table, NodeId node, int port, int link) {
    if (node < 0 || node >= std::ssize(nodes) || port < 0 || port >= nodes[node].ports) {
      broken(fmt::format("link {} ends at a port that is not there", links[link].name));
    }
    int& entry = table[first_port_[node] + port];
    if (entry != -1) broken(fmt::format("port {}.{} has two links", nodes[node].name, port));
    entry = link;
  };
  for (int i = 0; i < std::ssize(links); ++i) {
    const Link& link = links[i];
    if (!names.insert(link.name).second) broken("two links are called " + link.name);
    if (link.rate.num == 0 || link.rate.num > link.rate.den || link.latency < 1) {
      broken(fmt::format("link {} has a rate of {}/{} and a latency of {}", link.name,
                         link.rate.num, link.rate.den, link.latency));
    }
    if (link.burst < 0 ||
        (link.burst > 0 && (link.peak.num == 0 || link.peak.num > link.peak.den))) {
      broken(fmt::format("link {} has bursts of {} flits at {}/{}", link.name, link.burst,
                         link.peak.num, link.peak.den));
    }
    connect(out_, link.from, link.from_port, i);
    connect(in_, link.to, link.to_port, i);
  }
  for (const Link& link : links) {
    const int back = link_out(link.to, link.to_port);
    if (one_way) continue;
    if (back == -1 || links[back].to != link.from || links[back].to_port != link.from_port) {
      broken(fmt::format("link {} has no link back", link.name));
    }
  }
  std::vector<NodeId> above(nodes.size(), -1);
  for (const Link& link : links) {
    NodeId& first = above[link.from];
    if (nodes[link.to].level > nodes[link.from].level && (first < 0 || link.to < first))
      first = link.to;
  }
  for (std::size_t id = 0; id < nodes.size(); ++id)
    if (nodes[id].above < 0) nodes[id].above = above[id];
}

bool Topology::has_rings() const {
  return std::ranges::any_of(
      dimensions, [](const TopologyDimension& one) { return one.joined == Joined::kRing; });
}

std::vector<const Topology*> Topology::machines() const {
  if (blocks.empty()) return {this};
  std::vector<const Topology*> all;
  for (const SystemBlock& block : blocks) all.push_back(block.topology.get());
  return all;
}

int Topology::link_out(NodeId node, int port) const { return out_[first_port_[node] + port]; }

int Topology::link_in(NodeId node, int port) const { return in_[first_port_[node] + port]; }

const Link& Topology::first_link_out(NodeId node) const {
  int port = 0;
  while (port + 1 < nodes[node].ports && link_out(node, port) < 0) ++port;
  return links.at(static_cast<std::size_t>(link_out(node, port)));
}

bool FailedComponents::leave_path(NodeId from, NodeId to, int port) const {
  if (!cut_slices()) return true;
  const auto chiplet_of = [&](NodeId node) { return reach.chiplet[node * reach.slices + port]; };
  const int a = chiplet_of(from);
  const int b = chiplet_of(to);
  return a >= 0 && b >= 0 && reach.connected[(port * reach.chiplets + a) * reach.chiplets + b];
}

}  // namespace fredsim
