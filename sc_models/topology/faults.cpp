// SPDX-License-Identifier: Apache-2.0
#include "topology/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "topology/dimension_order.h"

namespace fredsim {
namespace {

constexpr std::array<std::pair<std::string_view, Fault::Kind>, 4> kForms{
    {{"link:", Fault::Kind::kLink},
     {"switch:", Fault::Kind::kSwitch},
     {"npu:", Fault::Kind::kNpu},
     {"io:", Fault::Kind::kIo}}};
constexpr std::string_view kAllowed =
    "allowed: link:NAME, link:NAME*RATE, switch:NAME, npu:NUMBER or io:NUMBER";
constexpr std::size_t kMaxDecimals = 6;

[[noreturn]] void refuse(const Fault& fault, const std::string& why) {
  throw BadInput(fmt::format("{}: found '{}'{}", fault.label, fault.text, why));
}
[[noreturn]] void refuse(std::string_view label, std::string_view text, const std::string& why) {
  throw BadInput(fmt::format("{}: found '{}'{}", label, text, why));
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "0.5", ".25"; 0: something else.
Rational parse_share(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.substr(0, dot).find_first_not_of('0') < dot) return {};
  const std::string_view digits = text.substr(dot + 1);
  if (!is_digits(digits) || digits.size() > kMaxDecimals) return {};
  std::uint64_t num = 0;
  std::uint64_t den = 1;
  for (const char digit : digits) {
    num = 10 * num + static_cast<std::uint64_t>(digit - '0');
    den *= 10;
  }
  return Rational::reduced(num, den);
}

std::string_view kind_name(Fault::Kind kind) {
  return kind == Fault::Kind::kLink     ? "link"
         : kind == Fault::Kind::kSwitch ? "switch"
         : kind == Fault::Kind::kNpu    ? "NPU"
                                        : "I/O controller";
}

NodeKind node_kind(Fault::Kind kind) {
  return kind == Fault::Kind::kSwitch ? NodeKind::kSwitch
         : kind == Fault::Kind::kNpu  ? NodeKind::kNpu
                                      : NodeKind::kIo;
}

int find_link(const Topology& topology, std::string_view name) {
  const auto link = std::ranges::find(topology.links, name, &Link::name);
  return link == topology.links.end() ? -1 : static_cast<int>(link - topology.links.begin());
}

NodeId find_node(const Topology& topology, const Fault& fault) {
  const auto node = std::ranges::find_if(topology.nodes, [&](const Node& one) {
    return one.kind == node_kind(fault.kind) && one.name == fault.name;
  });
  return node == topology.nodes.end() ? -1 : static_cast<NodeId>(node - topology.nodes.begin());
}

int back_of(const Topology& topology, int link) {
  return topology.link_out(topology.links[link].to, topology.links[link].to_port);
}

[[noreturn]] void no_such_part(const Topology& topology, const Fault& fault) {
  const bool is_link = fault.kind == Fault::Kind::kLink;
  std::vector<std::string_view> names;
  if (is_link) {
    for (const Link& link : topology.links) names.emplace_back(link.name);
  } else {
    for (const Node& node : topology.nodes)
      if (node.kind == node_kind(fault.kind)) names.emplace_back(node.name);
  }
  const std::string kind(kind_name(fault.kind));
  if (names.empty()) refuse(fault, fmt::format("; {} has no {}", topology.name, kind));
  refuse(fault, fmt::format(", but {} has no {} of that name; {}", topology.name, kind,
                            advice(fault.name, names, {.more = "fredsim info --parts"})));
}

class Loss {
 public:
  explicit Loss(Topology& topology) : topology_(topology), by_(topology.links.size()) {}

  void take(const Fault& fault) {
    if (fault.kind != Fault::Kind::kLink) {
      take_node(fault);
      return;
    }
    if (fault.left.num == 0) needs_other_paths(fault);
    const int link = find_link(topology_, fault.name);
    if (link < 0) no_such_part(topology_, fault);
    if (by_[link].starts_with("link:")) is_failed_by(fault, by_[link]);
    if (!by_[link].empty()) return;  // with its node
    const bool between_switches = topology_.nodes[topology_.links[link].from].is_switch() &&
                                  topology_.nodes[topology_.links[link].to].is_switch();
    if (fault.left.num == 0 && between_switches) needs_routes(fault);
    for (const int one : {link, back_of(topology_, link)}) {
      by_[one] = fault.text;
      if (fault.left.num == 0) continue;
      slow_down(topology_.links[one], fault);
      slower_.insert(one);
    }
  }

  void finish(const Fault& last) {
    std::vector<Link> left;
    for (int l = 0; l < std::ssize(topology_.links); ++l)
      if (by_[l].empty() || slower_.contains(l)) left.push_back(std::move(topology_.links[l]));
    topology_.links = std::move(left);
    topology_.index_ports();
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
      Node& node = topology_.nodes[id];
      bool joined = false;
      for (int port = 0; port < node.ports; ++port)
        joined = joined || topology_.link_out(id, port) >= 0;
      if (topology_.has_places() && node.is_switch()) note_local_ports(id);
      if (joined || node.failed) continue;
      node.failed = true;
      topology_.notes.push_back(fmt::format("{} has failed, too: it has no link left", node.name));
    }
    if (npus_left(topology_).empty())
      refuse(last, fmt::format("; no NPU of {} is left then", topology_.name));
  }

