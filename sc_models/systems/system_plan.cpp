// SPDX-License-Identifier: Apache-2.0
#include "systems/system_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "collective/algorithm.h"
#include "plan/members.h"
#include "plan/split.h"
#include "plan/system_box.h"
#include "systems/detail/chunk_schedule.h"
#include "systems/detail/step_plans.h"
#include "systems/detail/system_stages.h"
#include "systems/system_phases.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// Minimum size of default chunks, so that latencies do not add up to more than bandwidth.
constexpr std::uint64_t kLeastChunk = std::uint64_t{1} << 20;
constexpr int kMostAutoChunks = 64;
// Threshold: an all-reduce stays one step where it takes less than this fraction of its two halves.
constexpr double kLessThanHalves = 0.99;
constexpr int kMostAtATime = 64;  // steps of a family on a block

constexpr std::array kHierarchical = {Collective::kAllReduce, Collective::kReduceScatter,
                                      Collective::kAllGather, Collective::kAllToAll,
                                      Collective::kReduce,    Collective::kBroadcast,
                                      Collective::kMulticast, Collective::kUnicast};

bool adds_or_gathers(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kAllGather ||
         collective == Collective::kReduceScatter;
}

bool is_rooted(Collective collective) {
  return collective == Collective::kReduce || collective == Collective::kBroadcast;
}

bool sends_to_others(Collective collective) {
  return collective == Collective::kMulticast || collective == Collective::kUnicast;
}

class SystemPlanner {
 public:
  SystemPlanner(const Topology& system, std::span<const CollectiveSpec> work)
      : system_(system), places_(system), work_(work), plans_(system) {}

  SystemPlan plan() {
    for (const CollectiveSpec& spec : work_) add(spec);
    plan_.chunking = work_.front().chunking;
    for (const auto& [shape, family] : families_) plan_family(family);
    order_on_blocks();
    sort_steps();
    set_bound();
    std::ranges::copy(plans_.notes(), std::back_inserter(plan_.notes));
    return std::move(plan_);
  }

 private:
  struct Asked {
    const CollectiveSpec* spec = nullptr;
    MemberBox box;               // multicast: box of the receivers
    std::vector<BoxHop> path{};  // multicast: path to the box
  };
  using Members = StepPlans::Members;
  // Shape of a collective: its parameters, the dimensions of its path, and its number of places in
  // each dimension.
  using Shape = std::tuple<Collective, std::string, std::uint64_t, int, Chunking, std::vector<int>,
                           std::vector<std::size_t>>;
  struct Timed {
    int order = 0;
    int stage = 0;
    int family = 0;     // first collective of the family
    int at_a_time = 1;  // steps in flight on the block, so that transfers cover the latency
  };
  // Schedule of a family's chunks, empty chunks left out.
  struct Schedule {
    std::vector<std::vector<Stage>> stages{};   // by chunk
    std::vector<std::vector<int>> order{};      // by chunk and stage: Timed::order
    std::vector<std::vector<int>> at_a_time{};  // by chunk and stage: Timed::at_a_time
  };

  void add(const CollectiveSpec& spec) {
    if (std::ranges::find(kHierarchical, spec.collective) == kHierarchical.end()) {
      std::vector<std::string> names;
      names.reserve(kHierarchical.size());
      for (const Collective one : kHierarchical) names.push_back(to_string(one));
      throw BadInput(fmt::format("collective: found {}; allowed on a system of dimensions: {}",
                                 to_string(spec.collective), fmt::join(names, ", ")));
    }
    check_chunking(spec);
    if (spec.start_cycle > 0 || spec.roots > 0)
      throw BadInput("group: found a start or roots; allowed on a system of dimensions: neither");
    Part part;
    part.collective = spec.collective;
    part.members = members_of(system_, spec.group);
    check_spec(spec);
    part.bytes = spec.bytes;
    part.vc = spec.vc;
    part.root = spec.root;
    if (part.members.size() < 2)
      throw BadInput("group: found one NPU; allowed on a system of dimensions: two or more");
    if (has_io(system_, part.members))
      throw BadInput("group: found an I/O controller; allowed on a system of dimensions: NPUs");
    Asked asked = asked_for(spec, part.members);
    if (spec.chunking.dimension_order != DimensionOrder::kBaseline) check_dimensions(asked.box);
    Shape shape{spec.collective, spec.algorithm, spec.bytes, spec.vc, spec.chunking, {}, {}};
    for (const BoxHop& hop : asked.path) std::get<5>(shape).push_back(hop.dimension);
    for (const auto& in : asked.box.places) std::get<6>(shape).push_back(in.size());
    plan_.collectives.push_back(std::move(part));
    families_[std::move(shape)].push_back(static_cast<int>(asked_.size()));
    asked_.push_back(std::move(asked));
  }

