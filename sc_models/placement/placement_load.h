// SPDX-License-Identifier: Apache-2.0
// The cost of a placement of workers, by a model that is fast enough to try a million of them
// (placement_search.h).
//
// Model: what a workload repeats of one kind, all its groups at once, takes L + kOverlap B or B +
//   kOverlap L, whichever is more, as in plan/hop_times.h: L the longest path along a group's ring,
//   chain, star or rectangle, B the busiest link. Where an algorithm is not fixed, the cheapest of
//   those that all groups can take counts: multi_tree only where all of them fill rectangles, for
//   all-reduces where each is in one piece. In the switches of a tree B is what groups that leave a
//   switch share of its uplinks; more groups than uplinks take turns. The cost is the sum over the
//   kinds, each as often as it is repeated, and a small part of the mean load, so that of
//   placements with the same busiest link the one with less traffic is the cheaper.
// Left out, since no placement changes it: groups of all NPUs of a grid, or of a tree whose
//   switches add. Not looked at either: scatters and gathers of I/O controllers, which go beside
//   everything else.
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

// One kind of collectives that a workload repeats. Its groups are under way together; their members
// are workers, 0 and up, and I/O controllers (base/member.h).
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

  // `topology` must outlive it.
  PlacementLoad(const Topology& topology, std::span<const WorkerTraffic> traffic, int workers);

  bool depends_on_placement() const { return !groups_.empty(); }
  // Groups of workers alone that are part of the cost.
  std::vector<std::vector<int>> worker_groups() const;

  void place(const std::vector<int>& npus);  // by worker
  void move(std::span<const Move> moves);    // each worker once
  double cost() const { return cost_; }
  // No placement costs less.
  double min_cost() const;
  const std::vector<int>& npus() const { return npus_; }
  // Work done so far: changes of a link's load.
  std::uint64_t steps() const { return steps_; }

 private:
  enum class Shape : std::uint8_t { kRing, kBox, kStar, kChain, kBothWays, kStreams, kUplinks };
  // One way in which all groups of a work can go.
  struct Variant {
    Shape shape = Shape::kRing;
    std::vector<double> load{};     // by link, or of kUplinks by node: bytes, groups
    std::vector<double> latency{};  // by group of the work: ns
    int misfits = 0;                // kBox: groups that cannot
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
  // Ways between endpoints: NPUs by number, then I/O controllers.
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
  double add(int from, int to, double bytes);  // to the load at work; ns of the path
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
  std::vector<double> link_ns_;  // per byte, by link that is in a path
  double port_ns_ = 0;           // kUplinks: per byte, at an NPU
  // By node of a tree with switches above: ns per byte of all its uplinks together, and how many
  // there are.
  std::vector<double> uplink_ns_;
  std::vector<int> uplink_count_;
  std::vector<Work> works_;
  std::vector<Group> groups_;
  std::vector<std::vector<int>> groups_of_;  // by worker
  std::vector<int> npus_;
  double cost_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<double>* load_ = nullptr;     // at work
  std::vector<int> at_;                     // scratch: endpoints of a group
  std::vector<int> seen_;                   // scratch: switches, members
  std::vector<int> member_at_;              // by cell; -1 between calls
  std::vector<std::pair<int, int>> pairs_;  // scratch: members that are neighbours
  std::vector<int> degrees_;                // scratch: links of a member
  std::vector<int> touched_;                // scratch: groups
  std::vector<bool> is_touched_;            // by group
};

}  // namespace fredsim
