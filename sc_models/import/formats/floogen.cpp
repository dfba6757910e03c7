// SPDX-License-Identifier: Apache-2.0
// Configuration files of FlooGen, the generator of FlooNoC: routers, endpoints, connections.
//
// Routers: one, an array of one or two dimensions whose neighbours are joined unless `auto_connect`
//   is false, or a tree. Endpoints are NPUs, in the order listed, subordinates (memories) too.
// A mesh that routes X-Y and has one endpoint at each router, and no others, is a mesh2d; every
//   other network is a graph, with the paths of graphs.
// A link has the width of the widest protocol, `data_width`, at 1 GHz.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "base/text_width.h"
#include "base/units.h"
#include "import/detail/noc_keys.h"
#include "import/import_format.h"
#include "import/machine_text.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kClockHz = 1'000'000'000;
constexpr std::uint64_t kCyclePs = 1'000;
constexpr int kMaxArray = 4096, kMaxWidth = 1 << 16;

// Group of nodes with one name: indices, or levels of a tree, of each.
struct NodeGroup {
  std::vector<int> dimensions;            // sizes of the array; none: a single node, or a tree
  std::map<std::vector<int>, int> nodes;  // by indices
  std::vector<std::vector<int>> levels;   // of a tree: nodes of each level
  bool is_router = false, is_manager = false;
  std::string label;
};

// Integers of a list, or one.
std::vector<int> integers(const KeyReader& reader, std::string_view key, int min, int max) {
  if (!reader.has(key)) return {};
  const ConfigNode& node = reader.node(key);
  if (node.kind != ConfigNode::Kind::kList) return {reader.integer(key, min, max)};
  std::vector<int> values;
  for (const auto& [text, label] : reader.values(key))
    values.push_back(parse_integer(text, label, min, max));
  return values;
}

class FloogenReader {
 public:
  FloogenReader(const std::string& path, const KeyReader& file, const ImportOptions& options)
      : file_(file), options_(options), graph_(path) {
    machine_.name = machine_name_of(path);
  }

  ImportedMachine read() {
    read_width();
    for (const KeyReader& endpoint : file_.list("endpoints")) add_endpoints(endpoint);
    for (const KeyReader& router : file_.list("routers")) add_routers(router);
    for (const KeyReader& connection : file_.list("connections")) connect(connection);
    for (const char* key : {"protocols", "routing"})
      if (!file_.has(key)) file_.node(key);  // BadInput
    finish();
    return std::move(machine_);
  }

 private:
  // ---- nodes

  void read_width() {
    int widest = 0;
    std::set<int> widths;
    for (const KeyReader& protocol : file_.list("protocols")) {
      const int width = protocol.integer("data_width", 1, kMaxWidth);
      widest = std::max(widest, width);
      widths.insert(width);
    }
    constexpr int kBitsPerByte = 8;
    bandwidth_ = options_.bandwidth.value_or(
        static_cast<std::uint64_t>(std::max(widest / kBitsPerByte, 1)) * kClockHz);
    latency_ps_ = options_.latency_ps.value_or(kCyclePs);
    if (!options_.bandwidth)
      machine_.note("data_width",
                    fmt::format("a link has {}, {} bits at 1 GHz, which the file does "
                                "not say; --link-bandwidth sets it",
                                bandwidth_text(bandwidth_), widest));
    if (widths.size() > 1)
      machine_.note("protocols", "links of the widest protocol alone; narrow ones are left out");
  }

  NodeGroup& add_group(const KeyReader& reader, bool is_router) {
    const std::string name = reader.text("name");
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (name.empty() || !std::ranges::all_of(name, is_plain))
      throw BadInput(fmt::format("{}: found '{}'; allowed: letters, digits and '_'",
                                 reader.label("name"), shown(name)));
    const auto [at, is_new] = groups_.try_emplace(name);
    if (!is_new)
      throw BadInput(
          fmt::format("{}: found '{}' twice; allowed: each name once", reader.label("name"), name));
    at->second.is_router = is_router;
    at->second.label = reader.label("name");
    at->second.dimensions = integers(reader, "array", 1, kMaxArray);
    if (at->second.dimensions.size() > 2)
      throw BadInput(fmt::format("{}: found {} numbers; allowed: one or two", reader.label("array"),
                                 at->second.dimensions.size()));
    return at->second;
  }

  int add_node(const std::string& name, NodeGroup& group, const std::vector<int>& index) {
    std::string full = name;
    for (const int i : index) full += fmt::format("_{}", i);
    const int node =
        group.is_router ? graph_.add_switch(full, group.label) : graph_.add_npu(full, group.label);
    group.nodes.emplace(index, node);
    return node;
  }

  void add_array(const std::string& name, NodeGroup& group) {
    std::vector<int> sizes = group.dimensions;
    sizes.resize(2, 1);
    for (int x = 0; x < sizes[0]; ++x) {
      for (int y = 0; y < sizes[1]; ++y) {
        std::vector<int> index{x, y};
        index.resize(group.dimensions.size());
        add_node(name, group, index);
      }
    }
  }