  // A multicast goes to the box of its receivers, and continues there as a broadcast; from a root
  // within the box it is a broadcast.
  Asked asked_for(const CollectiveSpec& spec, std::vector<NodeId> members) const {
    const NodeId root = members[spec.root];
    if (sends_to_others(spec.collective) &&
        npus_of(places_of(places_, members, root)) != members.size()) {
      std::erase(members, root);
      Asked asked{&spec, box_of(system_, places_, members, root)};
      asked.path = path_to(places_, root, asked.box);
      return asked;
    }
    return {&spec, box_of(system_, places_, members, root)};
  }

  static void check_chunking(const CollectiveSpec& spec) {
    const Chunking& chunking = spec.chunking;
    if (chunking.chunks < 0 || chunking.chunks > kMaxChunks)
      throw BadInput(
          fmt::format("chunks: found {}; allowed: 1 to {}", chunking.chunks, kMaxChunks));
    if (chunking.dimension_order == DimensionOrder::kBaseline) return;
    if (chunking.chunk_order == ChunkOrder::kPipelined)
      throw BadInput("chunk order: found pipelined with themis; allowed: fifo, scf");
    if (!adds_or_gathers(spec.collective)) {
      throw BadInput(
          fmt::format("dimension order: found themis for {}; allowed with all_reduce, "
                      "reduce_scatter, all_gather",
                      to_string(spec.collective)));
    }
  }

  static void check_dimensions(const MemberBox& box) {
    if (dimensions_of(box).size() > 1) return;
    throw BadInput(
        "dimension order: found themis for a group in one dimension; allowed: groups in two or "
        "more");
  }

  int chunks_of(const CollectiveSpec& spec, std::size_t stages) const {
    if (spec.chunking.chunks > 0) return spec.chunking.chunks;
    if (stages < 2) return 1;
    return static_cast<int>(
        std::clamp<std::uint64_t>(spec.bytes / kLeastChunk, 1, kMostAutoChunks));
  }

  // Plans collectives of one shape; collectives whose members are the same places of a block form
  // one part of a step for all of its groups.
  void plan_family(const std::vector<int>& family) {
    const CollectiveSpec& spec = *asked_[family.front()].spec;
    const std::vector<std::string> words = algorithms_of(spec);
    const Asked& asked = asked_[family.front()];
    const Schedule schedule = schedule_of(spec, asked, words, family);
    note_rounding(spec, asked, schedule);
    struct Used {
      std::string first, gathers;  // empty: none
      std::string name() const {
        if (first.empty() || first == gathers) return gathers;
        return gathers.empty() ? first : first + kThenGathers + gathers;
      }
    };
    std::vector<Used> used(places_.dimensions());
    std::map<std::pair<int, std::size_t>, int> before;  // steps of a chunk, by collective and stage
    std::map<int, std::map<std::vector<int>, Members>> in_stage;  // by hop or dimension
    for (std::size_t chunk = 0; chunk < schedule.stages.size(); ++chunk) {
      const std::vector<Stage>& stages = schedule.stages[chunk];
      for (std::size_t s = 0; s < stages.size(); ++s) {
        const Stage& stage = stages[s];
        const bool passes_on = s < asked.path.size();
        const auto [known, is_new] =
            in_stage.try_emplace(passes_on ? -1 - static_cast<int>(s) : stage.dimension);
        if (is_new) known->second = groups_in(family, s, stage);
        for (const auto& [groups, members] : known->second) {
          SystemStep step;
          step.dimension = stage.dimension;
          step.groups = groups;
          step.plan =
              plans_.plan(stage, passes_on ? "auto" : words[stage.dimension], spec, members);
          if (!passes_on) {
            Used& here = used[stage.dimension];
            (stage.collective == Collective::kAllGather ? here.gathers : here.first) =
                step.plan->parts.front().algorithm;
          }
          std::set<int> after;
          for (const auto& [places, collectives] : members) {
            for (const int one : collectives) {
              step.collectives.push_back(one);
              if (s > 0) after.insert(before.at({one, s - 1}));
            }
          }
          step.after.assign(after.begin(), after.end());
          const int made = static_cast<int>(plan_.steps.size());
          for (const int one : step.collectives) before[{one, s}] = made;
          plan_.steps.push_back(std::move(step));
          timed_.push_back({schedule.order[chunk][s], static_cast<int>(s), family.front(),
                            schedule.at_a_time[chunk][s]});
        }
      }
    }
    std::string name, by_dimension;
    for (const Used& here : used) {
      const std::string one = here.name();
      if (!one.empty()) name += (name.empty() ? "" : ",") + one;
      by_dimension += (by_dimension.empty() ? "" : ",") + (one.empty() ? "auto" : one);
    }
    for (const int one : family) {
      plan_.collectives[one].algorithm = name.empty() ? "direct" : name;
      plan_.collectives[one].algorithms = by_dimension;
    }
  }

