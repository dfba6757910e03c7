// SPDX-License-Identifier: Apache-2.0
#include "workload/worker_traffic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/member.h"

namespace fredsim {
namespace {

using Key = std::tuple<Collective, int, int, int, std::string, std::vector<int>, std::uint64_t>;

Key key_of(const CollectiveSpec& spec, std::uint64_t size) {
  return {spec.collective, spec.vc, spec.root, spec.roots, spec.algorithm, spec.group, size};
}

// Groups of workers that are under way together.
std::vector<CollectiveSpec> set_of(const OperationShape& shape, const std::map<int, int>& workers) {
  std::vector<CollectiveSpec> set = shape.work;
  const CollectiveSpec& first = shape.work.front();
  for (const auto* others : {&shape.before, &shape.beside})
    std::ranges::copy_if(*others, std::back_inserter(set), [&](const CollectiveSpec& spec) {
      return spec.collective == first.collective && spec.vc == first.vc;
    });
  for (CollectiveSpec& spec : set)
    for (int& member : spec.group)
      if (!is_io_member(member)) member = workers.at(member);
  std::ranges::sort(set, {}, [](const CollectiveSpec& spec) { return key_of(spec, spec.bytes); });
  return set;
}

}  // namespace

std::vector<WorkerTraffic> worker_traffic(const TaskGraph& graph, const std::vector<int>& npus) {
  std::map<int, int> workers;  // by NPU
  for (std::size_t w = 0; w < npus.size(); ++w) workers[npus[w]] = static_cast<int>(w);
  std::vector<double> times(graph.shapes.size());
  for (const GraphOperation& operation : graph.operations)
    times[operation.shape] += static_cast<double>(operation.times);

  // One stage stands for all of a set, the one that repeats it most.
  std::vector<WorkerTraffic> sets;
  std::map<std::vector<Key>, std::size_t> place;
  for (std::size_t s = 0; s < graph.shapes.size(); ++s) {
    WorkerTraffic set{.work = set_of(graph.shapes[s], workers), .times = times[s]};
    std::vector<Key> key;
    for (const CollectiveSpec& spec : set.work) key.push_back(key_of(spec, spec.bytes));
    const auto [at, is_new] = place.try_emplace(std::move(key), sets.size());
    if (is_new) {
      sets.push_back(std::move(set));
    } else {
      sets[at->second].times = std::max(sets[at->second].times, set.times);
    }
  }

  std::vector<WorkerTraffic> traffic;
  std::vector<std::vector<double>> bytes;  // bytes of all repetitions, by group
  std::map<std::vector<Key>, std::size_t> alike;
  for (WorkerTraffic& set : sets) {
    std::vector<Key> key;
    for (const CollectiveSpec& spec : set.work)
      key.push_back(key_of(spec, std::bit_width(spec.bytes)));
    const auto [at, is_new] = alike.try_emplace(std::move(key), traffic.size());
    if (is_new) {
      traffic.push_back({.work = set.work, .times = 0});
      bytes.emplace_back(set.work.size());
    }
    traffic[at->second].times += set.times;
    for (std::size_t i = 0; i < set.work.size(); ++i)
      bytes[at->second][i] += set.times * static_cast<double>(set.work[i].bytes);
  }
  for (std::size_t t = 0; t < traffic.size(); ++t)
    for (std::size_t i = 0; i < traffic[t].work.size(); ++i)
      traffic[t].work[i].bytes =
          static_cast<std::uint64_t>(std::llround(bytes[t][i] / traffic[t].times));
  return traffic;
}

}  // namespace fredsim
