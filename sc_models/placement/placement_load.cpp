// SPDX-License-Identifier: Apache-2.0
#include "placement/placement_load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/member.h"
#include "collective/algorithm.h"
#include "collective/endpoint_trees.h"
#include "plan/collective_spec.h"
#include "plan/hop_times.h"
#include "plan/link_walk.h"
#include "routing/nic_port.h"
#include "switch/node_shape.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Share of the mean load in the cost: decides between placements with equal load on the busiest
// link.
constexpr double kMeanShare = 0.02;
// Limits of stars, which have as many hops as pairs, and win for small data.
constexpr std::size_t kMaxStar = 32;
constexpr std::uint64_t kMaxStarBytes = 256 * 1024;
constexpr double kNsPerSecond = 1e9;

}  // namespace

PlacementLoad::PlacementLoad(const Topology& topology, std::span<const WorkerTraffic> traffic,
                             int workers)
    : topology_(topology),
      slices_(endpoint_slices(topology)),
      groups_of_(static_cast<std::size_t>(workers)) {
  for (const WorkerTraffic& kind : traffic) add_work(kind);
  bool with_controllers = false;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const int member : groups_[g].members) {
      with_controllers = with_controllers || is_io_member(member);
      if (!is_io_member(member)) groups_of_[member].push_back(static_cast<int>(g));
    }
  }
  if (groups_.empty()) return;
  find_paths(with_controllers);
  find_uplinks();
  for (Work& work : works_) {
    for (Variant& variant : work.variants) {
      variant.load.resize(variant.shape == Shape::kUplinks ? topology.nodes.size()
                                                           : link_ns_.size());
      variant.latency.resize(static_cast<std::size_t>(work.groups));
    }
  }
  is_touched_.resize(groups_.size());
}

std::vector<std::vector<int>> PlacementLoad::worker_groups() const {
  std::vector<std::vector<int>> found;
  for (const Group& group : groups_) {
    std::vector<int> workers;
    std::ranges::copy_if(group.members, std::back_inserter(workers),
                         [](int member) { return !is_io_member(member); });
    if (workers.size() > 1 && std::ranges::find(found, workers) == found.end())
      found.push_back(std::move(workers));
  }
  return found;
}

bool PlacementLoad::is_fixed(const CollectiveSpec& spec) const {
  const bool from_controllers =
      !spec.group.empty() && is_io_member(spec.group[static_cast<std::size_t>(spec.root)]);
  const auto workers = static_cast<std::size_t>(
      std::ranges::count_if(spec.group, [](int member) { return !is_io_member(member); }));
  if (from_controllers && pattern_of(spec.collective) != Pattern::kOneRoot) return true;
  if (spec.group.size() < 2) return true;
  const Algorithm* named = find_algorithm(spec.algorithm);
  const bool goes_by_ranks = named != nullptr && named->goes_by_ranks();
  const bool same_for_all = topology_.has_places() || (topology_.in_switch && !goes_by_ranks);
  return same_for_all && workers == topology_.npus.size();
}