  void add_endpoints(const KeyReader& reader) {
    NodeGroup& group = add_group(reader, false);
    group.is_manager = reader.has("mgr_port_protocol");
    const int first = graph_.npus();
    add_array(reader.text("name"), group);
    machine_.facts.push_back(fmt::format("NPUs {} to {}: {}{}.", first, graph_.npus() - 1,
                                         reader.text("name"),
                                         group.is_manager ? "" : ", which send no requests"));
    managers_ += group.is_manager ? graph_.npus() - first : 0;
  }

  void add_routers(const KeyReader& reader) {
    NodeGroup& group = add_group(reader, true);
    const std::string name = reader.text("name");
    const bool is_connected = !reader.has("auto_connect") || reader.boolean("auto_connect");
    if (reader.has("tree")) {
      add_tree(name, group, integers(reader, "tree", 1, kMaxArray), {}, -1, is_connected);
      return;
    }
    add_array(name, group);
    if (!is_connected) return;
    for (const auto& [index, node] : group.nodes) {
      for (std::size_t d = 0; d < index.size(); ++d) {
        std::vector<int> before = index;
        if (--before[d] >= 0) join(group.nodes.at(before), node, group.label);
      }
    }
  }

  void add_tree(const std::string& name, NodeGroup& group, const std::vector<int>& sizes,
                const std::vector<int>& index, int parent, bool is_connected) {
    const std::size_t level = index.size();
    if (level == sizes.size()) return;
    group.levels.resize(std::max(group.levels.size(), level + 1));
    for (int i = 0; i < sizes[level]; ++i) {
      std::vector<int> inside = index;
      inside.push_back(i);
      const int node = add_node(name, group, inside);
      group.levels[level].push_back(node);
      if (parent >= 0 && is_connected) join(parent, node, group.label);
      add_tree(name, group, sizes, inside, node, is_connected);
    }
  }

  // ---- connections

  void join(int from, int to, const std::string& label) {
    graph_.join(from, to, bandwidth_, latency_ps_, 1, label);
  }

  void add_range(const KeyReader& connection, const std::string& key, const NodeGroup& group,
                 const std::vector<std::pair<int, int>>& range, std::vector<int> index,
                 std::vector<int>& nodes) const {
    if (index.size() == range.size()) {
      nodes.push_back(node_at(connection, key, group, index));
      return;
    }
    const auto [first, last] = range[index.size()];
    const int step = last > first ? 1 : -1;
    index.push_back(first);
    for (int i = first;; i += step) {
      index.back() = i;
      add_range(connection, key, group, range, index, nodes);
      if (i == last) break;
    }
  }

  int node_at(const KeyReader& connection, const std::string& key, const NodeGroup& group,
              const std::vector<int>& index) const {
    const auto found = group.nodes.find(index);
    if (found != group.nodes.end()) return found->second;
    throw BadInput(fmt::format("{}: found [{}]; allowed: an index of the array at {}",
                               connection.label(key), fmt::join(index, ", "), group.label));
  }

  std::vector<int> ends(const KeyReader& connection, const std::string& side) const {
    const std::string name = connection.text(side);
    const auto group = groups_.find(name);
    if (group == groups_.end()) {
      std::vector<std::string_view> names;
      for (const auto& entry : groups_) names.emplace_back(entry.first);
      throw BadInput(fmt::format("{}: found '{}', which is no endpoint or router; {}",
                                 connection.label(side), shown(name), advice(name, names)));
    }
    const std::string range = side + "_range", index = side + "_idx", level = side + "_lvl";
    if (connection.has(level)) {
      const int number = connection.integer(level, 0, kMaxArray);
      if (number < std::ssize(group->second.levels)) return group->second.levels[number];
      throw BadInput(fmt::format("{}: found {}; allowed: a level of a tree, below {}",
                                 connection.label(level), number, group->second.levels.size()));
    }
    if (connection.has(index))
      return {node_at(connection, index, group->second, integers(connection, index, 0, kMaxArray))};
    if (!connection.has(range)) return {node_at(connection, side, group->second, {})};
    std::vector<int> nodes;
    add_range(connection, range, group->second, ranges(connection, range), {}, nodes);
    return nodes;
  }

  static std::vector<std::pair<int, int>> ranges(const KeyReader& connection,
                                                 const std::string& key) {
    std::vector<std::pair<int, int>> all;
    for (const ConfigEntry& entry :
         filled_list(connection.node(key), connection.label(key), "list of [FIRST, LAST]")
             .entries) {
      if (entry.node.kind != ConfigNode::Kind::kList || entry.node.entries.size() != 2)
        throw BadInput(
            fmt::format("{}: found another entry; allowed: [FIRST, LAST]", connection.label(key)));
      const auto number = [&](int i) {
        return parse_integer(entry.node.entries[i].node.text, connection.label(key), 0, kMaxArray);
      };
      all.emplace_back(number(0), number(1));
    }
    if (all.size() > 2)
      throw BadInput(fmt::format("{}: found {} ranges; allowed: one or two", connection.label(key),
                                 all.size()));
    return all;
  }

