// SPDX-License-Identifier: Apache-2.0
#include "import/machine_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text_width.h"
#include "base/units.h"

namespace fredsim {
namespace {

constexpr std::size_t kLineWidth = 96;

std::string comment(const std::string& text, std::size_t hanging = 0) {
  std::string lines = "# ";
  for (const char c : wrap(printable(text), kLineWidth, hanging))
    lines += c == '\n' ? "\n# " : std::string(1, c);
  return lines + "\n";
}

// Entries of nodes: a run of nodes of one kind, named by a word and consecutive numbers from 0.
struct NodeRun {
  std::string name;
  int first = 0, count = 0;  // count 0: one node with this name
  int nodes() const { return std::max(count, 1); }
};

// The word of "gpu12" if the number is `number`, else empty.
std::string word_before(const std::string& name, int number) {
  const std::string digits = fmt::format("{}", number);
  if (!name.ends_with(digits) || name.size() == digits.size()) return "";
  return name.substr(0, name.size() - digits.size());
}

std::vector<NodeRun> runs_of(const GraphSpec& graph) {
  std::set<std::string> names;
  for (const GraphNode& node : graph.nodes) names.insert(node.name);
  std::vector<NodeRun> runs;
  for (int at = 0; at < std::ssize(graph.nodes);) {
    const std::string word = word_before(graph.nodes[at].name, 0);
    int count = 0;
    while (!word.empty() && at + count < std::ssize(graph.nodes) &&
           graph.nodes[at + count].is_switch == graph.nodes[at].is_switch &&
           graph.nodes[at + count].name == fmt::format("{}{}", word, count))
      ++count;
    if (count > 1 && names.insert(word).second)
      runs.push_back({word, at, count});
    else
      runs.push_back({graph.nodes[at].name, at, 0});
    at += runs.back().nodes();
  }
  return runs;
}

// Links of a graph as few entries.
class LinkEntries {
 public:
  LinkEntries(const GraphSpec& graph, const std::vector<NodeRun>& runs)
      : graph_(graph), runs_(runs), run_of_(graph.nodes.size()) {
    for (int r = 0; r < std::ssize(runs); ++r)
      for (int i = 0; i < runs[r].nodes(); ++i) run_of_[runs[r].first + i] = r;
  }

  std::string text() {
    std::map<Pair, std::map<std::pair<int, int>, int>> by_runs;
    for (const GraphLink& link : graph_.links) {
      auto [from, to] = std::minmax(link.from, link.to);
      by_runs[{{link.bandwidth, link.latency_ps, link.count}, run_of_[from], run_of_[to]}]
             [{from, to}] += 1;
    }
    std::string lines;
    for (const auto& [pair, links] : by_runs) lines += entries(pair, links);
    return lines;
  }

 private:
  using Rate = std::tuple<std::uint64_t, std::uint64_t, int>;
  struct Pair {
    Rate rate;
    int from = 0, to = 0;  // runs
    auto operator<=>(const Pair&) const = default;
  };
  using Links = std::map<std::pair<int, int>, int>;  // by both ends: number

  std::string entries(const Pair& pair, const Links& links) const {
    const NodeRun &from = runs_[pair.from], &to = runs_[pair.to];
    const bool are_single = std::ranges::all_of(links, [](const auto& l) { return l.second == 1; });
    const std::size_t all = pair.from == pair.to
                                ? static_cast<std::size_t>(from.nodes()) * (from.nodes() - 1) / 2
                                : static_cast<std::size_t>(from.nodes()) * to.nodes();
    if (are_single && links.size() == all && links.size() > 1)
      return entry(from.name, to.name, pair.rate);
    std::string lines;
    Links rest = links;
    if (are_single && pair.from != pair.to) {
      lines += stars(pair, rest, true);
      lines += stars(pair, rest, false);
    }
    for (const auto& [ends, number] : rest)
      for (int i = 0; i < number; ++i)
        lines += entry(graph_.nodes[ends.first].name, graph_.nodes[ends.second].name, pair.rate);
    return lines;
  }

  // Nodes of one run that all nodes of the other are joined to; removes their links.
  std::string stars(const Pair& pair, Links& links, bool is_to) const {
    const NodeRun& leaves = runs_[is_to ? pair.from : pair.to];
    if (leaves.count < 2) return "";
    std::map<int, int> degree;
    for (const auto& [ends, number] : links) ++degree[is_to ? ends.second : ends.first];
    std::string lines;
    for (const auto& [hub, leaf_links] : degree) {
      if (leaf_links != leaves.nodes()) continue;
      const std::string& name = graph_.nodes[hub].name;
      lines += is_to ? entry(leaves.name, name, pair.rate) : entry(name, leaves.name, pair.rate);
      std::erase_if(links, [&](const auto& link) {
        return (is_to ? link.first.second : link.first.first) == hub;
      });
    }
    return lines;
  }

