// SPDX-License-Identifier: Apache-2.0
#include "collective/placement_load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/member.h"
#include "collective/algorithm.h"
#include "collective/choice.h"
#include "collective/collective_spec.h"
#include "collective/link_walk.h"
#include "collective/plan_time.h"
#include "routing/mesh_routing.h"
#include "routing/nic_port.h"
#include "switch/node_shape.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Share of the mean load in the cost: decides between placements whose busiest links are alike.
constexpr double kMeanShare = 0.02;
// Stars have as many hops as pairs, and win where data is small.
constexpr std::size_t kMaxStar = 32;
constexpr std::uint64_t kMaxStarBytes = 256 * 1024;
constexpr double kNsPerSecond = 1e9;
// The longest path of a comb, of width and height: from the middle along a line and a tooth.
constexpr double kComb = 0.75;

double passes(Collective collective) { return collective == Collective::kAllReduce ? 2 : 1; }

}  // namespace

PlacementLoad::PlacementLoad(const Topology& topology, std::span<const WorkerTraffic> traffic,
                             int workers)
    : topology_(topology),
      slices_(topology.has_slices() ? topology.slices : 1),
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
  if (topology.has_levels()) find_uplinks();
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
  const bool adds = topology_.in_switch;
  const bool in_switch =
      adds && (named != nullptr ? named->is_in_switches() : is_choice(spec.algorithm));
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

// Judged as far as possible without the places of the members.
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

