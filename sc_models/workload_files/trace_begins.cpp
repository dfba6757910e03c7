// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_begins.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "workload_files/node_place.h"

namespace fredsim {

std::vector<std::uint64_t> earliest_begins(const std::string& path,
                                           const std::vector<TraceNode>& nodes) {
  std::unordered_map<std::uint64_t, std::size_t> at;
  for (std::size_t n = 0; n < nodes.size(); ++n) at.emplace(nodes[n].id, n);
  std::vector<std::vector<std::size_t>> next(nodes.size());
  std::vector<std::size_t> lacks(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const std::uint64_t id : nodes[n].after) {
      const auto found = at.find(id);
      if (found == at.end())
        throw BadInput(fmt::format("{}: found {}; allowed: the id of a node",
                                   node_place(path, nodes[n].id, nodes[n].name, "dependencies"),
                                   id));
      next[found->second].push_back(n);
      ++lacks[n];
    }
  std::vector<std::size_t> ready;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (lacks[n] == 0) ready.push_back(n);
  std::vector<std::uint64_t> begins(nodes.size(), 0);
  std::size_t done = 0;
  for (; done < ready.size(); ++done) {
    const std::size_t n = ready[done];
    const std::uint64_t end = begins[n] + nodes[n].duration_ps;
    for (const std::size_t other : next[n]) {
      begins[other] = std::max(begins[other], end);
      if (--lacks[other] == 0) ready.push_back(other);
    }
  }
  if (done != nodes.size())
    throw BadInput(
        fmt::format("{}: circular dependencies between {} nodes", path, nodes.size() - done));
  return begins;
}

TraceBegins trace_begins(const std::string& path, const std::vector<TraceNode>& nodes) {
  if (std::ranges::none_of(nodes, [](const TraceNode& node) { return node.start_ps != 0; }))
    return {.is_recorded = false, .ps = earliest_begins(path, nodes)};
  TraceBegins begins{.is_recorded = true};
  for (const TraceNode& node : nodes) begins.ps.push_back(node.start_ps);
  return begins;
}

std::uint64_t first_begin(const std::vector<TraceNode>& nodes, const TraceBegins& begins) {
  std::uint64_t first = 0;
  bool is_known = false;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].duration_ps == 0) continue;
    first = is_known ? std::min(first, begins.ps[n]) : begins.ps[n];
    is_known = true;
  }
  return first;
}

}  // namespace fredsim
