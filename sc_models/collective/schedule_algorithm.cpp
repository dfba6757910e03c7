// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/slice_shares.h"
#include "schedule_files/schedule_check.h"
#include "schedule_files/schedule_file.h"

namespace fredsim {
namespace {

// Flits before a fraction of a range, rounded down, so that equal fractions meet.
std::uint64_t flits_before(std::uint64_t flits, std::uint64_t share, std::uint64_t of) {
  return flits / of * share + flits % of * share / of;
}

FlitRange range_of(const EndpointPart& part, const ScheduleFlow& flow) {
  FlitRange whole = part.vector();
  if (part.spec().collective == Collective::kAllToAll) {
    whole = part.pair_blocks()[flow.source][flow.block];
  } else if (has_blocks(part.spec().collective)) {
    whole = part.blocks()[flow.block];
  }
  return part_of(whole, flits_before(whole.flits, flow.begin, flow.of),
                 flits_before(whole.flits, flow.end, flow.of));
}

// Storage of the name, which the base refers to.
struct ScheduleHolder {
  explicit ScheduleHolder(CollectiveSchedule schedule) : schedule_(std::move(schedule)) {}
  CollectiveSchedule schedule_;
};

class ScheduleAlgorithm final : private ScheduleHolder, public Algorithm {
 public:
  explicit ScheduleAlgorithm(CollectiveSchedule schedule)
      : ScheduleHolder(std::move(schedule)), Algorithm(schedule_.file) {}

  bool has(Collective collective) const override { return collective == schedule_.collective; }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (part.ranks() != schedule_.ranks)
      return fmt::format(
          "found {}, a schedule of {} ranks, for a group of {} on {}; allowed: a "
          "schedule of {} ranks, {}",
          name(), schedule_.ranks, part.ranks(), topology.name, part.ranks(),
          allowed_algorithms(part.collective));
    if (part.roots != 0)
      return fmt::format("found {}, a schedule, with roots; allowed: {}", name(),
                         allowed_for_streams());
    if (part.root != schedule_.root)
      return fmt::format("found {}, a schedule with root {}, for root {}; allowed: --root {}",
                         name(), schedule_.root, part.root, schedule_.root);
    return {};
  }
  int window(const Topology& topology, const Part& part) const override {
    return schedule_.window > 0 ? schedule_.window : Algorithm::window(topology, part);
  }
  bool paces_by_window() const override { return schedule_.window_is_fixed; }
  // Rings have an order as the program's own ring has.
  bool has_packet_order(const Topology& topology, const Part& part) const override {
    const bool is_ring =
        part.collective == Collective::kAllReduce && std::ranges::all_of(schedule_.flows, is_line);
    return schedule_.packet_order.value_or(is_ring || Algorithm::has_packet_order(topology, part));
  }
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& /*spec*/) const override {
    std::uint64_t trees = 0;
    for (const ScheduleFlow& flow : schedule_.flows)
      trees += flow.slice >= 0 ? 1U : static_cast<unsigned>(endpoint_slices(topology));
    return std::max<std::uint64_t>(trees, 1);
  }
  bool is_weighed() const override { return false; }
  Layout layout() const override { return Layout::kStar; }
  bool goes_by_ranks() const override { return true; }

  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    for (const std::string& note : schedule_.notes) part.plan().note(note);
    const int slices = endpoint_slices(part.topology());
    for (const ScheduleFlow& flow : schedule_.flows) {
      const FlitRange range = range_of(part, flow);
      if (flow.slice >= 0) {
        if (flow.slice >= slices)
          throw BadInput(fmt::format("algorithm: {}: found slice {}; allowed: 0 to {}, as {} has",
                                     name(), flow.slice, slices - 1, part.topology().name));
        add_flow(part, flow, flow.slice, range);
        continue;
      }
      const SliceShares shares = part.part().slice_weights.empty()
                                     ? SliceShares(slices)
                                     : SliceShares(part.topology(), part.part().slice_weights);
      for (int slice = 0; slice < shares.slices(); ++slice)
        add_flow(part, flow, slice, shares.of(range, slice, flow.block + flow.source));
    }
  }

 private:
  // No rank adds two sums, or sends a result twice.
  static bool is_line(const ScheduleFlow& flow) {
    std::set<int> ends;
    const auto is_new = [&](int rank) { return ends.insert(rank).second; };
    if (!std::ranges::all_of(flow.sums, is_new, &ScheduleHop::to)) return false;
    ends.clear();
    return flow.operands.empty() && std::ranges::all_of(flow.results, is_new, &ScheduleHop::from);
  }

  static void add_flow(const EndpointPart& part, const ScheduleFlow& flow, int slice,
                       const FlitRange& range) {
    if (range.flits == 0) return;
    if (!flow.operands.empty()) {
      part.add_sum_at_every_rank(range, [&](int rank) {
        TreeBuilder tree = part.builder(slice);
        for (const ScheduleHop& hop : flow.operands[rank])
          tree.pass_on(hop.from, hop.to, vc_of(hop, tree));
        return tree.finish(Roles::kFromRoot, rank, range);
      });
      return;
    }
    part.add(part.pattern() == Pattern::kPairs ? pair_tree(part, flow, slice, range)
                                               : owned_tree(part, flow, slice, range));
  }

  static int vc_of(const ScheduleHop& hop, const TreeBuilder& tree) {
    return hop.vc >= 0 ? hop.vc : tree.vc();
  }

  static Tree pair_tree(const EndpointPart& part, const ScheduleFlow& flow, int slice,
                        const FlitRange& range) {
    const ScheduleHop& first = flow.results.front();
    TreeBuilder tree = part.builder(slice);
    if (flow.results.size() == 1)
      return direct_tree(part.topology(), part.plan(), part.number(), first.from, first.to, slice,
                         vc_of(first, tree), range);
    for (const ScheduleHop& hop : flow.results) tree.reduce(hop.from, hop.to, vc_of(hop, tree));
    return tree.finish_relayed(first.from, flow.results.back().to, range);
  }

  static Tree owned_tree(const EndpointPart& part, const ScheduleFlow& flow, int slice,
                         const FlitRange& range) {
    TreeBuilder tree = part.builder(slice);
    for (const ScheduleHop& hop : flow.sums) tree.reduce(hop.from, hop.to, vc_of(hop, tree));
    for (const ScheduleHop& hop : flow.results) tree.pass_on(hop.from, hop.to, vc_of(hop, tree));
    const int owner =
        pattern_of(part.spec().collective) == Pattern::kOneRoot ? part.part().root : flow.block;
    const int root = root_of(flow, owner);
    Tree made = tree.finish(part.roles(), root, range);
    // A sum that its owner gets as a result.
    if (part.roles() == Roles::kToRoot && root != owner)
      for (TreeRank& rank : made.ranks) rank.receives = rank.rank == owner;
    return made;
  }

  // Rank at which sums end, or that holds the operand.
  static int root_of(const ScheduleFlow& flow, int owner) {
    if (flow.sums.empty()) return flow.results.empty() ? owner : holder_of(flow.results);
    int root = flow.sums.front().to;
    for (bool moves = true; std::exchange(moves, false);)
      for (const ScheduleHop& hop : flow.sums)
        if (hop.from == root) {
          root = hop.to;
          moves = true;
        }
    return root;
  }
  static int holder_of(const std::vector<ScheduleHop>& results) {
    const auto found = std::ranges::find_if(results, [&](const ScheduleHop& hop) {
      return std::ranges::find(results, hop.from, &ScheduleHop::to) == results.end();
    });
    return found->from;
  }
};

