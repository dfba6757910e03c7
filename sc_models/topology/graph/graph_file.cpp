// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_file.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "base/units.h"
#include "topology/graph/graph.h"

namespace fredsim {
namespace {

constexpr std::array<std::string_view, 3> kNodeKinds = {"npu", "switch", "adder"};
constexpr std::array kKindAliases = {Alias{"npu", "gpu xpu tpu cpu host node endpoint rank"},
                                     Alias{"switch", "router nvswitch leaf spine tor"},
                                     Alias{"adder", "reducer sharp in_switch"}};
constexpr int kSwitch = 1, kAdder = 2;
constexpr int kMaxCounted = kMaxGraphNpus;
constexpr int kMaxLinks = 1 << 20;

// Listed nodes; each entry is a number of nodes.
class NodeList {
 public:
  // `kind`: index in kNodeKinds.
  void add(const std::string& name, int kind, int count, bool is_counted,
           const std::string& label) {
    if (!named_.emplace(name, std::pair(static_cast<int>(spec_.nodes.size()), count)).second)
      throw BadInput(fmt::format("{}: found the name '{}' twice; allowed: each once", label, name));
    if (static_cast<int>(spec_.nodes.size()) + count > kMaxGraphNpus + kMaxGraphSwitches) {
      throw BadInput(
          fmt::format("{}: found more than {} nodes; allowed: up to {} NPUs and {} "
                      "switches",
                      label, kMaxGraphNpus + kMaxGraphSwitches, kMaxGraphNpus, kMaxGraphSwitches));
    }
    for (int i = 0; i < count; ++i)
      spec_.nodes.push_back({.name = is_counted ? fmt::format("{}{}", name, i) : name,
                             .is_switch = kind == kSwitch,
                             .label = label,
                             .is_adder = kind == kAdder});
  }

  // `link`: all but its ends.
  void join(const std::string& from, const std::string& from_label, const std::string& to,
            const std::string& to_label, const GraphLink& link) {
    const auto [first, sources] = nodes_called(from, from_label);
    const auto [second, targets] = nodes_called(to, to_label);
    if (static_cast<std::int64_t>(spec_.links.size()) + std::int64_t{sources} * targets > kMaxLinks)
      throw BadInput(fmt::format("{}: found more than {} links; allowed: up to {}", link.label,
                                 kMaxLinks, kMaxLinks));
    for (int a = 0; a < sources; ++a) {
      for (int b = 0; b < targets; ++b) {
        // Full connection of all nodes of a name: each pair once.
        if (first == second && sources > 1 && b <= a) continue;
        GraphLink one = link;
        one.from = first + a;
        one.to = second + b;
        spec_.links.push_back(std::move(one));
      }
    }
  }

  GraphSpec take(std::string label) {
    spec_.label = std::move(label);
    check_graph(spec_);
    return std::move(spec_);
  }

 private:
  // First node and number of nodes of a name, or of one of several nodes, "a3".
  std::pair<int, int> nodes_called(const std::string& name, const std::string& label) {
    if (const auto named = named_.find(name); named != named_.end()) return named->second;
    if (by_name_.size() != spec_.nodes.size()) {
      by_name_.clear();
      for (int i = 0; i < std::ssize(spec_.nodes); ++i) by_name_.emplace(spec_.nodes[i].name, i);
    }
    if (const auto one = by_name_.find(name); one != by_name_.end()) return {one->second, 1};
    std::vector<std::string_view> names;
    for (const auto& [known, place] : named_) names.emplace_back(known);
    throw BadInput(fmt::format("{}: found '{}', which no node is called; {}", label, name,
                               advice(name, names)));
  }