  // Notes the bytes that NPUs inject beyond the exact amount because shares are rounded up to
  // bytes.
  void note_rounding(const CollectiveSpec& spec, const Asked& asked, const Schedule& schedule) {
    if (!adds_or_gathers(spec.collective)) return;
    const auto times = [](Collective one) { return one == Collective::kAllReduce ? 2 : 1; };
    std::uint64_t members = 1;
    for (const std::vector<int>& places : asked.box.places) members *= places.size();
    std::uint64_t injected = 0;
    for (const std::vector<Stage>& stages : schedule.stages) {
      for (const Stage& stage : stages) {
        const std::uint64_t size = asked.box.places[stage.dimension].size();
        injected += times(stage.collective) * (members / size) * (size - 1) * stage.bytes;
      }
    }
    const std::uint64_t exact = times(spec.collective) * (members - 1) * spec.bytes;
    if (injected <= exact) return;
    plan_.notes.push_back(
        fmt::format("{} of {} B: what is left after a dimension is rounded up to bytes, so that {} "
                    "NPUs that add "
                    "up by themselves inject {} B more than {}(N - 1) S",
                    to_string(spec.collective), spec.bytes, members, injected - exact,
                    spec.collective == Collective::kAllReduce ? "2 " : ""));
  }

  Schedule schedule_of(const CollectiveSpec& spec, const Asked& asked,
                       const std::vector<std::string>& words, const std::vector<int>& family) {
    const std::vector<int> lowest_first = dimensions_of(asked.box);
    const auto stages = [&](std::uint64_t bytes) {
      return stages_of(spec.collective, asked.path, asked.box, lowest_first, bytes);
    };
    const int chunks = chunks_of(spec, stages(spec.bytes).size());
    plan_.chunks = std::max(plan_.chunks, chunks);
    std::vector<std::uint64_t> bytes;
    for (std::uint64_t chunk = 0; chunk < static_cast<std::uint64_t>(chunks); ++chunk) {
      const auto all = static_cast<std::uint64_t>(chunks);
      bytes.push_back(share_begin(spec.bytes, all, chunk + 1) -
                      share_begin(spec.bytes, all, chunk));
    }
    std::erase(bytes, 0);
    Schedule schedule;
    if (spec.chunking.chunk_order == ChunkOrder::kPipelined) {
      for (int chunk = 0; chunk < std::ssize(bytes); ++chunk) {
        schedule.stages.push_back(stages(bytes[chunk]));
        std::vector<int>& order = schedule.order.emplace_back(schedule.stages.back().size());
        std::iota(order.begin(), order.end(), chunk);
        schedule.at_a_time.emplace_back(order.size(), 1);
      }
      return schedule;
    }
    return scheduled(spec, asked, words, family, bytes);
  }

