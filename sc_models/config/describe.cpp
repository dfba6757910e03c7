// SPDX-License-Identifier: Apache-2.0
#include "config/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text_width.h"
#include "base/units.h"
#include "config/buffer_notes.h"
#include "links/link_scheme.h"
#include "switch/node_shape.h"
#include "topology/credit_loop.h"
#include "topology/facts.h"
#include "topology/faults.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

constexpr std::size_t kNoteIndent = 2;
constexpr std::size_t kValueIndent = 17;  // column of values, indentation of their further lines

using Row = std::vector<std::string>;

struct Page {
  std::size_t columns;
  std::vector<std::string> left_out;  // table columns without room
};

// Table with a left-aligned first column, the rest right-aligned. A blank line above.
std::string table(std::vector<Column> header, const std::vector<Row>& rows, Page& page) {
  header.front().align = Align::kLeft;
  TextTable text(std::move(header));
  for (const Row& row : rows) text.add_row({row.begin(), row.end()});
  FittedTable fitted = text.fitted({.width = page.columns});
  page.left_out.insert(page.left_out.end(), fitted.left_out.begin(), fitted.left_out.end());
  return '\n' + fitted.text;
}

std::string fraction(const Rational& rate) {
  return rate.den == 1 ? std::to_string(rate.num) : fmt::format("{}/{}", rate.num, rate.den);
}

std::string cycles_and_ns(int cycles, std::uint64_t clock_hz) {
  return fmt::format("{} = {:.3f} ns", cycles, cycles * 1e9 / static_cast<double>(clock_hz));
}

std::string sentence(const Topology& topology) {
  const std::string what = topology_kind(topology.kind).describe(topology);
  if (topology.has_slices()) {
    return fmt::format("{}; collectives {}", what,
                       topology.in_switch ? "in the switches" : "at the endpoints");
  }
  return what + (adds_in_switches(topology) ? "; collectives in the routers" : "");
}

// The levels of a FRED tree, lowest first.
std::string levels(const Topology& topology, Page& page) {
  const SwitchTree& tree = topology.tree;
  std::vector<Row> rows;
  for (int k = 1; k <= tree.depth(); ++k) {
    const TreeLevel& level = tree.levels[k - 1];
    const bool top = k == tree.depth();
    rows.push_back({fmt::format("L{}", k), std::to_string(tree.switches(k)),
                    fmt::format("{} {}", level.below, k == 1 ? "NPUs" : fmt::format("L{}", k - 1)),
                    std::to_string(topology.slices), std::to_string(level.chiplets_per_slice),
                    top ? "-" : std::to_string(level.uplinks),
                    top ? "-" : format_bandwidth(static_cast<double>(level.uplink_bandwidth))});
  }
  return table({{"level"},
                {"switches"},
                {"below", "each"},
                {.label = "slices", .rank = 1},
                {"chiplets", "/slice"},
                {"uplinks", "/chiplet"},
                {"upwards", "/switch"}},
               rows, page);
}

double bandwidth_of(const Topology& topology, NodeId endpoint) {
  double bandwidth = 0;
  for (int port = 0; port < topology.nodes[endpoint].ports; ++port) {
    const int link = topology.link_out(endpoint, port);
    if (link != -1) bandwidth += static_cast<double>(topology.links[link].bytes_per_second);
  }
  return bandwidth;
}

// "20, 3 TB/s each over 5 NIC ports": as the first of them that has not failed.
std::string endpoints(const Topology& topology, const std::vector<NodeId>& list,
                      std::string_view ports) {
  if (list.empty()) return "none";
  const auto there =
      std::ranges::find_if(list, [&](NodeId id) { return !topology.nodes[id].failed; });
  if (there == list.end()) return fmt::format("{}, all failed", list.size());
  const Node& node = topology.nodes[*there];
  double least = std::numeric_limits<double>::max(), most = 0;  // not all have as much in a graph
  for (const NodeId id : list) {
    if (topology.nodes[id].failed) continue;
    const double bandwidth = bandwidth_of(topology, id);
    least = std::min(least, bandwidth);
    most = std::max(most, bandwidth);
  }
  const Link& link = topology.first_link_out(*there);
  std::string schemes;
  for (const LinkScheme* scheme : link_schemes()) schemes += scheme->describe(link);
  const auto lost =
      std::ranges::count_if(list, [&](NodeId id) { return topology.nodes[id].failed; });
  return fmt::format("{}{}, {} each over {} {}{}{}", list.size(),
                     lost > 0 ? fmt::format(" ({} failed)", lost) : "",
                     least < most
                         ? fmt::format("{} to {}", format_bandwidth(least), format_bandwidth(most))
                         : format_bandwidth(least),
                     node.ports, ports, node.ports == 1 ? "" : "s", schemes);
}