 private:
  // Notes the local ports of a grid router whose link has failed.
  void note_local_ports(NodeId router) {
    MeshPlace& place = topology_.nodes[router].mesh;
    for (int port = 0; port < place.local_ports; ++port)
      if (topology_.link_out(router, kFirstLocal + port) < 0) place.no_link |= 1U << port;
  }

  [[noreturn]] void is_failed_by(const Fault& fault, const std::string& other) const {
    refuse(fault, other == fault.text
                      ? std::string(" twice; allowed: once")
                      : fmt::format(", which '{}' names, too; allowed: once", other));
  }

  void needs_routes(const Fault& fault) const {
    if (topology_.unicasts == UnicastRoutes::kByTable) return;
    refuse(fault, fmt::format("; routers of {} route X-Y, which has no path round it; allowed: "
                              "link:NAME*RATE, links of NPUs and I/O controllers, npu:NUMBER and "
                              "io:NUMBER, or a fred_tree",
                              topology_.name));
  }

  // Paths computed by the kind of topology use all of its links and switches.
  void needs_other_paths(const Fault& fault) const {
    if (topology_.paths == nullptr) return;
    refuse(fault,
           fmt::format("; paths of a {} go round nothing; allowed: link:NAME*RATE and npu:NUMBER, "
                       "or a machine without that part",
                       topology_.kind));
  }

  void take_node(const Fault& fault) {
    if (fault.kind == Fault::Kind::kSwitch) needs_other_paths(fault);
    const NodeId id = find_node(topology_, fault);
    if (id < 0) no_such_part(topology_, fault);
    Node& node = topology_.nodes[id];
    if (node.failed) is_failed_by(fault, node_by_.at(id));
    if (fault.kind == Fault::Kind::kSwitch) needs_routes(fault);
    node.failed = true;
    node_by_[id] = fault.text;
    for (int l = 0; l < std::ssize(topology_.links); ++l) {
      const Link& link = topology_.links[l];
      if (link.from != id && link.to != id) continue;
      slower_.erase(l);
      by_[l] = fault.text;
    }
  }

  // A link that keeps only some lanes also has slower bursts.
  void slow_down(Link& link, const Fault& fault) const {
    const auto share = [&](const Rational& rate) {
      return Rational::reduced(rate.num * fault.left.num, rate.den * fault.left.den);
    };
    link.rate = share(link.rate);
    if (link.burst > 0) link.peak = share(link.peak);
    link.bytes_per_second =
        static_cast<std::uint64_t>(static_cast<double>(link.bytes_per_second) * fault.left.value());
    if (link.bytes_per_second == 0 || link.rate.den / kMaxLatencyCycles >= link.rate.num)
      refuse(fault, fmt::format("; a flit would take more than {} cycles; allowed: a larger share",
                                kMaxLatencyCycles));
  }

  Topology& topology_;
  std::vector<std::string> by_;  // by link: the fault that names it, or its node
  std::map<NodeId, std::string> node_by_;
  std::set<int> slower_;  // links that stay
};

// Chiplets reachable from a chiplet by going up, itself included.
std::set<NodeId> reached_upwards(const Topology& topology, NodeId chiplet) {
  std::set<NodeId> reached{chiplet};
  std::vector<NodeId> open{chiplet};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    for (int port = 0; port < topology.nodes[at].ports; ++port) {
      const int link = topology.link_out(at, port);
      if (link < 0) continue;
      const NodeId to = topology.links[link].to;
      if (topology.nodes[to].level > topology.nodes[at].level && reached.insert(to).second)
        open.push_back(to);
    }
  }
  return reached;
}

// Chiplets reachable from a level-1 chiplet.
struct Leads {
  NodeId chiplet = 0;
  std::set<NodeId> upwards;  // chiplets reachable by going up, itself included
  std::set<NodeId> beside;   // same level, by a link
};

std::set<NodeId> beside(const Topology& topology, NodeId chiplet) {
  std::set<NodeId> others;
  for (int port = 0; port < topology.nodes[chiplet].ports; ++port) {
    const int link = topology.link_out(chiplet, port);
    if (link < 0) continue;
    const NodeId to = topology.links[link].to;
    if (topology.nodes[to].level == topology.nodes[chiplet].level) others.insert(to);
  }
  return others;
}

bool intersect(const Leads& a, const Leads& b) {
  return a.beside.contains(b.chiplet) ||
         std::ranges::any_of(a.upwards, [&](NodeId node) { return b.upwards.contains(node); });
}

