// SPDX-License-Identifier: Apache-2.0
#include "report/trace_dot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <pugixml.hpp>
#include <sstream>
#include <unordered_map>

#include "base/child_process.h"
#include "base/error.h"

namespace fredsim {
namespace {

using NodeNumbers = std::vector<std::size_t>;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// "name [2]" as the name and 2; other texts as they are and 0.
std::pair<std::string, std::uint64_t> name_and_place(const std::string& text) {
  const std::size_t open = text.rfind(" [");
  if (open != std::string::npos && text.ends_with(']'))
    if (const auto place =
            whole_number(std::string_view(text).substr(open + 2, text.size() - open - 3)))
      return {text.substr(0, open), *place};
  return {text, 0};
}

[[noreturn]] void refuse_node(const ShownTrace& trace, const std::string& text) {
  constexpr std::size_t kNames = 3;
  std::vector<std::string> alike;
  for (const TraceNode& node : trace.nodes)
    if (alike.size() < kNames && node.name.find(text) != std::string::npos &&
        std::ranges::count(alike, node.name) == 0)
      alike.push_back(node.name);
  throw BadInput(fmt::format("--from: found '{}'; allowed: the id or name of a node of {}{}{}",
                             text, trace.path, alike.empty() ? "" : ", such as ",
                             fmt::join(alike, ", ")));
}

std::size_t node_named(const ShownTrace& trace, const std::string& text) {
  const std::vector<TraceNode>& nodes = trace.nodes;
  if (const auto id = whole_number(text)) {
    const auto found = std::ranges::find(nodes, *id, &TraceNode::id);
    if (found != nodes.end()) return static_cast<std::size_t>(found - nodes.begin());
  }
  const auto find = [&](const std::string& name, std::uint64_t place) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].name == name && place-- == 0) return std::optional(n);
    return std::optional<std::size_t>();
  };
  if (const auto whole = find(text, 0)) return *whole;
  const auto [name, place] = name_and_place(text);
  if (const auto found = find(name, place)) return *found;
  refuse_node(trace, text);
}

// Nodes by their distance from one, at most `depth`.
NodeNumbers nodes_around(std::size_t from, std::uint64_t depth,
                         const std::vector<NodeNumbers>& before,
                         const std::vector<NodeNumbers>& behind) {
  NodeNumbers found{from};
  std::vector<bool> is_found(before.size());
  is_found[from] = true;
  std::size_t next = 0;
  for (std::uint64_t distance = 0; distance < depth && next < found.size(); ++distance) {
    for (const std::size_t end = found.size(); next < end; ++next) {
      const std::size_t at = found[next];
      for (const auto* const others : {&before[at], &behind[at]})
        for (const std::size_t other : *others) {
          if (is_found[other]) continue;
          is_found[other] = true;
          found.push_back(other);
        }
    }
  }
  return found;
}

// Text in quotes, for DOT; no line breaks and no control characters.
std::string dot_quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return all + "\"";
}

std::string duration_text(std::uint64_t ps) {
  constexpr double kPsOfUs = 1e6, kPsOfMs = 1e9;
  const auto value = static_cast<double>(ps);
  if (ps == 0) return "no time";
  return value < kPsOfMs ? fmt::format("{:.1f} µs", value / kPsOfUs)
                         : fmt::format("{:.3f} ms", value / kPsOfMs);
}

struct DrawnKind {
  std::string_view shape, style, colour;
};
constexpr std::array<DrawnKind, 4> kDrawnKinds{{{"box", "filled", "#e8e8e8"},
                                                {"box", "rounded,filled", "#cfe3f5"},
                                                {"cylinder", "filled", "#d5ecd8"},
                                                {"ellipse", "filled", "#fbdcc4"}}};

// Program in a folder of PATH; empty: none.
std::string program_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return "";
}