  static std::string entry(const std::string& from, const std::string& to, const Rate& rate) {
    const auto& [bandwidth, latency_ps, count] = rate;
    return fmt::format("    - {{from: {}, to: {}, bandwidth: {}, latency: {}{}}}\n", from, to,
                       bandwidth_text(bandwidth), format_time_ps(latency_ps),
                       count > 1 ? fmt::format(", count: {}", count) : "");
  }

  const GraphSpec& graph_;
  const std::vector<NodeRun>& runs_;
  std::vector<int> run_of_;
};

std::string graph_text(const GraphSpec& graph) {
  const std::vector<NodeRun> runs = runs_of(graph);
  std::string text = "  nodes:\n";
  for (const NodeRun& run : runs)
    text += fmt::format("    - {{name: {}, kind: {}{}}}\n", run.name,
                        graph.nodes[run.first].is_switch ? "switch" : "npu",
                        run.count > 0 ? fmt::format(", count: {}", run.count) : "");
  return text + "  links:\n" + LinkEntries(graph, runs).text();
}

// Keys "section.key" and "section.list.1.key", a section at a time, in the order given.
std::string sections_text(const ImportedMachine& machine) {
  std::vector<std::string> sections;
  std::map<std::string, std::string> texts, last_entry;
  const auto section_text = [&](const std::string& name) -> std::string& {
    if (std::ranges::find(sections, name) == sections.end()) sections.push_back(name);
    return texts[name];
  };
  for (const auto& [key, value] : machine.keys) {
    const std::size_t dot = key.find('.');
    const std::string section = key.substr(0, dot), rest = key.substr(dot + 1);
    std::string& text = section_text(section);
    const std::size_t list = rest.find('.');
    if (list == std::string::npos) {
      text += fmt::format("  {}: {}\n", rest, value);
      continue;
    }
    const std::size_t end = rest.find('.', list + 1);
    const std::string entry = rest.substr(0, end), name = rest.substr(end + 1);
    const std::string heading = fmt::format("  {}:\n", rest.substr(0, list));
    if (text.find(heading) == std::string::npos) text += heading;
    if (last_entry[section] == entry) {
      text.resize(text.size() - std::string_view("}\n").size());
      text += fmt::format(", {}: {}}}\n", name, value);
    } else {
      text += fmt::format("    - {{{}: {}}}\n", name, value);
    }
    last_entry[section] = entry;
  }
  if (!machine.graph.nodes.empty())
    section_text("fabric") += "  type: graph\n" + graph_text(machine.graph);
  std::string all;
  for (const std::string& name : sections) all += fmt::format("{}:\n{}", name, texts[name]);
  return all;
}

}  // namespace

std::string bandwidth_text(std::uint64_t bytes_per_second) {
  struct Unit {
    std::uint64_t scale;
    std::string_view name;
  };
  constexpr auto kUnits = std::to_array<Unit>(
      {{1'000'000'000, "GB/s"}, {1'000'000, "MB/s"}, {1'000, "KB/s"}, {1, "B/s"}});
  const auto* const unit = std::ranges::find_if(
      kUnits, [&](const Unit& one) { return bytes_per_second >= one.scale || one.scale == 1; });
  std::string digits = fmt::format("{}", bytes_per_second / unit->scale);
  if (const std::uint64_t rest = bytes_per_second % unit->scale; rest > 0) {
    // Digits: as many as the unit has zeros, without the last zeros.
    digits += "." + fmt::format("{}", unit->scale + rest).substr(1);
    digits.resize(digits.find_last_not_of('0') + 1);
  }
  return fmt::format("{} {}", digits, unit->name);
}

std::string machine_text(const ImportedMachine& machine, std::string_view format,
                         const std::string& path) {
  std::string text = comment(fmt::format("Made from {} by `fredsim import {}`.",
                                         std::filesystem::path(path).filename().string(), format));
  for (const std::string& fact : machine.facts) text += comment(fact);
  if (!machine.commands.empty()) text += comment("With this file as FILE:");
  for (const std::string& command : machine.commands)
    text += fmt::format("#   fredsim {}\n", printable(command));
  if (!machine.notes.empty()) text += comment("Not as in that file:");
  for (const auto& [keys, reason] : machine.notes)
    text += comment(fmt::format("  {}: {}", keys, reason), 4);
  return fmt::format("{}name: {}\nclock: {}\n{}", text, machine.name, machine.clock,
                     sections_text(machine));
}

}  // namespace fredsim