std::vector<PlacementLoad::Shape> PlacementLoad::shapes_of(const CollectiveSpec& spec) const {
  const Algorithm* named = find_algorithm(spec.algorithm);
  const Pattern pattern = pattern_of(spec.collective);
  const bool in_switch = topology_.in_switch &&
                         (named != nullptr ? named->is_in_switches() : is_choice(spec.algorithm));
  if (in_switch && pattern != Pattern::kPairs) return {Shape::kUplinks};
  if (spec.roots > 0) return {Shape::kStreams};
  if (pattern == Pattern::kPairs) return {Shape::kStar};
  if (spec.group.size() == 2) return {pattern == Pattern::kAllRanks ? Shape::kRing : Shape::kStar};
  if (named != nullptr) return shapes_of(named->layout(), pattern);
  std::vector<Shape> shapes = shapes_of(Algorithm::Layout::kLine, pattern);
  if (choice_of(spec.algorithm) != Choice::kFastest) return shapes;
  for (const Algorithm* algorithm : algorithms()) {
    if (!may_be_fastest(*algorithm, spec)) continue;
    for (const Shape shape : shapes_of(algorithm->layout(), pattern))
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<PlacementLoad::Shape> PlacementLoad::shapes_of(Algorithm::Layout layout,
                                                           Pattern pattern) {
  switch (layout) {
    case Algorithm::Layout::kStar:
      return {Shape::kStar};
    case Algorithm::Layout::kBox:
      return {Shape::kBox};
    default:  // kUplinks if the switches do not add: refused later
      if (pattern == Pattern::kAllRanks) return {Shape::kRing};
      return {Shape::kChain, Shape::kBothWays};
  }
}

// True where an algorithm may be the fastest, as far as it can be judged without the places of the
// members.
bool PlacementLoad::may_be_fastest(const Algorithm& algorithm, const CollectiveSpec& spec) const {
  const bool is_small = spec.group.size() <= kMaxStar && spec.bytes <= kMaxStarBytes;
  return !algorithm.is_in_switches() && algorithm.may_fit(topology_, spec) &&
         (is_small || algorithm.layout() != Algorithm::Layout::kStar);
}

void PlacementLoad::add_work(const WorkerTraffic& traffic) {
  Work work;
  work.first = static_cast<int>(groups_.size());
  work.times = traffic.times;
  for (const CollectiveSpec& spec : traffic.work) {
    if (is_fixed(spec)) continue;
    work.collective = spec.collective;
    work.bytes = std::max(work.bytes, static_cast<double>(spec.bytes));
    work.roots = spec.roots;
    if (work.variants.empty())
      for (const Shape shape : shapes_of(spec)) work.variants.push_back({.shape = shape});
    groups_.push_back({static_cast<int>(works_.size()), spec.group});
    Group& group = groups_.back();
    std::rotate(group.members.begin(), group.members.begin() + spec.root, group.members.end());
    ++work.groups;
  }
  if (work.groups > 0) works_.push_back(std::move(work));
}

// Links inside an NPU that are no slower than the links of the wafer are left out: their load is no
// higher.
void PlacementLoad::find_paths(bool with_controllers) {
  std::uint64_t fastest = 0;
  for (const Link& link : topology_.links)
    if (!link.on_die) fastest = std::max(fastest, link.bytes_per_second);
  std::vector<NodeId> nodes = topology_.npus;
  if (with_controllers)
    nodes.insert(nodes.end(), topology_.io_controllers.begin(), topology_.io_controllers.end());
  endpoints_ = static_cast<int>(nodes.size());
  const Plan none;
  const LinkWalk walk(topology_, none, routes_by_table(topology_));
  const HopTimes times(topology_);
  const double cycle_ns = kNsPerSecond / static_cast<double>(topology_.clock_hz);
  std::map<int, int> number_of;  // index in link_ns_ by topology link
  paths_.resize(nodes.size() * nodes.size());
  for (int from = 0; from < endpoints_; ++from) {
    for (int to = 0; to < endpoints_; ++to) {
      Path& path = paths_[from * endpoints_ + to];
      path.first = path.last = static_cast<int>(path_links_.size());
      if (from == to || topology_.nodes[nodes[from]].failed || topology_.nodes[nodes[to]].failed)
        continue;
      int port = 0;
      try {
        port = nic_port(topology_, nodes[from], nodes[to], 0);
      } catch (const BadInput&) {  // not connected: the planner reports failed components
        continue;
      }
      double cycles = kNpuCycles;
      walk.walk_hop(nodes[from], nodes[to], port, [&](int number) {
        const Link& link = topology_.links[number];
        cycles += times.over(link);
        if (link.on_die && link.bytes_per_second >= fastest) return;
        const auto [at, is_new] = number_of.try_emplace(number, static_cast<int>(link_ns_.size()));
        if (is_new)
          link_ns_.push_back(kNsPerSecond / static_cast<double>(link.bytes_per_second) / slices_);
        path_links_.push_back(at->second);
      });
      path.last = static_cast<int>(path_links_.size());
      path.ns = cycles * cycle_ns;
    }
  }
}

void PlacementLoad::find_uplinks() {
  double port = 0;
  const NodeId npu = topology_.npus[static_cast<std::size_t>(npus_left(topology_).front())];
  for (const Link& link : topology_.links)
    if (link.from == npu) port += static_cast<double>(link.bytes_per_second);
  port_ns_ = kNsPerSecond / port;
  uplink_ns_.resize(topology_.nodes.size());
  uplink_count_.resize(topology_.nodes.size());
  for (std::size_t n = 0; n < topology_.nodes.size(); ++n) {
    const Node& node = topology_.nodes[n];
    if (!node.is_switch() || node.level >= topology_.tree.depth()) continue;
    const TreeLevel& level = topology_.tree.levels[static_cast<std::size_t>(node.level) - 1];
    uplink_ns_[n] = kNsPerSecond / static_cast<double>(level.uplink_bandwidth);
    uplink_count_[n] = level.uplinks * level.chiplets_per_slice;
  }
}

int PlacementLoad::place_of(int member) const {
  return is_io_member(member) ? static_cast<int>(topology_.npus.size()) + io_of_member(member)
                              : npus_[member];
}

double PlacementLoad::variant_ns(const Work& work, const Variant& variant) {
  double busiest = 0, sum = 0;
  steps_ += variant.load.size() / 4;
  if (variant.shape == Shape::kUplinks) {
    double max = work.bytes * port_ns_;
    for (std::size_t n = 0; n < variant.load.size(); ++n) {
      const double groups = variant.load[n];
      if (groups == 0) continue;
      const double rounds = std::ceil(groups / uplink_count_[n]) * uplink_count_[n];
      const double shared = groups > uplink_count_[n] ? rounds : groups;
      max = std::max(max, work.bytes * uplink_ns_[n] * shared);
      sum += groups * work.bytes * uplink_ns_[n];
    }
    return max + kMeanShare * sum / static_cast<double>(variant.load.size());
  }
  if (variant.misfits > 0) return std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < variant.load.size(); ++l) {
    const double ns = variant.load[l] * link_ns_[l];
    busiest = std::max(busiest, ns);
    sum += ns * ns;
  }
  const double mean = std::sqrt(sum / static_cast<double>(variant.load.size()));
  const double latency = std::ranges::max(variant.latency);
  return overlapped(latency, busiest) + kMeanShare * mean;
}

// Lower bound: every hop takes at least one link, and rectangles have less than two links per NPU.
double PlacementLoad::min_ns(const Work& work, Shape shape) const {
  const auto n = static_cast<double>(groups_[work.first].members.size());
  const double share = passes(work.collective) * (n - 1) / n;
  switch (shape) {
    case Shape::kUplinks:
      return work.bytes * port_ns_;
    case Shape::kRing:
      return work.bytes * share * std::ranges::min(link_ns_);
    case Shape::kBox:
      return work.bytes * share / 4 * std::ranges::min(link_ns_);
    default:
      return 0;
  }
}

double PlacementLoad::min_cost() const {
  double sum = 0;
  for (const Work& work : works_) {
    double min = std::numeric_limits<double>::infinity();
    for (const Variant& variant : work.variants) min = std::min(min, min_ns(work, variant.shape));
    sum += work.times * min;
  }
  return sum;
}

void PlacementLoad::weigh(Work& work) {
  work.ns = std::numeric_limits<double>::infinity();
  for (const Variant& variant : work.variants)
    work.ns = std::min(work.ns, variant_ns(work, variant));
}

void PlacementLoad::sum_up() {
  cost_ = 0;
  for (const Work& work : works_) cost_ += work.times * work.ns;
}

void PlacementLoad::place(const std::vector<int>& npus) {
  npus_ = npus;
  for (Work& work : works_) {
    for (Variant& variant : work.variants) {
      std::ranges::fill(variant.load, 0.0);
      variant.misfits = 0;
    }
  }
  for (int g = 0; g < std::ssize(groups_); ++g) apply(g, 1);
  for (Work& work : works_) weigh(work);
  sum_up();
}

void PlacementLoad::move(std::span<const Move> moves) {
  touched_.clear();
  for (const Move& move : moves) {
    for (const int group : groups_of_[move.worker]) {
      if (is_touched_[group]) continue;
      is_touched_[group] = true;
      touched_.push_back(group);
    }
  }
  for (const int group : touched_) apply(group, -1);
  for (const Move& move : moves) npus_[move.worker] = move.npu;
  for (const int group : touched_) apply(group, 1);
  std::ranges::sort(touched_);
  int last = -1;
  for (const int group : touched_) {
    is_touched_[group] = false;
    if (groups_[group].work != last) weigh(works_[last = groups_[group].work]);
  }
  sum_up();
}

}  // namespace fredsim
