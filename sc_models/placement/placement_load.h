// SPDX-License-Identifier: Apache-2.0
// Cost of a placement of workers, from a model that is fast enough to try a million placements
// (placement_search.h).
//
// Model: one kind of a workload's repeated collectives, all its groups at once, takes max(L +
// kOverlap B, B + kOverlap L), as in plan/hop_times.h: L is the longest path along a group's ring,
// chain, star or rectangle, B the time of the busiest link. Where an algorithm is not fixed, the
// cheapest algorithm that all groups support counts: multi_tree only where all groups fill
// rectangles, for all-reduces where each group is connected. In the switches of a tree, B is the
// load of groups that leave a switch, spread over its uplinks; more groups than uplinks take turns.
// The cost is the sum over the kinds, each weighted by its repetitions, plus a small fraction of
// the mean load, so that of two placements with equal busiest links the one with less traffic is
// cheaper.
// Not modelled: groups of all NPUs of a grid, or of a tree whose switches add, since no placement
// changes their time; and scatters and gathers of I/O controllers, which overlap with all other
// traffic.
// Units: ns. Analytic, not simulated.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collective/algorithm.h"
#include "plan/collective_spec.h"
#include "plan/pattern.h"
#include "topology/topology.h"

namespace fredsim {

// Kind of collectives that a workload repeats. Its groups run at the same time; their members are
// workers, 0 and up, and I/O controllers (base/member.h).
struct WorkerTraffic {
  std::vector<CollectiveSpec> work;
  double times = 1;
};

class PlacementLoad {
 public:
  struct Move {
    int worker = 0;
    int npu = 0;
  };

  // `topology` must outlive the object.
  PlacementLoad(const Topology& topology, std::span<const WorkerTraffic> traffic, int workers);

  bool depends_on_placement() const { return !groups_.empty(); }
  // Groups in the cost that consist of workers alone.
  std::vector<std::vector<int>> worker_groups() const;

  void place(const std::vector<int>& npus);  // by worker
  void move(std::span<const Move> moves);    // each worker once
  double cost() const { return cost_; }
  // Lower bound on the cost of any placement.
  double min_cost() const;
  const std::vector<int>& npus() const { return npus_; }
  // Work done so far: number of changes of a link's load.
  std::uint64_t steps() const { return steps_; }

 private:
  enum class Shape : std::uint8_t { kRing, kBox, kStar, kChain, kBothWays, kStreams, kUplinks };
  // Algorithm shape that all groups of a work may take.
  struct Variant {
    Shape shape = Shape::kRing;
    std::vector<double> load{};     // by link, for kUplinks by node: bytes, groups
    std::vector<double> latency{};  // ns, by group of the work
    int misfits = 0;                // kBox: number of groups that do not fit
  };
  struct Work {
    double times = 1;
    Collective collective = Collective::kAllReduce;
    double bytes = 0;
    int roots = 0;
    int first = 0, groups = 0;  // range in groups_
    std::vector<Variant> variants;
    double ns = 0;
  };
  struct Group {
    int work = 0;
    std::vector<int> members;  // the root first
  };
  // Paths between endpoints: NPUs by number, then I/O controllers.
  struct Path {
    int first = 0, last = 0;  // range in path_links_
    double ns = 0;
  };

  static double passes(Collective collective) {
    return collective == Collective::kAllReduce ? 2 : 1;
  }
  void add_work(const WorkerTraffic& traffic);
  std::vector<Shape> shapes_of(const CollectiveSpec& spec) const;
  static std::vector<Shape> shapes_of(Algorithm::Layout layout, Pattern pattern);
  bool may_be_fastest(const Algorithm& algorithm, const CollectiveSpec& spec) const;
  bool is_fixed(const CollectiveSpec& spec) const;
  void find_paths(bool with_controllers);
  void find_uplinks();
  int place_of(int member) const;
  const Path& path(int from, int to) const { return paths_[from * endpoints_ + to]; }
  double add(int from, int to, double bytes);  // adds to the current load; returns ns of the path
  void apply(int group, double sign);
  double ring(const Work& work, const std::vector<int>& at, double sign);
  double star(const Work& work, const std::vector<int>& at, double sign);
  double chain(const Work& work, const std::vector<int>& at, double bytes, bool forwards);
  double streams(const Work& work, const std::vector<int>& at, double sign);
  double box(const Work& work, const std::vector<int>& at, double sign, Variant& variant);
  double packed(const Work& work, const std::vector<int>& at, double sign, Variant& variant);
  double uplinks(const std::vector<int>& at, double sign);
  void weigh(Work& work);
  double variant_ns(const Work& work, const Variant& variant);
  double min_ns(const Work& work, Shape shape) const;
  void sum_up();

  const Topology& topology_;
  int endpoints_ = 0;
  double slices_ = 1;
  std::vector<Path> paths_;
  std::vector<int> path_links_;
  std::vector<double> link_ns_;  // per byte, by link on a path
  double port_ns_ = 0;           // kUplinks: per byte, at an NPU
  // Uplinks of each node of a tree with switches above: ns per byte of all its uplinks together,
  // and the number of uplinks.
  std::vector<double> uplink_ns_;
  std::vector<int> uplink_count_;
  std::vector<Work> works_;
  std::vector<Group> groups_;
  std::vector<std::vector<int>> groups_of_;  // by worker
  std::vector<int> npus_;
  double cost_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<double>* load_ = nullptr;     // current load
  std::vector<int> at_;                     // scratch: endpoints of a group
  std::vector<int> seen_;                   // scratch: switches, members
  std::vector<int> member_at_;              // by cell; -1 between calls
  std::vector<std::pair<int, int>> pairs_;  // scratch: members that are neighbours
  std::vector<int> degrees_;                // scratch: links of a member
  std::vector<int> touched_;                // scratch: groups
  std::vector<bool> is_touched_;            // by group
};

}  // namespace fredsim