// Links inside an NPU that are no slower than those of the wafer carry no more than these.
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
  const double cycle_ns = kNsPerSecond / static_cast<double>(topology_.clock_hz);
  std::map<int, int> number_of;  // by link of the topology
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
      } catch (const BadInput&) {  // apart, by what has failed: plans say so
        continue;
      }
      double cycles = kNpuCycles;
      walk.walk_hop(nodes[from], nodes[to], port, [&](int number) {
        const Link& link = topology_.links[number];
        cycles +=
            link.latency + (topology_.nodes[link.to].is_switch() ? switch_cycles(topology_) : 0);
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

double PlacementLoad::add(int from, int to, double bytes) {
  const Path& links = path(from, to);
  for (int i = links.first; i < links.last; ++i) (*load_)[path_links_[i]] += bytes;
  steps_ += static_cast<std::uint64_t>(links.last - links.first);
  return links.ns;
}

// Bytes are whole numbers, so that what is taken away leaves what was there before.
double PlacementLoad::ring(const Work& work, const std::vector<int>& at, double sign) {
  const auto n = static_cast<double>(at.size());
  const double share = passes(work.collective) * (n - 1) / n;
  const double bytes = sign * std::floor(work.bytes * share);
  double ns = 0;
  for (std::size_t i = 0; i < at.size(); ++i) ns += add(at[i], at[(i + 1) % at.size()], bytes);
  return ns * share;
}

double PlacementLoad::star(const Work& work, const std::vector<int>& at, double sign) {
  const auto n = static_cast<double>(at.size());
  const bool all = pattern_of(work.collective) == Pattern::kAllRanks ||
                   work.collective == Collective::kAllToAll ||
                   work.collective == Collective::kAllToAllV;
  const bool whole =
      pattern_of(work.collective) == Pattern::kOneRoot || work.collective == Collective::kUnicast;
  const double bytes = sign * std::floor(work.bytes * (whole ? 1 : passes(work.collective) / n));
  const bool inwards =
      work.collective == Collective::kReduce || work.collective == Collective::kGather;
  double longest = 0;
  for (std::size_t i = 0; i < (all ? at.size() : 1); ++i)
    for (std::size_t k = 0; k < at.size(); ++k)
      if (k != i)
        longest = std::max(longest, inwards ? add(at[k], at[i], bytes) : add(at[i], at[k], bytes));
  return longest * passes(work.collective);
}

double PlacementLoad::chain(const Work& work, const std::vector<int>& at, double bytes,
                            bool forwards) {
  const bool inwards = work.collective == Collective::kReduce;
  double ns = 0;
  const std::size_t n = at.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const int from = at[forwards ? i : (n - i) % n];
    const int to = at[forwards ? i + 1 : n - i - 1];
    ns += inwards ? add(to, from, bytes) : add(from, to, bytes);
  }
  return ns;
}

double PlacementLoad::streams(const Work& work, const std::vector<int>& at, double sign) {
  const auto roots = static_cast<std::size_t>(work.roots);
  const std::size_t others = at.size() - roots;
  const double bytes = sign * std::floor(work.bytes / work.roots);
  double longest = 0;
  std::vector<int> members(others + 1);
  for (std::size_t k = 0; k < roots; ++k) {
    std::size_t first = 0;  // the nearest
    for (std::size_t i = 1; i < others; ++i)
      if (path(at[k], at[roots + i]).ns < path(at[k], at[roots + first]).ns) first = i;
    members[0] = at[k];
    for (std::size_t i = 0; i < others; ++i) members[i + 1] = at[roots + (first + i) % others];
    longest = std::max(longest, chain(work, members, bytes, true));
  }
  return longest;
}

double PlacementLoad::box(const Work& work, const std::vector<int>& at, double sign,
                          Variant& variant) {
  int left = std::numeric_limits<int>::max(), top = left, right = -1, bottom = -1;
  for (const int npu : at) {
    const MeshPosition cell = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    left = std::min(left, cell.x), right = std::max(right, cell.x);
    top = std::min(top, cell.y), bottom = std::max(bottom, cell.y);
  }
  const int width = right - left + 1, height = bottom - top + 1;
  steps_ += at.size();
  if (width * height != std::ssize(at)) {
    variant.misfits += sign > 0 ? 1 : -1;
    return 0;
  }
  // The NPU at each cell, then what joins neighbours.
  std::vector<int>& cells = seen_;
  cells.assign(at.size(), 0);
  for (const int npu : at) {
    const MeshPosition cell = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    cells[(cell.y - top) * width + cell.x - left] = npu;
  }
  const bool ring_x = width > 2 && width == topology_.grid.rings.columns;
  const bool ring_y = height > 2 && height == topology_.grid.rings.rows;
  const int edges = (width - (ring_x ? 0 : 1)) * height + (height - (ring_y ? 0 : 1)) * width;
  const double share =
      passes(work.collective) * (static_cast<double>(at.size()) - 1) / (2.0 * edges);
  const double bytes = sign * std::floor(work.bytes * share);
  double hop = 0;
  const auto join = [&](int a, int b) {
    hop = std::max({hop, add(a, b, bytes), add(b, a, bytes)});
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width || ring_x) join(cells[y * width + x], cells[y * width + (x + 1) % width]);
      if (y + 1 < height || ring_y) join(cells[y * width + x], cells[(y + 1) % height * width + x]);
    }
  }
  return hop * passes(work.collective) * kComb * (width + height);
}

