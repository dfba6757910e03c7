// SPDX-License-Identifier: Apache-2.0
#include "collective/system_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "collective/members.h"
#include "collective/planner.h"
#include "collective/split.h"
#include "collective/system_box.h"
#include "collective/system_phases.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// Chunks where nothing is said: no smaller than this, so that latencies do not add up to more than bandwidth.
constexpr std::uint64_t kLeastChunk = std::uint64_t{1} << 20;
constexpr int kMostAutoChunks = 64;

constexpr std::array kHierarchical = {Collective::kAllReduce, Collective::kReduceScatter,
                                      Collective::kAllGather, Collective::kAllToAll,
                                      Collective::kReduce,    Collective::kBroadcast,
                                      Collective::kMulticast, Collective::kUnicast};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(',', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return words;
    begin = end + 1;
  }
}

// A collective of one chunk in one dimension.
struct Stage {
  int dimension = 0;
  Collective collective = Collective::kAllReduce;
  std::uint64_t bytes = 0;
};

std::vector<Stage> stages_of(Collective collective, const std::vector<BoxHop>& path,
                             const MemberBox& box, std::uint64_t bytes) {
  std::vector<Stage> stages;
  for (const BoxHop& hop : path) stages.push_back({hop.dimension, Collective::kUnicast, bytes});
  std::vector<int> dimensions;  // lowest first
  for (int d = 0; d < std::ssize(box.places); ++d)
    if (box.places[d].size() > 1) dimensions.push_back(d);
  std::vector<std::uint64_t> left;  // before a reduce-scatter, after an all-gather in a dimension
  for (const int d : dimensions) {
    left.push_back(bytes);
    const std::uint64_t size = box.places[d].size();
    bytes = (bytes + size - 1) / size;
  }
  const auto top = static_cast<std::ptrdiff_t>(dimensions.size()) - 1;
  const auto up = [&](Collective one, std::ptrdiff_t end, bool shrinks) {
    for (std::ptrdiff_t i = 0; i < end; ++i)
      stages.push_back({dimensions[i], one, shrinks ? left[i] : left.front()});
  };
  const auto down = [&](Collective one, std::ptrdiff_t from, bool shrinks) {
    for (std::ptrdiff_t i = from; i >= 0; --i)
      stages.push_back({dimensions[i], one, shrinks ? left[i] : left.front()});
  };
  switch (collective) {
    case Collective::kAllReduce:
      up(Collective::kReduceScatter, top, true);
      stages.push_back({dimensions[top], Collective::kAllReduce, left[top]});
      down(Collective::kAllGather, top - 1, true);
      break;
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
    case Collective::kReduce:
      up(collective, top + 1, collective == Collective::kReduceScatter);
      break;
    case Collective::kAllGather:
      down(collective, top, true);
      break;
    default:
      down(Collective::kBroadcast, top, false);
  }
  return stages;
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
      : system_(system), places_(system), work_(work) {}

  SystemPlan plan() {
    for (const CollectiveSpec& spec : work_) add(spec);
    plan_.chunks_asked = work_.front().chunks;
    for (const auto& [shape, family] : families_) plan_family(family);
    order_on_blocks();
    sort_steps();
    set_bound();
    return std::move(plan_);
  }

 private:
  struct Asked {
    const CollectiveSpec* spec = nullptr;
    MemberBox box;               // a multicast's: box of those that receive
    std::vector<BoxHop> path{};  // a multicast's: to the box
  };
  // By what it does, dimensions of its path, and how many places it has in each dimension.
  using Shape = std::tuple<Collective, std::string, std::uint64_t, int, int, std::vector<int>,
                           std::vector<std::size_t>>;
  struct Timed {
    int order = 0;  // a chunk's number and that of its step
    int stage = 0;
    int family = 0;  // its first collective
  };

  void add(const CollectiveSpec& spec) {
    if (std::ranges::find(kHierarchical, spec.collective) == kHierarchical.end()) {
      std::vector<std::string> names;
      names.reserve(kHierarchical.size());
      for (const Collective one : kHierarchical) names.push_back(to_string(one));
      throw BadInput(fmt::format("collective: found {}; allowed on a system of dimensions: {}",
                                 to_string(spec.collective), fmt::join(names, ", ")));
    }
    if (spec.chunks < 0 || spec.chunks > kMaxChunks) {
      throw BadInput(fmt::format("chunks: found {}, allowed: 1 to {}", spec.chunks, kMaxChunks));
    }
    if (spec.start_cycle > 0 || spec.roots > 0)
      throw BadInput("group: found a start or roots; allowed on a system of dimensions: neither");
    Part part;
    part.collective = spec.collective;
    part.members = members_of(system_, spec.group);
    check_size_and_root(spec);
    part.bytes = spec.bytes;
    part.vc = spec.vc;
    part.root = spec.root;
    if (part.members.size() < 2)
      throw BadInput("group: found one NPU; allowed on a system of dimensions: two or more");
    if (has_io(system_, part.members))
      throw BadInput("group: found an I/O controller; allowed on a system of dimensions: NPUs");
    Asked asked = asked_for(spec, part.members);
    Shape shape{spec.collective, spec.algorithm, spec.bytes, spec.vc, spec.chunks, {}, {}};
    for (const BoxHop& hop : asked.path) std::get<5>(shape).push_back(hop.dimension);
    for (const auto& in : asked.box.places) std::get<6>(shape).push_back(in.size());
    plan_.collectives.push_back(std::move(part));
    families_[std::move(shape)].push_back(static_cast<int>(asked_.size()));
    asked_.push_back(std::move(asked));
  }

  // A multicast goes to the box of those that receive, and there as a broadcast does; from within it is one.
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

  int chunks_of(const CollectiveSpec& spec, std::size_t stages) const {
    if (spec.chunks > 0) return spec.chunks;
    if (stages < 2) return 1;
    return static_cast<int>(
        std::clamp<std::uint64_t>(spec.bytes / kLeastChunk, 1, kMostAutoChunks));
  }

  // Collectives of one shape; those whose members are the same places of a block are one part of a step for all of its groups.
  void plan_family(const std::vector<int>& family) {
    const CollectiveSpec& spec = *asked_[family.front()].spec;
    const std::vector<std::string> words = algorithms_of(spec);
    const auto stages = [&](std::uint64_t bytes) {
      const Asked& asked = asked_[family.front()];
      return stages_of(spec.collective, asked.path, asked.box, bytes);
    };
    const std::size_t count = stages(spec.bytes).size();
    const int chunks = chunks_of(spec, count);
    plan_.chunks = std::max(plan_.chunks, chunks);
    std::vector<std::string> used(places_.dimensions());
    std::map<std::pair<int, std::size_t>, int> before;  // steps of a chunk, by collective and stage
    std::vector<std::map<std::vector<int>, Members>> in_stage;  // whatever the chunk
    for (std::size_t s = 0; s < count; ++s)
      in_stage.push_back(groups_in(family, s, stages(spec.bytes)[s]));
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const auto chunks_all = static_cast<std::uint64_t>(chunks);
      const auto number = static_cast<std::uint64_t>(chunk);
      const std::uint64_t bytes = share_begin(spec.bytes, chunks_all, number + 1) -
                                  share_begin(spec.bytes, chunks_all, number);
      if (bytes == 0) continue;
      const std::vector<Stage> of_chunk = stages(bytes);
      for (std::size_t s = 0; s < of_chunk.size(); ++s) {
        const Stage& stage = of_chunk[s];
        for (const auto& [groups, members] : in_stage[s]) {
          SystemStep step;
          step.dimension = stage.dimension;
          step.groups = groups;
          const bool passes_on = stage.collective == Collective::kUnicast;
          step.plan = planned(stage, passes_on ? "auto" : words[stage.dimension], spec, members);
          if (!passes_on) used[stage.dimension] = step.plan->parts.front().algorithm;
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
          timed_.push_back({chunk + static_cast<int>(s), static_cast<int>(s), family.front()});
        }
      }
    }
    std::string name, by_dimension;
    for (const std::string& one : used) {
      if (!one.empty()) name += (name.empty() ? "" : ",") + one;
      by_dimension += (by_dimension.empty() ? "" : ",") + (one.empty() ? "auto" : one);
    }
    for (const int one : family) {
      plan_.collectives[one].algorithm = name.empty() ? "direct" : name;
      plan_.collectives[one].algorithms = by_dimension;
    }
  }

  // Members of the parts of a step, by root and places: the collectives that have them.
  using Members = std::map<std::pair<int, std::vector<int>>, std::vector<int>>;
  // By the groups that do a stage; sets of groups with equal parts are one.
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

  // Groups that some do with others and some without would not be alike.
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
    std::vector<std::string> words = words_of(spec.algorithm);
    const auto dimensions = static_cast<std::size_t>(places_.dimensions());
    if (words.size() == 1) words.assign(dimensions, words.front());
    if (words.size() == dimensions) return words;
    throw BadInput(
        fmt::format("algorithm: found '{}', {} words; allowed: one, or {}, one by "
                    "dimension, lowest first",
                    spec.algorithm, words.size(), dimensions));
  }

  std::shared_ptr<const Plan> planned(const Stage& stage, const std::string& algorithm,
                                      const CollectiveSpec& asked, const Members& members) {
    std::vector<std::pair<int, std::vector<int>>> parts;
    for (const auto& [places, collectives] : members) parts.push_back(places);
    std::shared_ptr<const Plan>& plan =
        planned_[{stage.dimension, stage.collective, stage.bytes, algorithm, asked.vc, parts}];
    if (plan != nullptr) return plan;
    const SystemBlock& block = system_.blocks[stage.dimension];
    std::vector<CollectiveSpec> specs;
    for (const auto& [root, places] : parts) {
      CollectiveSpec& spec = specs.emplace_back();
      spec.collective = stage.collective;
      spec.group = places;
      spec.bytes = stage.bytes;
      spec.algorithm = algorithm;
      spec.vc = asked.vc;
      spec.root = root;
    }
    try {
      plan = std::make_shared<const Plan>(make_plan(*block.topology, specs));
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{} (dimension {})", error.what(), block.name));
    }
    for (const std::string& note : plan->notes) {
      const std::string text = fmt::format("{}: {}", block.name, note);
      if (std::ranges::find(plan_.notes, text) == plan_.notes.end()) plan_.notes.push_back(text);
    }
    return plan;
  }

  // On a block each step comes after the one before: of its family, or where some add up in the switches of all.
  void order_on_blocks() {
    std::set<int> adding;  // dimensions
    for (const SystemStep& step : plan_.steps)
      if (!step.plan->programs.empty()) adding.insert(step.dimension);
    std::map<std::tuple<int, int, int>, int> last;  // by dimension, group and family
    for (const int i : by_time()) {
      SystemStep& step = plan_.steps[i];
      const int family = adding.contains(step.dimension) ? -1 : timed_[i].family;
      std::set<int> after(step.after.begin(), step.after.end());
      for (const int group : step.groups) {
        const auto [before, is_first] = last.try_emplace({step.dimension, group, family}, i);
        if (!is_first) after.insert(std::exchange(before->second, i));
      }
      step.after.assign(after.begin(), after.end());
    }
  }

  std::vector<int> by_time() const {
    std::vector<int> order(plan_.steps.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](int i) { return std::pair(timed_[i].order, timed_[i].stage); });
    return order;
  }

  // Each behind those that it waits for.
  void sort_steps() {
    const std::vector<int> order = by_time();
    std::vector<int> place(order.size());
    for (int i = 0; i < std::ssize(order); ++i) place[order[i]] = i;
    std::vector<SystemStep> sorted;
    for (const int i : order) {
      SystemStep& step = sorted.emplace_back(std::move(plan_.steps[i]));
      for (int& before : step.after) before = place[before];
      std::ranges::sort(step.after);
    }
    plan_.steps = std::move(sorted);
  }

  // Busiest group of a dimension, all its steps.
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
  using Planned = std::tuple<int, Collective, std::uint64_t, std::string, int,
                             std::vector<std::pair<int, std::vector<int>>>>;
  std::map<Planned, std::shared_ptr<const Plan>> planned_;
  std::vector<Timed> timed_;  // by step
  SystemPlan plan_;
};

}  // namespace

SystemPlan plan_system(const Topology& system, std::span<const CollectiveSpec> work) {
  SystemPlan plan = SystemPlanner(system, work).plan();
  check_phases(system, plan);
  return plan;
}

}  // namespace fredsim