  GraphSpec spec_;
  std::map<std::string, std::pair<int, int>> named_;
  std::map<std::string, int> by_name_;
};

std::uint64_t latency_of(const KeyReader& link, const DefaultLatency& default_latency_ps) {
  if (link.has("latency")) return link.time_ps("latency");
  if (const std::optional<std::uint64_t> common = default_latency_ps()) return *common;
  throw BadInput(
      fmt::format("{}: found no latency; allowed: latency, or fabric.link_latency in the machine "
                  "file",
                  link.label()));
}

// Rows of the keys of a machine's own lists, which are the same.
std::vector<FileKey> file_rows() {
  constexpr std::string_view kSection = "fabric.";
  std::vector<FileKey> rows;
  for (const FabricKey& key : graph_kind().keys()) {
    const std::string_view path = key.path.substr(kSection.size());
    if (path == "graph") continue;
    FileKey& row = rows.emplace_back(
        FileKey{path, key.meaning, key.holds, key.default_value, key.is_optional});
    row.words = key.words;
    row.form = key.holds == Holds::kList ? "list of entries with keys" : "";
    if (key.holds == Holds::kInteger) row.min = 1, row.max = kMaxCounted;
    if (path == "links.latency") row.is_optional = true, row.unit = "time";
    if (path == "links.bandwidth") row.unit = "bandwidth";
  }
  return rows;
}

}  // namespace

const FileKeys& graph_file_keys() {
  static const std::vector<FileKey> kRows = file_rows();
  static const FileKeys kFile{.name = "graph",
                              .title = "graph files",
                              .given = "`fabric: {type: graph, graph: FILE}` in a machine file",
                              .source = "sc_models/topology/graph/graph_kind.cpp",
                              .keys = kRows,
                              .has_paths = true};
  return kFile;
}

DefaultLatency default_latency(const FabricKeys& keys) {
  return [&keys]() -> std::optional<std::uint64_t> {
    constexpr std::string_view kKey = "fabric.link_latency";
    if (!keys.has(kKey)) return std::nullopt;
    return keys.time_ps(kKey);
  };
}

GraphSpec read_graph(const FabricKeys& keys) {
  NodeList list;
  for (int n = 1; n <= keys.entries("fabric.nodes"); ++n) {
    const auto key = [&](std::string_view name) {
      return fmt::format("fabric.nodes.{}.{}", n, name);
    };
    const bool is_counted = keys.has(key("count"));
    list.add(keys.text(key("name")), keys.choice(key("kind"), kNodeKinds, kKindAliases),
             keys.integer(key("count"), 1, kMaxCounted), is_counted, keys.label(key("name")));
  }
  for (int n = 1; n <= keys.entries("fabric.links"); ++n) {
    const auto key = [&](std::string_view name) {
      return fmt::format("fabric.links.{}.{}", n, name);
    };
    GraphLink link;
    link.bandwidth = keys.bandwidth(key("bandwidth"));
    link.latency_ps =
        keys.time_ps(keys.has(key("latency")) ? key("latency") : "fabric.link_latency");
    link.count = keys.integer(key("count"), 1, kMaxCounted);
    link.one_way = keys.has(key("one_way")) && keys.boolean(key("one_way"));
    if (keys.has(key("efficiency")))
      link.efficiency = parse_share(keys.text(key("efficiency")), keys.label(key("efficiency")));
    link.label = keys.label(fmt::format("fabric.links.{}", n));
    list.join(keys.text(key("from")), keys.label(key("from")), keys.text(key("to")),
              keys.label(key("to")), link);
  }
  return list.take(keys.label("fabric.nodes"));
}

GraphSpec read_graph_file(const std::string& path, const DefaultLatency& default_latency_ps) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, graph_file_keys());
  NodeList list;
  for (const KeyReader& node : file.list("nodes"))
    list.add(node.text("name"), node.choice("kind", kKindAliases), node.integer("count"),
             node.has("count"), node.label("name"));
  for (const KeyReader& one : file.list("links")) {
    GraphLink link;
    link.bandwidth = one.bandwidth("bandwidth");
    link.latency_ps = latency_of(one, default_latency_ps);
    link.count = one.integer("count");
    link.one_way = one.flag("one_way");
    if (one.has("efficiency"))
      link.efficiency = parse_share(one.text("efficiency"), one.label("efficiency"));
    link.label = one.label();
    list.join(one.text("from"), one.label("from"), one.text("to"), one.label("to"), link);
  }
  return list.take(file.label("nodes"));
}

}  // namespace fredsim