// Hops between members, one or two links long (collective/packed_trees.h), carry alike, but for a member with one, which carries
// everything.
double PlacementLoad::packed(const Work& work, const std::vector<int>& at, double sign,
                             Variant& variant) {
  const int width = topology_.grid.width, height = topology_.grid.height;
  member_at_.resize(static_cast<std::size_t>(width) * height, -1);
  const auto cell_of = [&](int npu) {
    const MeshPosition place = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    return place.y * width + place.x;
  };
  for (int k = 0; k < std::ssize(at); ++k) member_at_[cell_of(at[k])] = k;
  pairs_.clear();
  degrees_.assign(at.size(), 0);
  int left = width, top = height, right = -1, bottom = -1;
  for (int k = 0; k < std::ssize(at); ++k) {
    const int x = cell_of(at[k]) % width, y = cell_of(at[k]) / width;
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
    // A cell so many steps away; -1: outside.
    const auto cell_at = [&](int dx, int dy) {
      const MeshRings& rings = topology_.grid.rings;
      const int to_x = rings.columns > 0 ? (x + dx + width) % width : x + dx;
      const int to_y = rings.rows > 0 ? (y + dy) % height : y + dy;
      return to_x < 0 || to_x >= width || to_y >= height ? -1 : to_y * width + to_x;
    };
    const auto pair_with = [&](int cell) {
      if (cell < 0 || member_at_[cell] < 0 || member_at_[cell] == k) return false;
      pairs_.emplace_back(k, member_at_[cell]);
      ++degrees_[k], ++degrees_[member_at_[cell]];
      return true;
    };
    const auto is_free = [&](int cell) { return cell >= 0 && member_at_[cell] < 0; };
    const bool east = pair_with(cell_at(1, 0)), south = pair_with(cell_at(0, 1));
    // By a router without a member of this group.
    if (!east && width > 2) pair_with(cell_at(2, 0));
    if (!south && height > 2) pair_with(cell_at(0, 2));
    for (const int side : {1, -1})
      if (is_free(cell_at(side, 0)) && is_free(cell_at(0, 1))) pair_with(cell_at(side, 1));
  }
  for (const int npu : at) member_at_[cell_of(npu)] = -1;
  steps_ += at.size();
  // Sets of members that pairs join, each by a member of it.
  std::vector<int>& set_of = seen_;
  set_of.resize(at.size());
  std::iota(set_of.begin(), set_of.end(), 0);
  const auto found = [&](int k) {
    while (set_of[k] != k) k = set_of[k] = set_of[set_of[k]];
    return k;
  };
  auto sets = std::ssize(at);
  for (const auto& [a, b] : pairs_) {
    if (found(a) == found(b)) continue;
    set_of[found(a)] = found(b);
    --sets;
  }
  if (sets > 1) {
    variant.misfits += sign > 0 ? 1 : -1;
    return 0;
  }
  const double share = (static_cast<double>(at.size()) - 1) / static_cast<double>(pairs_.size());
  double hop = 0;
  for (const auto& [a, b] : pairs_) {
    const double of_vector = std::min(degrees_[a], degrees_[b]) == 1 ? 1 : share;
    const double bytes = sign * std::floor(work.bytes * of_vector);
    hop = std::max({hop, add(at[a], at[b], bytes), add(at[b], at[a], bytes)});
  }
  return hop * passes(work.collective) * kComb * (right - left + bottom - top + 2);
}

double PlacementLoad::uplinks(const std::vector<int>& at, double sign) {
  const auto npus = static_cast<int>(topology_.npus.size());
  seen_.clear();
  for (const int endpoint : at)
    seen_.push_back(endpoint < npus ? topology_.npus[endpoint]
                                    : topology_.io_controllers[endpoint - npus]);
  for (int level = 1; level < topology_.tree.depth(); ++level) {
    for (int& node : seen_)
      if (topology_.nodes[node].above >= 0) node = topology_.nodes[node].above;
    std::ranges::sort(seen_);
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    steps_ += seen_.size();
    if (seen_.size() == 1) break;
    for (const int node : seen_) (*load_)[node] += sign;
  }
  return 0;
}

void PlacementLoad::apply(int number, double sign) {
  const Group& group = groups_[number];
  Work& work = works_[group.work];
  at_.clear();
  for (const int member : group.members) at_.push_back(place_of(member));
  for (Variant& variant : work.variants) {
    load_ = &variant.load;
    double& ns = variant.latency[number - work.first];
    switch (variant.shape) {
      case Shape::kRing:
        ns = ring(work, at_, sign);
        break;
      case Shape::kBox:
        ns = work.collective == Collective::kAllReduce ? packed(work, at_, sign, variant)
                                                       : box(work, at_, sign, variant);
        break;
      case Shape::kStar:
        ns = star(work, at_, sign);
        break;
      case Shape::kChain:
        ns = chain(work, at_, sign * work.bytes, true);
        break;
      case Shape::kBothWays: {
        const double half = std::floor(work.bytes / 2);
        ns = std::max(chain(work, at_, sign * half, true),
                      chain(work, at_, sign * (work.bytes - half), false));
        break;
      }
      case Shape::kStreams:
        ns = streams(work, at_, sign);
        break;
      case Shape::kUplinks:
        ns = uplinks(at_, sign);
        break;
    }
  }
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
  return std::max(latency + kOverlap * busiest, busiest + kOverlap * latency) + kMeanShare * mean;
}

// Every hop takes one link at least, and rectangles have less than two links for each NPU.
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