  // Schedule of chunks from the event model of systems/detail/chunk_schedule.h.
  Schedule scheduled(const CollectiveSpec& spec, const Asked& asked,
                     const std::vector<std::string>& words, const std::vector<int>& family,
                     const std::vector<std::uint64_t>& bytes) {
    const std::vector<int> dimensions = dimensions_of(asked.box);
    // Times scale with bytes from the times of the whole collective, in which the share of partly
    // filled flits is small.
    std::map<std::pair<int, Collective>, StepPlans::Time> times;  // by dimension or hop
    const auto time = [&](std::size_t s, const Stage& stage) {
      const bool passes_on = s < asked.path.size();
      const int at = passes_on ? -1 - static_cast<int>(s) : stage.dimension;
      const auto [known, is_new] = times.try_emplace({at, stage.collective});
      if (is_new) {
        const Stage whole{stage.dimension, stage.collective, spec.bytes};
        known->second = plans_.time(whole, passes_on ? "auto" : words[stage.dimension], spec,
                                    groups_in(family, s, whole).begin()->second);
      }
      StepPlans::Time of_stage = known->second;
      of_stage.transfer *= static_cast<double>(stage.bytes) / static_cast<double>(spec.bytes);
      return of_stage;
    };
    const Collective up = spec.collective == Collective::kAllGather ? Collective::kAllGather
                                                                    : Collective::kReduceScatter;
    ScheduledDimensions scheduled;
    std::uint64_t left = bytes.front();
    for (const int d : dimensions) {
      const std::uint64_t size = asked.box.places[d].size();
      scheduled.sizes.push_back(size);
      scheduled.latencies.push_back(time(asked.path.size(), {d, up, left}).latency);
      left = (left + size - 1) / size;
    }
    scheduled.transfer = [&](int d, std::uint64_t of) {
      return time(asked.path.size(), {dimensions[d], up, of}).transfer;
    };
    Schedule schedule;
    std::vector<std::vector<ChunkStep>> steps;
    const auto orders = dimension_orders(scheduled, bytes, spec.chunking);
    for (std::size_t chunk = 0; chunk < bytes.size(); ++chunk) {
      std::vector<int> order;
      for (const int d : orders[chunk]) order.push_back(dimensions[d]);
      std::vector<Stage> stages =
          stages_of(spec.collective, asked.path, asked.box, order, bytes[chunk]);
      if (spec.collective == Collective::kAllReduce) {
        // Splits the all-reduce in the last dimension of the way up into its two halves, as
        // elsewhere, unless the dimension's switches add in less time.
        const Stage& joint = stages[order.size() - 1];
        const Stage halves[] = {{joint.dimension, Collective::kReduceScatter, joint.bytes},
                                {joint.dimension, Collective::kAllGather, joint.bytes}};
        const double apart = time(0, halves[0]).transfer + time(0, halves[1]).transfer;
        if (time(0, joint).transfer > kLessThanHalves * apart)
          split_joint(stages, order.size() - 1);
      }
      std::vector<ChunkStep>& of_chunk = steps.emplace_back();
      std::vector<int>& at_a_time = schedule.at_a_time.emplace_back();
      for (std::size_t s = 0; s < stages.size(); ++s) {
        const StepPlans::Time found = time(s, stages[s]);
        of_chunk.push_back({stages[s].dimension, found.transfer, found.latency, stages[s].bytes});
        const double covered = std::ceil(found.latency / std::max(found.transfer, 1e-9));
        at_a_time.push_back(1 + static_cast<int>(std::min<double>(covered, kMostAtATime - 1)));
      }
      schedule.stages.push_back(std::move(stages));
    }
    schedule.order = service_order(steps, spec.chunking.chunk_order);
    return schedule;
  }

  // Members by the set of groups that do a stage; sets of groups with equal parts are merged.
  std::map<std::vector<int>, Members> groups_in(const std::vector<int>& family, std::size_t s,
                                                const Stage& stage) const {
    const bool rooted = is_rooted(stage.collective);
    std::map<std::vector<int>, Members> by_groups;
    for (const int one : family) {
      const MemberBox& box = asked_[one].box;
      if (s < asked_[one].path.size()) {
        const BoxHop& hop = asked_[one].path[s];
        by_groups[{hop.group}][{0, {hop.from, hop.to}}].push_back(one);
        continue;
      }
      const int root = rooted ? box.root[stage.dimension] : 0;
      by_groups[groups_of(places_, box, stage.dimension, rooted)]
               [{root, box.places[stage.dimension]}]
                   .push_back(one);
    }
    check_apart(by_groups);
    std::map<std::vector<std::pair<int, std::vector<int>>>, std::pair<std::vector<int>, Members>>
        by_members;
    for (const auto& [groups, members] : by_groups) {
      std::vector<std::pair<int, std::vector<int>>> key;
      for (const auto& [places, collectives] : members) key.push_back(places);
      auto& [all, joined] = by_members[key];
      all.insert(all.end(), groups.begin(), groups.end());
      for (const auto& [places, collectives] : members)
        joined[places].insert(joined[places].end(), collectives.begin(), collectives.end());
    }
    std::map<std::vector<int>, Members> result;
    for (auto& [key, joined] : by_members) {
      std::ranges::sort(joined.first);
      result.emplace(std::move(joined.first), std::move(joined.second));
    }
    return result;
  }