  void connect(const KeyReader& connection) {
    const std::vector<int> from = ends(connection, "src"), to = ends(connection, "dst");
    const bool is_multiple = connection.has("allow_multi") && connection.boolean("allow_multi");
    const std::size_t most = std::max(from.size(), to.size()),
                      least = std::min(from.size(), to.size());
    if (most != least && (!is_multiple || most % least != 0))
      throw BadInput(
          fmt::format("{}: found {} sources and {} destinations; allowed: as many, or "
                      "with allow_multi a multiple",
                      connection.label("src"), from.size(), to.size()));
    for (std::size_t i = 0; i < most; ++i)
      join(from[i * from.size() / most], to[i * to.size() / most], connection.label("src"));
  }

  // ---- the machine

  // The array of routers, if the network is a mesh with one endpoint at each router.
  const NodeGroup* plain_mesh(const GraphSpec& graph) const {
    const NodeGroup *mesh = nullptr, *endpoints = nullptr;
    for (const auto& [name, group] : groups_) {
      if (std::exchange(group.is_router ? mesh : endpoints, &group) != nullptr) return nullptr;
    }
    if (mesh == nullptr || endpoints == nullptr || mesh->dimensions.size() != 2 ||
        endpoints->dimensions != mesh->dimensions ||
        std::ranges::max(mesh->dimensions) > kMaxImportSide)
      return nullptr;
    const int width = mesh->dimensions[0], height = mesh->dimensions[1];
    const int inner = (width - 1) * height + width * (height - 1);
    std::set<std::pair<int, int>> joined;
    for (const GraphLink& link : graph.links) joined.emplace(std::minmax(link.from, link.to));
    if (std::ssize(joined) != inner + width * height || joined.size() != graph.links.size())
      return nullptr;
    for (const auto& [index, node] : mesh->nodes)
      if (!joined.contains(std::minmax(node, endpoints->nodes.at(index)))) return nullptr;
    return mesh;
  }

  void finish() {
    const KeyReader routing = file_.map("routing");
    const std::string algorithm = routing.text("route_algo");
    GraphSpec graph = graph_.take();
    const bool is_xy = algorithm == "XY" || algorithm == "YX" || algorithm.ends_with("_MIRRORED");
    const NodeGroup* const mesh = is_xy ? plain_mesh(graph) : nullptr;
    if (mesh != nullptr) {
      add_mesh(mesh->dimensions[0], mesh->dimensions[1]);
      if (algorithm != "XY")
        machine_.note("route_algo", fmt::format("routers route X-Y, not {}", algorithm));
    } else {
      machine_.graph = std::move(graph);
      machine_.note("route_algo",
                    fmt::format("{}: a graph has deadlock-free shortest or up*/down* paths",
                                printable(algorithm)));
    }
    if (managers_ < machine_npus() && managers_ > 1)
      machine_.commands.push_back(
          fmt::format("run FILE --size 64KiB --group {}", manager_numbers()));
    machine_.note("addr_range, rob", "endpoints have no addresses, ports no reorder buffers");
    if (routing.has("collective"))
      machine_.note("collective", "set fabric.in_switch or switch.kind for reductions in switches");
  }

  int machine_npus() const {
    int all = 0;
    for (const auto& [name, group] : groups_)
      if (!group.is_router) all += static_cast<int>(group.nodes.size());
    return all;
  }

  std::string manager_numbers() const {
    std::vector<int> numbers;
    for (const auto& [name, group] : groups_)
      if (group.is_manager)
        for (const auto& [index, node] : group.nodes) numbers.push_back(node);
    std::ranges::sort(numbers);
    return fmt::format("{}", fmt::join(numbers, ","));
  }

  void add_mesh(int width, int height) {
    constexpr int kNicPorts = 4;
    machine_.keys = {{"npu.count", fmt::format("{}", width * height)},
                     {"npu.bandwidth", bandwidth_text(kNicPorts * bandwidth_)},
                     {"npu.receive_buffer", "auto"},
                     {"fabric.type", "mesh2d"},
                     {"fabric.width", fmt::format("{}", width)},
                     {"fabric.height", fmt::format("{}", height)},
                     {"fabric.link_bandwidth", bandwidth_text(bandwidth_)},
                     {"fabric.link_latency", format_time_ps(latency_ps_)},
                     {"switch.input_buffer", "auto"},
                     {"switch.control_buffer", "auto"}};
    machine_.note("endpoints",
                  "NPUs are numbered row by row: endpoint (x, y) is NPU y * width + x");
  }

  const KeyReader& file_;
  const ImportOptions& options_;
  ImportedMachine machine_;
  GraphBuilder graph_;
  std::map<std::string, NodeGroup> groups_;
  std::uint64_t bandwidth_ = 0, latency_ps_ = 0;
  int managers_ = 0;
};

ImportedMachine read_floogen(const std::string& path, const ImportOptions& options) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, "");
  return FloogenReader(path, file, options).read();
}

}  // namespace

const ImportFormat& floogen_format() {
  static constexpr ImportFormat kFormat{.name = "floogen",
                                        .aliases = "floonoc floo_noc",
                                        .reads = "configuration files of FlooGen (FlooNoC)",
                                        .read = read_floogen};
  return kFormat;
}

}  // namespace fredsim
