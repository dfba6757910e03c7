// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/time_spans.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/trace_begins.h"

namespace fredsim {
namespace {

// Longest chain of durations.
std::uint64_t critical_path(const std::string& path, const std::vector<TraceNode>& nodes) {
  const std::vector<std::uint64_t> begins = earliest_begins(path, nodes);
  std::uint64_t longest = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    longest = std::max(longest, begins[n] + nodes[n].duration_ps);
  return longest;
}

}  // namespace

TraceQuantiles quantiles_of(std::vector<std::uint64_t> values) {
  TraceQuantiles found{.count = values.size()};
  if (values.empty()) return found;
  std::ranges::sort(values);
  found.max = values.back();
  for (std::size_t q = 0; q < TraceQuantiles::kPercents.size(); ++q) {
    const auto percent = static_cast<std::size_t>(TraceQuantiles::kPercents[q]);
    found.values[q] = values[(values.size() * percent + 99) / 100 - 1];
  }
  return found;
}

std::vector<TraceNode> read_trace_nodes(const std::string& path) {
  std::vector<TraceNode> nodes;
  for (const auto dependencies : {TraceDependencies::kAll, TraceDependencies::kData}) {
    ChakraReader reader(path, dependencies);
    nodes.clear();
    std::unordered_set<std::uint64_t> ids;
    for (TraceNode node; reader.next(node);) {
      ids.insert(node.id);
      nodes.push_back(node);
    }
    const auto is_there = [&ids](std::uint64_t caller) { return ids.contains(caller); };
    if (std::ranges::all_of(nodes, [&](const TraceNode& node) {
          return std::ranges::all_of(node.callers, is_there);
        }))
      break;
  }
  return nodes;
}

TraceInfo trace_info(const std::string& path, const std::vector<TraceNode>& nodes) {
  TraceInfo info{.nodes = nodes.size()};
  std::vector<std::uint64_t> durations, sizes;
  TimeSpans<std::uint64_t> communicates, computes;
  bool is_recorded = false;
  for (const TraceNode& node : nodes) {
    info.dependencies += node.after.size();
    info.work_ps += node.duration_ps;
    const std::uint64_t bytes = is_communication(node) ? node.bytes : node.tensor_bytes;
    const auto add = [&](TraceTally& tally) {
      ++tally.count;
      tally.ps += node.duration_ps;
      tally.bytes += bytes;
    };
    add(info.types[node.type]);
    add(info.lanes[{node.on_cpu, node.stream}]);
    if (node.type == TraceNodeType::kCollective)
      add(info.collectives[{std::string(to_string(node.collective)), node.group}]);
    else if (is_communication(node))
      add(info.collectives[{std::string(to_string(node.type)), node.group}]);
    if (node.duration_ps != 0) durations.push_back(node.duration_ps);
    if (is_communication(node)) sizes.push_back(node.bytes);
    is_recorded = is_recorded || node.start_ps != 0;
    if (!node.on_cpu && node.duration_ps != 0)
      (is_communication(node) ? communicates : computes)
          .emplace_back(node.start_ps, node.start_ps + node.duration_ps);
  }
  info.durations = quantiles_of(std::move(durations));
  info.sizes = quantiles_of(std::move(sizes));
  if (is_recorded) info.exposed_ps = uncovered_time(std::move(communicates), computes);
  info.critical_ps = critical_path(path, nodes);
  constexpr std::size_t kLongest = 10;
  info.longest.resize(std::min(kLongest, nodes.size()));
  std::ranges::partial_sort_copy(nodes, info.longest, [](const TraceNode& a, const TraceNode& b) {
    return std::pair(a.duration_ps, b.id) > std::pair(b.duration_ps, a.id);
  });
  return info;
}

TraceDifferences trace_differences(const std::vector<TraceNode>& a, const std::vector<TraceNode>& b,
                                   std::size_t most) {
  TraceDifferences found;
  const auto say = [&](std::string text) {
    if (++found.count <= most) found.first.push_back(std::move(text));
  };
  using Key = std::pair<std::string, std::size_t>;  // name, position among equal names
  const auto by_name = [](const std::vector<TraceNode>& nodes) {
    std::map<std::string, std::size_t> seen;
    std::map<Key, const TraceNode*> keys;
    std::unordered_map<std::uint64_t, Key> of_id;
    for (const TraceNode& node : nodes) {
      const Key key{node.name, seen[node.name]++};
      keys.emplace(key, &node);
      of_id.emplace(node.id, key);
    }
    return std::pair(std::move(keys), std::move(of_id));
  };
  const auto [nodes_a, ids_a] = by_name(a);
  const auto [nodes_b, ids_b] = by_name(b);
  const auto text_of = [](const Key& key) { return fmt::format("{} [{}]", key.first, key.second); };
  const auto after = [&](const TraceNode& node, const auto& ids) {
    std::vector<std::string> names;
    for (const std::uint64_t id : node.after) {
      const auto known = ids.find(id);
      names.push_back(known == ids.end() ? fmt::to_string(id) : text_of(known->second));
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
  };
  for (const auto& [key, one] : nodes_a) {
    const auto other = nodes_b.find(key);
    if (other == nodes_b.end()) {
      say(fmt::format("{}: only in the first", text_of(key)));
      continue;
    }
    const TraceNode& two = *other->second;
    const auto differs = [&](const char* field, const auto& x, const auto& y) {
      if (x != y) say(fmt::format("{}: {}: {}, {}", text_of(key), field, x, y));
    };
    differs("type", to_string(one->type), to_string(two.type));
    differs("duration_ps", one->duration_ps, two.duration_ps);
    differs("start_ps", one->start_ps, two.start_ps);
    differs("is_cpu_op", one->on_cpu, two.on_cpu);
    differs("stream", one->stream, two.stream);
    differs("num_ops", one->operations, two.operations);
    differs("tensor_size", one->tensor_bytes, two.tensor_bytes);
    if (is_communication(*one) && one->type == two.type) {
      differs("comm_type", to_string(one->collective), to_string(two.collective));
      differs("comm_size", one->bytes, two.bytes);
      differs("peer", one->peer, two.peer);
      differs("comm_tag", one->tag, two.tag);
      differs("comm_priority", one->priority, two.priority);
      differs("pg_name", one->group, two.group);
    }
    differs("after", after(*one, ids_a), after(two, ids_b));
  }
  for (const auto& [key, two] : nodes_b)
    if (!nodes_a.contains(key)) say(fmt::format("{}: only in the second", text_of(key)));
  return found;
}

}  // namespace fredsim