// "fred, YIELD=4 QUANTUM=64": the kind, and parameters that no table shows.
std::string switch_line(const Topology& topology) {
  std::string line = std::ranges::find_if(topology.nodes, &Node::is_switch)->switch_kind;
  std::vector<std::string> values;
  for (const auto* more : {&topology.switch_values, &topology.own_values}) {
    for (const NamedValue& one : *more) values.push_back(fmt::format("{}={}", one.name, one.value));
  }
  return values.empty() ? line : fmt::format("{}; {}", line, fmt::join(values, ", "));
}

// Describes the switches of a tree, and the chiplets that each kind consists of.
std::string chiplets(const Topology& topology, Page& page) {
  // Level first, then the larger chiplets first.
  std::map<std::tuple<int, int, std::vector<int>>, std::pair<SwitchShape, int>> counts;
  for (const Node& node : topology.nodes) {
    if (node.is_endpoint()) continue;
    SwitchShape shape = switch_shape(topology, node);
    const std::tuple key(node.level, -node.ports, shape.values);
    ++counts.try_emplace(key, std::move(shape), 0).first->second.second;
  }
  const auto& first = counts.begin()->second.first;
  std::vector<NamedValue> sum = first.kind->parts(first);
  for (NamedValue& part : sum) part.value = 0;
  std::vector<Column> header{{"chiplets"}, {"count"}, {"ports"}};
  for (const NamedValue& part : sum) header.push_back({part.name});
  std::vector<Row> rows;
  int chiplet_count = 0;
  const auto add_row = [&](std::string name, int count, std::string ports,
                           const std::vector<NamedValue>& parts) {
    Row& row = rows.emplace_back(Row{std::move(name), std::to_string(count), std::move(ports)});
    for (const NamedValue& part : parts) row.push_back(std::to_string(part.value));
  };
  for (const auto& [type, counted] : counts) {
    const auto& [shape, count] = counted;
    const std::vector<NamedValue> parts = shape.kind->parts(shape);
    const std::string label = shape.kind->label(shape);
    add_row(topology.has_levels() ? fmt::format("L{} {}", std::get<0>(type), label) : label, count,
            std::to_string(shape.ports()), parts);
    chiplet_count += count;
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p].value += count * parts[p].value;
  }
  add_row("all together", chiplet_count, "", sum);
  const std::string_view title = first.kind->parts_title();
  return (title.empty() ? std::string() : fmt::format("\n{}\n", title)) +
         table(std::move(header), rows, page);
}

// Dimensions of a system, lowest first, with their diameters and the diameter of the system.
std::string system_dimensions(const Topology& topology, Page& page) {
  std::vector<Row> rows;
  int hops = 0;
  for (const SystemBlock& block : topology.blocks) {
    const Topology& one = *block.topology;
    const std::size_t size = one.npus.size();
    const int diameter = diameter_links(one);
    hops += diameter;
    const auto bandwidth = static_cast<double>(block.bandwidth);
    rows.push_back({block.name, block.word, std::to_string(size),
                    std::to_string(topology.npus.size() / size), format_bandwidth(bandwidth),
                    std::to_string(one.nodes.front().ports), std::to_string(diameter)});
  }
  rows.push_back({"all together", "", std::to_string(topology.npus.size()), "", "",
                  std::to_string(topology.nodes.front().ports), std::to_string(hops)});
  return table({{"dimension"},
                {"block"},
                {"NPUs"},
                {"groups"},
                {"bandwidth", "/NPU"},
                {"ports", "/NPU"},
                {"diameter", "links"}},
               rows, page);
}

// The switches of a system, which may be of several kinds.
std::string system_switches(const Topology& topology, Page& page) {
  std::map<std::tuple<std::string, int>, int> counts;
  for (const Node& node : topology.nodes) {
    if (!node.is_switch()) continue;
    const SwitchShape shape = switch_shape(topology, node);
    ++counts[{shape.kind->label(shape), node.ports}];
  }
  std::vector<Row> rows;
  for (const auto& [type, count] : counts) {
    const auto& [label, ports] = type;
    rows.push_back({label, std::to_string(count), std::to_string(ports)});
  }
  return table({{"switches"}, {"count"}, {"ports"}}, rows, page);
}

