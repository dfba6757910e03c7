// SPDX-License-Identifier: Apache-2.0
#include "workload/graph_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/member.h"

namespace fredsim {
namespace {

constexpr Timeline::Category kRuns{"runs", false};
constexpr Timeline::Category kComputations{"computations", false};
constexpr Timeline::Category kCommunications{"communications", false};

// A task of an operation.
struct ShownTask {
  int part = 0, rank = 0;
  Timeline::Place place;
};

class RankTracks {
 public:
  RankTracks(Timeline& timeline, int process, int owner, std::string node)
      : timeline_(timeline), process_(process), owner_(owner), node_(std::move(node)) {}

  // The first track of the category that is free at `begin`; spans come in order of it.
  Timeline::Track free_track(TimeCategory category, std::uint64_t begin, std::uint64_t end) {
    std::vector<Lane>& lanes = lanes_[static_cast<std::size_t>(category)];
    auto lane = std::ranges::find_if(lanes, [&](const Lane& l) { return l.until <= begin; });
    if (lane == lanes.end()) {
      const std::string number = lanes.empty() ? "" : fmt::format(" {}", lanes.size() + 1);
      const std::string name = fmt::format(
          "{} {}{}", node_, kTimeCategories[static_cast<std::size_t>(category)], number);
      lanes.push_back({timeline_.add_track(process_, owner_, name)});
      lane = std::prev(lanes.end());
    }
    lane->until = end;
    return lane->track;
  }

 private:
  struct Lane {
    Timeline::Track track;
    std::uint64_t until = 0;
  };
  Timeline& timeline_;
  int process_, owner_;
  std::string node_;
  std::array<std::vector<Lane>, kTimeCategories.size()> lanes_;
};

// Parts of an operation are side by side: an arrow each. Time goes on along it.
void show_arrows(const std::string& name, std::vector<ShownTask>& places, Timeline& timeline) {
  std::ranges::sort(places, {},
                    [](const ShownTask& p) { return std::tuple(p.part, p.place.cycle, p.rank); });
  for (auto at = places.begin(); at != places.end();) {
    const auto end =
        std::find_if(at, places.end(), [&](const ShownTask& p) { return p.part != at->part; });
    std::vector<Timeline::Place> ranks;
    std::transform(at, end, std::back_inserter(ranks), [](const ShownTask& p) { return p.place; });
    if (ranks.size() > 1) timeline.arrow(ranks, name);
    at = end;
  }
}

}  // namespace

void show_on_timeline(const std::string& machine, const Topology& topology, const TaskGraph& graph,
                      const TaskRecords& all, std::uint64_t cycles, Timeline& timeline) {
  const int process = timeline.add_process(machine, topology.clock_hz);
  timeline.begin_run(process);
  timeline.span(timeline.add_track(process, -1, "runs"), kRuns, "iterations", 0, cycles);
  std::map<int, std::vector<ShownTask>> operations;
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    const auto& [member, tasks] = graph.ranks[r];
    const NodeId node = is_io_member(member) ? topology.io_controllers[io_of_member(member)]
                                             : topology.npus[member];
    RankTracks tracks(timeline, process, node, topology.nodes[node].name);
    const std::vector<TaskRecord>& records = all[r];
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return records[t].begin; });
    for (const std::size_t t : order) {
      const auto [begin, end] = std::pair(records[t].begin, records[t].end);
      if (begin == end) continue;
      const Timeline::Track track = tracks.free_track(tasks[t].category, begin, end);
      const Timeline::Category category = tasks[t].computes() ? kComputations : kCommunications;
      const std::string& name = graph.labels[tasks[t].label];
      const auto iteration = static_cast<std::uint64_t>(tasks[t].iteration);
      const bool is_shown =
          tasks[t].node == Task::kNoNode
              ? timeline.span(track, category, name, begin, end, {{"iteration", iteration}})
              : timeline.span(track, category, name, begin, end,
                              {{"iteration", iteration}, {"rank", r}, {"node", tasks[t].node}});
      if (is_shown && !tasks[t].computes())
        operations[tasks[t].operation].push_back({tasks[t].part, tasks[t].rank, {track, begin}});
    }
  }
  for (auto& [operation, places] : operations)
    show_arrows(graph.labels[graph.operations[operation].label], places, timeline);
  timeline.end_run(process, cycles);
}

}  // namespace fredsim