// True if all links from one switch of a slice to another along dimensions are left.
bool leads_along(const Topology& topology, const std::vector<Leads>& of_slice, int from, int to) {
  while (from != to) {
    const int next = next_switch(topology, from, to);
    if (!of_slice[from].beside.contains(of_slice[next].chiplet)) return false;
    from = next;
  }
  return true;
}

SliceReach reach_of(const Topology& topology) {
  SliceReach reach{.slices = topology.slices, .chiplets = 0, .chiplet = {}, .connected = {}};
  reach.chiplet.assign(topology.nodes.size() * static_cast<std::size_t>(reach.slices), -1);
  std::vector<std::vector<Leads>> reached(static_cast<std::size_t>(reach.slices));
  std::map<NodeId, int> number;  // index of a level-1 chiplet in its slice
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.level != 1) continue;
    number[id] = static_cast<int>(reached[node.slice].size());
    reached[node.slice].push_back({id, reached_upwards(topology, id), beside(topology, id)});
  }
  reach.chiplets = static_cast<int>(reached.front().size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    for (int port = 0; topology.nodes[id].is_endpoint() && port < reach.slices; ++port) {
      const int link = topology.link_out(id, port);
      if (link >= 0) reach.chiplet[id * reach.slices + port] = number.at(topology.links[link].to);
    }
  }
  const bool along = goes_along_dimensions(topology);
  for (const auto& of_slice : reached) {
    for (int a = 0; a < reach.chiplets; ++a) {
      for (int b = 0; b < reach.chiplets; ++b) {
        reach.connected.push_back(along ? leads_along(topology, of_slice, a, b) &&
                                              leads_along(topology, of_slice, b, a)
                                        : intersect(of_slice[a], of_slice[b]));
      }
    }
  }
  return reach;
}

std::vector<int> left_of(const Topology& topology, const std::vector<NodeId>& endpoints) {
  std::vector<int> left;
  for (int k = 0; k < std::ssize(endpoints); ++k)
    if (!topology.nodes[endpoints[k]].failed) left.push_back(k);
  return left;
}

}  // namespace

Fault parse_fault(std::string_view text, std::string_view label) {
  const auto* const form =
      std::ranges::find_if(kForms, [&](const auto& one) { return text.starts_with(one.first); });
  if (form == kForms.end()) refuse(label, text, fmt::format("; {}", kAllowed));
  Fault fault{.kind = form->second,
              .name = {},
              .left = {},
              .text = std::string(text),
              .label = std::string(label)};
  std::string_view name = text.substr(form->first.size());
  if (name.find('@') != std::string_view::npos)
    refuse(label, text,
           "; components fail from the start, none in the middle of a run; allowed: without '@'");
  if (fault.kind == Fault::Kind::kNpu || fault.kind == Fault::Kind::kIo) {
    if (!is_digits(name)) refuse(label, text, fmt::format("; {}", kAllowed));
    fault.name = fmt::format("{}{}", form->first.substr(0, form->first.size() - 1), name);
    return fault;
  }
  const std::size_t star = name.rfind('*');
  if (star != std::string_view::npos) {
    fault.left = parse_share(name.substr(star + 1));
    name = name.substr(0, star);
    if (fault.left.num == 0 || fault.kind != Fault::Kind::kLink)
      refuse(label, text,
             fmt::format("; allowed behind '*' of a link: its share of the rate, above 0 and below "
                         "1, with at most {} decimals",
                         kMaxDecimals));
  }
  if (name.empty()) refuse(label, text, fmt::format("; {}", kAllowed));
  fault.name = std::string(name);
  return fault;
}

bool has_part(const Topology& topology, const Fault& fault) {
  return (fault.kind == Fault::Kind::kLink ? find_link(topology, fault.name)
                                           : find_node(topology, fault)) >= 0;
}

void lose_parts(Topology& topology, const std::vector<Fault>& faults) {
  if (faults.empty()) return;
  if (topology.one_way) refuse(faults.front(), "; allowed: none where links lead one way");
  Loss loss(topology);
  for (const Fault& fault : faults) {
    loss.take(fault);
    topology.failed.names.push_back(fault.text);
  }
  topology.notes.push_back(
      fmt::format("failed from the start: {}", fmt::join(topology.failed.names, ", ")));
  loss.finish(faults.back());
  // All paths between the endpoints that are left exist if nothing but controllers has failed.
  const bool lacks_paths =
      !std::ranges::all_of(faults, [](const Fault& one) { return one.kind == Fault::Kind::kIo; });
  if (lacks_paths && topology.has_slices() && topology.paths == nullptr)
    topology.failed.reach = reach_of(topology);
}

std::vector<int> npus_left(const Topology& topology) { return left_of(topology, topology.npus); }

std::vector<int> io_controllers_left(const Topology& topology) {
  return left_of(topology, topology.io_controllers);
}

std::string faults_text(const Topology& topology) {
  if (!topology.failed.any()) return {};
  return fmt::format(" (failed: {})", fmt::join(topology.failed.names, ", "));
}

}  // namespace fredsim