std::string routers(const Topology& topology, Page& page) {
  const auto router = std::ranges::find_if(topology.nodes, &Node::is_switch);
  const auto count = std::ranges::count_if(topology.nodes, &Node::is_switch);
  const SwitchShape shape = switch_shape(topology, *router);
  std::vector<Column> header{{"routers"}, {"count"}, {"ports"}, {"mesh"}, {"local"}, {"I/O"}};
  Row row{shape.kind->label(shape),
          std::to_string(count),
          std::to_string(router->ports),
          std::to_string(int{kFirstLocal}),
          std::to_string(router->mesh.local_ports),
          std::to_string(router->mesh.io_ports)};
  for (const NamedValue& part : shape.kind->parts(shape)) {
    header.push_back({part.name});
    row.push_back(std::to_string(part.value));
  }
  const std::string_view title = shape.kind->parts_title();
  return (title.empty() ? std::string() : fmt::format("\n{}\n", title)) +
         table(std::move(header), {std::move(row)}, page);
}

std::string links(const Topology& topology, Page& page) {
  // Both directions of a port pair are one entry; endpoints, then the lower level, come first.
  using Class = std::tuple<int, std::string, std::uint64_t, int, std::uint64_t>;
  std::map<Class, int> counts;
  for (const Link& link : topology.links) {
    const Node* from = &topology.nodes[link.from];
    const Node* to = &topology.nodes[link.to];
    if (std::tuple(from->level, link.from) > std::tuple(to->level, link.to)) continue;
    const int rank = from->level * 2 + (from->kind == NodeKind::kIo ? 1 : 0);
    ++counts[{rank, fmt::format("{} - {}", place_name(topology, *from), place_name(topology, *to)),
              link.bytes_per_second, link.latency, link.flit_cycles()}];
  }
  std::vector<Row> rows;
  for (const auto& [type, count] : counts) {
    const auto& [rank, name, bytes_per_second, latency, flit_cycles] = type;
    rows.push_back({name, std::to_string(count),
                    format_bandwidth(static_cast<double>(bytes_per_second)),
                    fraction(link_rate(bytes_per_second, topology.clock_hz)),
                    cycles_and_ns(latency, topology.clock_hz), std::to_string(flit_cycles)});
  }
  return table({{"links", "both ways"},
                {"count"},
                {"bandwidth"},
                {.label = "flits", .unit = "/cycle", .rank = 1},  // follows from the bandwidth
                {"latency", "cycles"},
                {"flit", "after"}},
               rows, page);
}

std::string buffers(const Topology& topology, Page& page) {
  std::vector<Row> rows;
  const auto add = [&](std::string name, int flits) {
    rows.push_back({std::move(name), format_size(static_cast<std::uint64_t>(flits) * kFlitBytes),
                    std::to_string(flits)});
  };
  const auto add_switches = [&](const Topology& one, const std::string& where) {
    add(where + "switch input, data", one.buffers.data_flits);
    add(where + "switch input, control", one.buffers.control_flits);
    const auto node = std::ranges::find_if(one.nodes, &Node::is_switch);
    if (kind_of(*node).index("OUT_DEPTH") >= 0)
      add(where + "switch output staging", one.buffers.output_flits);
  };
  if (topology.has_blocks()) {
    for (const SystemBlock& block : topology.blocks)
      add_switches(*block.topology, block.name + ": ");
  } else {
    add_switches(topology, "");
  }
  add("NPU receive", topology.buffers.receive_flits);
  return table({{"buffers", "per port and VC"}, {"size"}, {"flits"}}, rows, page);
}

// Links limited by their downstream buffers, a line per kind.
std::vector<std::string> credit_notes(const Topology& topology) {
  std::map<std::string, int> counts;
  for (const Link& link : topology.links) {
    const double carried = carried_bytes_per_second(topology, link);
    const auto bandwidth = static_cast<double>(link.bytes_per_second);
    if (carried >= kCarriesAll * bandwidth) continue;
    const auto size = [](int flits) {
      return format_size(static_cast<std::uint64_t>(flits) * kFlitBytes);
    };
    ++counts[fmt::format("{} to {}: buffers of {} carry {} of {}; {} are needed",
                         place_name(topology, topology.nodes[link.from]),
                         place_name(topology, topology.nodes[link.to]),
                         size(depth_behind(topology, link)), format_bandwidth(carried),
                         format_bandwidth(bandwidth),
                         size(covering_flits(link, topology.packet_flits)))];
  }
  std::vector<std::string> notes;
  for (const auto& [note, count] : counts)
    notes.push_back(fmt::format("{} link{} {}", count, count == 1 ? "" : "s", note));
  return notes;
}

}  // namespace

