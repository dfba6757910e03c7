// SPDX-License-Identifier: Apache-2.0
#include "optimize/job_demand.h"

#include <algorithm>

#include "base/member.h"
#include "plan/pattern.h"

namespace fredsim {
namespace {

class DemandSum {
 public:
  explicit DemandSum(int nodes) {
    demand_.nodes = nodes;
    demand_.pairs = PairDemand(nodes);
  }

  void add(const CollectiveSpec& spec, double times) {
    if (std::ranges::any_of(spec.group, is_io_member)) return;
    if (goes_along_rings(spec)) {
      set_of(spec.group).bytes += times * ring_bytes(spec) * static_cast<double>(spec.group.size());
      return;
    }
    for_each_transfer(
        spec, [&](int from, int to, double bytes) { demand_.pairs.at(from, to) += times * bytes; });
  }

  JobDemand take() { return std::move(demand_); }

 private:
  RingGroups& set_of(const std::vector<int>& group) {
    for (RingGroups& set : demand_.rings) {
      if (set.groups.front().size() != group.size()) continue;
      if (std::ranges::find(set.groups, group) != set.groups.end()) return set;
      const bool is_apart = std::ranges::none_of(set.groups, [&](const std::vector<int>& other) {
        return std::ranges::any_of(
            group, [&](int node) { return std::ranges::find(other, node) != other.end(); });
      });
      if (!is_apart) continue;
      set.groups.push_back(group);
      return set;
    }
    demand_.rings.push_back({{group}, 0});
    return demand_.rings.back();
  }

  JobDemand demand_;
};

}  // namespace

bool goes_along_rings(const CollectiveSpec& spec) {
  return pattern_of(spec.collective) == Pattern::kAllRanks;
}

double ring_bytes(const CollectiveSpec& spec) {
  const auto ranks = static_cast<double>(spec.group.size());
  const double passes = spec.collective == Collective::kAllReduce ? 2 : 1;
  return passes * static_cast<double>(spec.bytes) * (ranks - 1) / ranks;
}

void for_each_transfer(const CollectiveSpec& spec,
                       const std::function<void(int from, int to, double bytes)>& visit) {
  const auto ranks = static_cast<int>(spec.group.size());
  const auto bytes = static_cast<double>(spec.bytes);
  const std::vector<int>& group = spec.group;
  if (pattern_of(spec.collective) == Pattern::kOneRoot) {
    for (int i = 0; i + 1 < ranks; ++i) {
      const int near = group[(spec.root + i) % ranks], far = group[(spec.root + i + 1) % ranks];
      if (spec.collective == Collective::kReduce)
        visit(far, near, bytes);
      else
        visit(near, far, bytes);
    }
    return;
  }
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      if (i == j) continue;
      if (spec.collective == Collective::kUnicast) {
        if (i == spec.root) visit(group[i], group[j], bytes);
      } else if (spec.collective == Collective::kGather) {
        if (j == spec.root) visit(group[i], group[j], bytes / ranks);
      } else if (spec.collective == Collective::kScatter) {
        if (i == spec.root) visit(group[i], group[j], bytes / ranks);
      } else if (!spec.matrix.empty()) {
        visit(group[i], group[j],
              static_cast<double>(spec.matrix[static_cast<std::size_t>(i) * ranks + j]));
      } else {
        visit(group[i], group[j], bytes / ranks);
      }
    }
  }
}

JobDemand demand_of(const TaskGraph& graph, int nodes) {
  std::vector<double> times(graph.shapes.size());
  for (const GraphOperation& operation : graph.operations)
    times[operation.shape] += static_cast<double>(operation.times);
  DemandSum sum(nodes);
  for (std::size_t shape = 0; shape < graph.shapes.size(); ++shape)
    for (const CollectiveSpec& spec : graph.shapes[shape].work) sum.add(spec, times[shape]);
  return sum.take();
}

}  // namespace fredsim