// A file in memory that child processes can open.
class SharedText {
 public:
  explicit SharedText(std::string_view text) : file_(::memfd_create("fredsim", 0)) {
    for (ssize_t written = 0; file_ >= 0 && !text.empty();
         text.remove_prefix(static_cast<std::size_t>(written))) {
      written = ::write(file_, text.data(), text.size());
      if (written < 0) throw RunFailed("--graph: no memory for a file that dot reads");
    }
  }
  ~SharedText() { ::close(file_); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;
  std::string path() const { return fmt::format("/dev/fd/{}", file_); }

 private:
  int file_;
};

// Text without what XML cannot have.
std::string xml_text(const std::string& text) {
  std::string all = text;
  std::ranges::replace_if(
      all, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return all;
}

struct GraphMlKey {
  const char* name;
  const char* type;
  std::string (*value)(const ShownTrace&, std::size_t);  // empty: none
};
constexpr std::array<GraphMlKey, 8> kGraphMlKeys{{
    {"name", "string", [](const ShownTrace& t, std::size_t n) { return t.nodes[n].name; }},
    {"type", "string",
     [](const ShownTrace& t, std::size_t n) { return std::string(to_string(t.nodes[n].type)); }},
    {"lane", "string",
     [](const ShownTrace& t, std::size_t n) {
       return trace_lane_text(t.nodes[n].on_cpu, t.nodes[n].stream);
     }},
    {"begin_ps", "long",
     [](const ShownTrace& t, std::size_t n) { return fmt::to_string(t.begins.ps[n]); }},
    {"duration_ps", "long",
     [](const ShownTrace& t, std::size_t n) { return fmt::to_string(t.nodes[n].duration_ps); }},
    {"bytes", "long",
     [](const ShownTrace& t, std::size_t n) {
       return fmt::to_string(is_communication(t.nodes[n]) ? t.nodes[n].bytes
                                                          : t.nodes[n].tensor_bytes);
     }},
    {"collective", "string",
     [](const ShownTrace& t, std::size_t n) {
       return t.nodes[n].type == TraceNodeType::kCollective
                  ? std::string(to_string(t.nodes[n].collective))
                  : std::string();
     }},
    {"group", "string", [](const ShownTrace& t, std::size_t n) { return t.nodes[n].group; }},
}};

}  // namespace

TraceSubgraph trace_subgraph(const ShownTrace& trace, const TraceGraphChoice& choice) {
  const std::vector<TraceNode>& nodes = trace.nodes;
  std::unordered_map<std::uint64_t, std::size_t> at;
  for (std::size_t n = 0; n < nodes.size(); ++n) at.emplace(nodes[n].id, n);
  std::vector<NodeNumbers> before(nodes.size()), behind(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const std::uint64_t id : nodes[n].after)
      if (const auto known = at.find(id); known != at.end()) {
        before[n].push_back(known->second);
        behind[known->second].push_back(n);
      }
  TraceSubgraph graph;
  if (choice.from.empty()) {
    graph.nodes.resize(nodes.size());
    std::iota(graph.nodes.begin(), graph.nodes.end(), 0);
    std::ranges::stable_sort(graph.nodes, {}, [&](std::size_t n) { return trace.begins.ps[n]; });
  } else {
    graph.from = node_named(trace, choice.from);
    graph.nodes = nodes_around(*graph.from, choice.depth, before, behind);
  }
  const std::size_t taken = std::min(choice.most, graph.nodes.size());
  graph.left_out = graph.nodes.size() - taken;
  graph.nodes.resize(taken);
  std::vector<bool> is_taken(nodes.size());
  for (const std::size_t n : graph.nodes) is_taken[n] = true;
  for (const std::size_t n : graph.nodes)
    for (const std::size_t other : before[n])
      if (is_taken[other]) graph.edges.emplace_back(other, n);
  return graph;
}

std::string trace_dot(const ShownTrace& trace, const TraceSubgraph& graph) {
  std::string caption = dot_quoted(
      fmt::format("{}: {} of {} nodes", trace.path, graph.nodes.size(), trace.nodes.size()));
  caption.pop_back();
  std::string text = fmt::format(
      "digraph {} {{\n"
      "  label={}\\nBoxes: CPU; rounded: GPU; cylinders: copies; ellipses: communication\";\n"
      "  fontname=\"Helvetica\"; fontsize=10;\n"
      "  node [fontname=\"Helvetica\", fontsize=10, margin=\"0.1,0.04\"];\n"
      "  edge [color=\"#606060\", arrowsize=0.7];\n",
      dot_quoted(trace.path), caption);
  for (const std::size_t n : graph.nodes) {
    const TraceNode& node = trace.nodes[n];
    const DrawnKind& kind = kDrawnKinds[static_cast<std::size_t>(trace_kind(node))];
    std::string label = dot_quoted(fmt::format("{:.36}", node.name.empty() ? "-" : node.name));
    label.pop_back();
    text += fmt::format(
        "  n{} [label={}\\n{}, {}\", tooltip={}, shape={}, style=\"{}\", fillcolor=\"{}\"{}];\n",
        node.id, label, trace_lane_text(node.on_cpu, node.stream), duration_text(node.duration_ps),
        dot_quoted(fmt::format("{}: {}", node.id, node.name)), kind.shape, kind.style, kind.colour,
        graph.from == n ? ", penwidth=3" : "");
  }
  for (const auto& [before, after] : graph.edges)
    text += fmt::format("  n{} -> n{};\n", trace.nodes[before].id, trace.nodes[after].id);
  return text + "}\n";
}

std::string trace_graphml(const ShownTrace& trace, const TraceSubgraph& graph) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  for (const GraphMlKey& key : kGraphMlKeys) {
    pugi::xml_node element = root.append_child("key");
    element.append_attribute("id") = key.name;
    element.append_attribute("for") = "node";
    element.append_attribute("attr.name") = key.name;
    element.append_attribute("attr.type") = key.type;
  }
  pugi::xml_node drawn = root.append_child("graph");
  drawn.append_attribute("id") = xml_text(trace.path).c_str();
  drawn.append_attribute("edgedefault") = "directed";
  const auto id_of = [&](std::size_t n) { return fmt::format("n{}", trace.nodes[n].id); };
  for (const std::size_t n : graph.nodes) {
    pugi::xml_node element = drawn.append_child("node");
    element.append_attribute("id") = id_of(n).c_str();
    for (const GraphMlKey& key : kGraphMlKeys) {
      const std::string value = xml_text(key.value(trace, n));
      if (value.empty()) continue;
      pugi::xml_node datum = element.append_child("data");
      datum.append_attribute("key") = key.name;
      datum.text() = value.c_str();
    }
  }
  for (const auto& [before, after] : graph.edges) {
    pugi::xml_node element = drawn.append_child("edge");
    element.append_attribute("source") = id_of(before).c_str();
    element.append_attribute("target") = id_of(after).c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::string svg_of_dot(const std::string& dot) {
  const std::string program = program_in_path("dot");
  if (program.empty())
    throw BadInput(
        "--graph: found no program dot of Graphviz in PATH; allowed: a file .dot or .graphml, or "
        "an installed Graphviz");
  const SharedText input(dot);
  std::optional<std::string> svg = output_of({.words = {program, "-Tsvg", input.path()}});
  if (!svg || svg->empty())
    throw BadInput(fmt::format("--graph: {} failed; allowed: a file .dot or .graphml", program));
  return std::move(*svg);
}

}  // namespace fredsim