class ScheduleList {
 public:
  const Algorithm* find(std::string_view word) {
    const std::scoped_lock lock(mutex_);
    const auto found = algorithms_.find(word);
    if (found != algorithms_.end()) return found->second.get();
    if (!names_schedule(word)) return nullptr;
    try {
      return &add(read_schedule(std::string(word)));
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("algorithm: {}", error.what()));
    }
  }
  const Algorithm& add_locked(CollectiveSchedule schedule) {
    const std::scoped_lock lock(mutex_);
    return add(std::move(schedule));
  }

 private:
  const Algorithm& add(CollectiveSchedule schedule) {
    auto algorithm = std::make_unique<ScheduleAlgorithm>(std::move(schedule));
    std::unique_ptr<Algorithm>& place = algorithms_[std::string(algorithm->name())];
    if (place != nullptr) replaced_.push_back(std::move(place));
    place = std::move(algorithm);
    return *place;
  }

  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Algorithm>, std::less<>> algorithms_;
  std::vector<std::unique_ptr<Algorithm>> replaced_;  // others may still refer to them
};

ScheduleList& schedules() {
  static ScheduleList all;
  return all;
}

}  // namespace

const Algorithm* schedule_algorithm(std::string_view word) { return schedules().find(word); }

const Algorithm& add_schedule_algorithm(CollectiveSchedule schedule) {
  check_schedule(schedule);
  return schedules().add_locked(std::move(schedule));
}

}  // namespace fredsim
