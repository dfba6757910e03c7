// SPDX-License-Identifier: Apache-2.0
#include "placement/worker_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "collective/plan_time.h"
#include "placement/detail/placement_search.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Required gain of a placement that is harder to read.
constexpr double kClearly = 0.99;
// Finalists of the search that are planned.
constexpr std::size_t kPlanned = 8;

// NPUs of a grid, row by row, every other row backwards.
std::vector<int> snake(const Topology& topology) {
  std::vector<std::tuple<int, int, int>> places;  // y, x in walking order, NPU
  for (int npu = 0; npu < std::ssize(topology.npus); ++npu) {
    const MeshPlace& place = topology.nodes[topology.nodes[topology.npus[npu]].above].mesh;
    places.emplace_back(place.y, place.y % 2 == 0 ? place.x : -place.x, npu);
  }
  std::ranges::sort(places);
  std::vector<int> path;
  path.reserve(places.size());
  for (const auto& [y, x, npu] : places) path.push_back(npu);
  return path;
}

std::vector<CollectiveSpec> placed_work(const WorkerTraffic& kind, const std::vector<int>& npus) {
  std::vector<CollectiveSpec> work = kind.work;
  for (CollectiveSpec& spec : work)
    for (int& member : spec.group)
      if (!is_io_member(member)) member = npus[member];
  return work;
}

// Time by plan_time.h's model where all traffic stays at the endpoints, else the bound.
double plan_ns(const Topology& topology, const Plan& plan) {
  const bool in_switch = std::ranges::any_of(
      plan.trees, [](const Tree& tree) { return tree.transport == Transport::kInSwitch; });
  if (in_switch || plan.trees.empty()) return plan.bound_ns;
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  const double cycle_ns = 1e9 / static_cast<double>(topology.clock_hz);
  return std::max(plan.bound_ns, estimated_cycles(topology, plan, walk) * cycle_ns);
}

// True for a difference that is large enough for a decision.
bool is_clearly_less(double ns, double than) { return ns < than * kClearly; }

class PlacementChooser {
 public:
  PlacementChooser(const Topology& topology, std::span<const WorkerTraffic> traffic,
                   const PlacementSearch& search)
      : topology_(topology), traffic_(traffic), search_(search) {}

  void offer(const char* name, const std::vector<int>& npus) {
    const double ns = placement_ns(topology_, traffic_, npus, search_);
    if (!best_.npus.empty() && !is_clearly_less(ns, ns_)) return;
    best_ = {name, npus};
    ns_ = ns;
  }

  // Offers placements in the order of the fast model's cost; a placement whose gain over the
  // earlier ones is negligible is left out.
  void offer_searched(PlacementLoad& load, std::vector<std::vector<int>> found) {
    std::vector<std::pair<double, std::size_t>> costs;
    for (std::size_t i = 0; i < found.size(); ++i) {
      load.place(found[i]);
      costs.emplace_back(load.cost(), i);
    }
    std::ranges::sort(costs);
    std::vector<std::pair<double, std::size_t>> planned;
    for (std::size_t i = 0; i < std::min(costs.size(), kPlanned); ++i) {
      const std::size_t which = costs[i].second;
      planned.emplace_back(placement_ns(topology_, traffic_, found[which], search_), i);
    }
    const auto& [ns, first] = std::ranges::min(planned);
    if (!is_clearly_less(ns, ns_)) return;
    best_ = {"searched", found[costs[first].second]};
    ns_ = ns;
  }

  const WorkerPlacement& best() const { return best_; }

 private:
  const Topology& topology_;
  std::span<const WorkerTraffic> traffic_;
  const PlacementSearch& search_;
  WorkerPlacement best_;
  double ns_ = 0;
};

bool has_all(const std::vector<int>& npus, const std::vector<int>& placement) {
  return std::ranges::all_of(placement,
                             [&](int npu) { return std::ranges::binary_search(npus, npu); });
}

// `simple`: placements in order of preference; on systems the first one is taken. `sizes`: nested
// dimensions.
WorkerPlacement choose(const std::vector<WorkerPlacement>& simple, const std::vector<int>& sizes,
                       const Topology& topology, std::span<const WorkerTraffic> traffic,
                       const PlacementSearch& search) {
  if (topology.has_blocks()) return simple.front();
  const auto workers = static_cast<int>(simple.front().npus.size());
  const std::vector<int> npus = npus_left(topology);
  PlacementLoad load(topology, traffic, workers);
  if (std::ssize(npus) < workers) return simple.front();  // the planner reports the error
  PlacementChooser chooser(topology, traffic, search);
  std::vector<std::vector<int>> starts;
  for (const WorkerPlacement& placement : simple) {
    if (!has_all(npus, placement.npus)) continue;
    chooser.offer(placement.name.c_str(), placement.npus);
    starts.push_back(placement.npus);
  }
  if (starts.empty()) {
    starts.emplace_back(npus.begin(), npus.begin() + workers);
    chooser.offer("searched", starts.front());
  }
  if (!load.depends_on_placement()) return chooser.best();
  load.place(chooser.best().npus);
  if (!is_clearly_less(load.min_cost(), load.cost())) return chooser.best();
  std::ranges::move(nested_placements(topology, npus, sizes), std::back_inserter(starts));
  chooser.offer_searched(load, search_placements(load, npus, std::move(starts), search.seed));
  return chooser.best();
}

}  // namespace

std::vector<int> snake_placement(const Strategy& strategy, const Topology& topology) {
  std::vector<int> npus = paper_placement(strategy);
  if (npus.size() > topology.npus.size())
    throw BadInput(fmt::format("placement: found {} workers; allowed: {}, the NPUs of {}",
                               npus.size(), topology.npus.size(), topology.name));
  if (!topology.has_places()) return npus;
  const std::vector<int> path = snake(topology);
  for (int& npu : npus) npu = path[npu];
  return npus;
}

double placement_ns(const Topology& topology, std::span<const WorkerTraffic> traffic,
                    const std::vector<int>& npus, const PlacementSearch& search) {
  double ns = 0;
  std::vector<CollectiveSpec> all;
  try {
    for (const WorkerTraffic& kind : traffic) {
      std::vector<CollectiveSpec> work = placed_work(kind, npus);
      if (search.at_once) {
        std::ranges::move(work, std::back_inserter(all));
      } else {
        ns += kind.times * plan_ns(topology, make_plan(topology, work, search.on_conflict));
      }
    }
    if (!all.empty()) ns = plan_ns(topology, make_plan(topology, all, search.on_conflict));
  } catch (const RoutingConflict&) {
    return std::numeric_limits<double>::infinity();
  }
  return ns;
}

WorkerPlacement auto_placement(const Strategy& strategy, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search) {
  std::vector<WorkerPlacement> simple;
  if (search.given) {
    simple.push_back(*search.given);
    simple.back().npus.resize(static_cast<std::size_t>(strategy.workers()));  // files may have more
  }
  simple.push_back({"paper", paper_placement(strategy)});
  if (topology.has_places()) simple.push_back({"snake", snake_placement(strategy, topology)});
  return choose(simple, {strategy.mp, strategy.dp, strategy.pp}, topology, traffic, search);
}

WorkerPlacement auto_placement(int workers, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search) {
  const WorkerPlacement identity{"identity", identity_placement(workers)};
  return choose({search.given.value_or(identity)}, {workers}, topology, traffic, search);
}

}  // namespace fredsim