std::string describe_parts(const Topology& topology) {
  std::string text;
  for (const auto& [form, list] :
       {std::pair("npu", npus_left(topology)), std::pair("io", io_controllers_left(topology))})
    for (const int number : list) text += fmt::format("{}:{}\n", form, number);
  for (const Node& node : topology.nodes)
    if (node.is_switch() && !node.failed) text += fmt::format("switch:{}\n", node.name);
  for (const Link& link : topology.links) {
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    if (std::tuple(from.level, link.from) < std::tuple(to.level, link.to))
      text += fmt::format("link:{}\n", link.name);
  }
  return text;
}

std::string describe(const Topology& topology, std::size_t columns) {
  const auto bisection = static_cast<double>(bisection_bytes_per_second(topology));
  const std::string title = fmt::format("{}: {}\n", topology.name, sentence(topology));
  std::string text =
      fmt::format("  clock            {}; one flit of {} B per cycle = {}\n",
                  format_frequency(topology.clock_hz), kFlitBytes,
                  format_bandwidth(static_cast<double>(topology.clock_hz) * kFlitBytes));
  text += fmt::format("  NPUs             {}\n", endpoints(topology, topology.npus, "NIC port"));
  text +=
      fmt::format("  I/O controllers  {}\n", endpoints(topology, topology.io_controllers, "port"));
  const TopologyKind& kind = topology_kind(topology.kind);
  const std::string method = kind.bisection_method(topology);
  text += fmt::format("  bisection        {} per direction{}{}\n", format_bandwidth(bisection),
                      method.empty() ? "" : ": ", method);
  if (const int diameter = kind.diameter(topology); diameter > 0)
    text +=
        fmt::format("  diameter         {} links, of {}\n", diameter, topology.links.size() / 2);
  text += fmt::format("  packet           up to {}, {} flit{}\n",
                      format_size(static_cast<std::uint64_t>(topology.packet_flits) * kFlitBytes),
                      topology.packet_flits, topology.packet_flits == 1 ? "" : "s");
  text += fmt::format("  virtual channels {}, by priority\n", to_string(topology.vc_order));
  text += fmt::format("  addition         {}\n", to_string(topology.format));
  if (topology.in_switch) {
    text += fmt::format("  slices simulated {}\n",
                        topology.simulate_all_slices
                            ? "all"
                            : "with --model tlm one for all that do the same, which is exact "
                              "(all: --set fabric.simulate_slices=all)");
  }
  const bool is_system = topology.has_blocks();
  if (!is_system) text += fmt::format("  switches         {}\n", switch_line(topology));
  if (!topology.flow_only.empty())
    text += fmt::format("  engine           flow alone: {}\n", topology.flow_only);
  if (!topology.rtl_top.empty()) {
    text += fmt::format("  switch RTL       {} (your own)\n", topology.rtl_top);
  }
  Page page{columns, {}};
  text = wrap(title, columns, kNoteIndent) + wrap(text, columns, kValueIndent);
  if (topology.has_levels()) text += levels(topology, page);
  if (is_system) {
    text += system_dimensions(topology, page) + system_switches(topology, page);
  } else {
    text += topology.has_places() ? routers(topology, page) : chiplets(topology, page);
  }
  text += links(topology, page);
  text += buffers(topology, page);
  text += "\nnotes\n";
  for (const std::string& note : credit_notes(topology))
    text += wrap("  " + note, columns, kNoteIndent) + '\n';
  const std::string flit_after =
      "  flit after: cycles from its launch on an idle link until its last bit is there";
  text += wrap(flit_after, columns, kNoteIndent) + '\n';
  for (const std::vector<std::string>& list : {topology.notes, buffer_notes(topology)})
    for (const std::string& note : list) text += wrap("  " + note, columns, kNoteIndent) + '\n';
  if (!page.left_out.empty()) {
    text += wrap(fmt::format("  no room in {} columns: {}; a wider terminal shows them", columns,
                             fmt::join(page.left_out, ", ")),
                 columns, kNoteIndent) +
            '\n';
  }
  return text;
}

}  // namespace fredsim
