#include "collective/worker_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProbeBytes = 4
                                      << 20;  // so long that lengths of packets make no difference

// NPUs of a grid, row by row, every other row backwards.
std::vector<int> snake(const Topology& topology) {
  std::vector<std::tuple<int, int, int>> places;  // y, x in walking order, NPU
  for (int npu = 0; npu < std::ssize(topology.npus); ++npu) {
    const MeshPlace& place = topology.nodes[topology.nodes[topology.npus[npu]].above].mesh;
    places.emplace_back(place.y, place.y % 2 == 0 ? place.x : -place.x, npu);
  }
  std::ranges::sort(places);
  std::vector<int> path;
  for (const auto& [y, x, npu] : places) path.push_back(npu);
  return path;
}

// ns of all groups of a dimension at once.
double bound_of(Dimension dimension, const Strategy& strategy, const std::vector<int>& npus,
                const Topology& topology, const std::string& algorithm) {
  std::vector<CollectiveSpec> work;
  for (const std::vector<int>& group : groups_of(strategy, dimension)) {
    CollectiveSpec& spec = work.emplace_back();
    spec.collective = collective_of(dimension);
    spec.group = placed(group, npus);
    spec.bytes = kProbeBytes;
    spec.algorithm = algorithm;
    spec.vc = vc_of(dimension);
  }
  return work.empty() ? 0 : make_plan(topology, work, OnConflict::kUnicast).bound_ns;
}

}  // namespace

std::vector<int> snake_placement(const Strategy& strategy, const Topology& topology) {
  std::vector<int> npus = paper_placement(strategy);
  if (npus.size() > topology.npus.size())
    throw BadInput(fmt::format("placement: found {} workers; allowed: {}, the NPUs of {}",
                               npus.size(), topology.npus.size(), topology.name));
  if (topology.is_tree()) return npus;
  const std::vector<int> path = snake(topology);
  for (int& npu : npus) npu = path[npu];
  return npus;
}

WorkerPlacement auto_placement(const Strategy& strategy, const Topology& topology,
                               const std::string& algorithm) {
  WorkerPlacement paper{"paper", paper_placement(strategy)};
  if (topology.is_tree()) return paper;
  WorkerPlacement other{"snake", snake_placement(strategy, topology)};
  for (const Dimension dimension : std::array{Dimension::kMp, Dimension::kDp, Dimension::kPp}) {
    const double of_paper = bound_of(dimension, strategy, paper.npus, topology, algorithm);
    const double of_other = bound_of(dimension, strategy, other.npus, topology, algorithm);
    if (of_other != of_paper) return of_other < of_paper ? other : paper;
  }
  return paper;
}

}  // namespace fredsim