  // Refuses sets of groups that overlap only in part, since their common groups would have
  // different parts.
  static void check_apart(const std::map<std::vector<int>, Members>& by_groups) {
    std::set<int> seen;
    for (const auto& [groups, members] : by_groups) {
      for (const int group : groups) {
        if (seen.insert(group).second) continue;
        throw BadInput(
            "group: found groups that share some of their dimensions' groups; allowed: "
            "groups that share all of a dimension's or none");
      }
    }
  }

  std::vector<std::string> algorithms_of(const CollectiveSpec& spec) const {
    std::vector<std::string> words = words_by_dimension(spec.algorithm);
    const auto dimensions = static_cast<std::size_t>(places_.dimensions());
    if (words.size() == 1) words.assign(dimensions, words.front());
    if (words.size() == dimensions) return words;
    throw BadInput(
        fmt::format("algorithm: found '{}', {} words; allowed: one, or {}, one by "
                    "dimension, lowest first",
                    spec.algorithm, words.size(), dimensions));
  }

  // Orders the steps on each block: a step comes after the one before it in its family, or, where
  // switches of the dimension add, after the one before it in any family.
  void order_on_blocks() {
    std::set<int> adding;  // dimensions
    for (const SystemStep& step : plan_.steps)
      if (!step.plan->programs.empty()) adding.insert(step.dimension);
    std::map<std::tuple<int, int, int>, std::vector<int>> before;  // by dimension, group and family
    for (const int i : by_time()) {
      SystemStep& step = plan_.steps[i];
      const int family = adding.contains(step.dimension) ? -1 : timed_[i].family;
      const int at_a_time = family < 0 ? 1 : timed_[i].at_a_time;
      std::set<int> last, settled;
      for (const int group : step.groups) {
        std::vector<int>& on_block = before[{step.dimension, group, family}];
        if (!on_block.empty()) last.insert(on_block.back());
        if (std::ssize(on_block) >= at_a_time)
          settled.insert(on_block[on_block.size() - at_a_time]);
        on_block.push_back(i);
      }
      if (at_a_time > 1) {
        step.behind.assign(last.begin(), last.end());
        step.settled.assign(settled.begin(), settled.end());
        continue;
      }
      last.insert(step.after.begin(), step.after.end());
      step.after.assign(last.begin(), last.end());
    }
  }

  std::vector<int> by_time() const {
    std::vector<int> order(plan_.steps.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](int i) { return std::pair(timed_[i].order, timed_[i].stage); });
    return order;
  }

  // Sorts the steps so that each comes after its dependencies.
  void sort_steps() {
    const std::vector<int> order = by_time();
    std::vector<int> place(order.size());
    for (int i = 0; i < std::ssize(order); ++i) place[order[i]] = i;
    std::vector<SystemStep> sorted;
    for (const int i : order) {
      SystemStep& step = sorted.emplace_back(std::move(plan_.steps[i]));
      for (std::vector<int>* steps : {&step.after, &step.behind, &step.settled}) {
        for (int& before : *steps) before = place[before];
        std::ranges::sort(*steps);
      }
    }
    plan_.steps = std::move(sorted);
  }

  // Load of the busiest group of a dimension, all steps together.
  void set_bound() {
    std::map<std::pair<int, int>, double> bounds;
    for (const SystemStep& step : plan_.steps)
      for (const int group : step.groups) bounds[{step.dimension, group}] += step.plan->bound_ns;
    for (const auto& [group, bound] : bounds) plan_.bound_ns = std::max(plan_.bound_ns, bound);
    for (Part& part : plan_.collectives) part.bound_ns = plan_.bound_ns;
  }

  const Topology& system_;
  const SystemPlaces places_;
  std::span<const CollectiveSpec> work_;
  std::vector<Asked> asked_;
  std::map<Shape, std::vector<int>> families_;
  StepPlans plans_;
  std::vector<Timed> timed_;  // by step
  SystemPlan plan_;
};

}  // namespace

Chunking chunking_for(const Topology& system, const CollectiveSpec& spec, Chunking asked) {
  const std::vector<NodeId> members = members_of(system, spec.group);
  const bool is_npus = !members.empty() && !has_io(system, members);
  if (system.blocks.size() < 2 || !adds_or_gathers(spec.collective) || !is_npus ||
      dimensions_of(places_of(SystemPlaces(system), members, members.front())).size() < 2)
    asked.dimension_order = DimensionOrder::kBaseline;
  return asked;
}

SystemPlan plan_system(const Topology& system, std::span<const CollectiveSpec> work) {
  SystemPlan plan = SystemPlanner(system, work).plan();
  check_phases(system, plan);
  return plan;
}

}  // namespace fredsim
