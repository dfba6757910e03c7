// SPDX-License-Identifier: Apache-2.0
#include "report/trace_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "workload_files/trace_info.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kTracePsPerSecond = 1'000'000'000'000;

// Lanes of a stream or thread: gives an operation the first one that is free.
class LanesOfStream {
 public:
  std::size_t place(std::uint64_t begin, std::uint64_t end) {
    while (!busy_.empty() && busy_.top().first <= begin) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    if (free_.empty()) free_.push(lanes_++);
    const std::size_t lane = free_.top();
    free_.pop();
    busy_.emplace(end, lane);
    return lane;
  }

 private:
  template <class T>
  using Least = std::priority_queue<T, std::vector<T>, std::greater<>>;
  Least<std::pair<std::uint64_t, std::size_t>> busy_;  // end, lane
  Least<std::size_t> free_;
  std::size_t lanes_ = 0;
};

// Nodes with a duration that a node waits for, directly or through nodes without one.
std::vector<std::size_t> timed_before(const std::vector<TraceNode>& nodes,
                                      const std::unordered_map<std::uint64_t, std::size_t>& at,
                                      const TraceNode& node) {
  constexpr std::size_t kMostSeen = 1000;  // nodes without time behind each other
  std::vector<std::size_t> found;
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::uint64_t> open = node.after;
  while (!open.empty() && seen.size() < kMostSeen) {
    const std::uint64_t id = open.back();
    open.pop_back();
    const auto known = at.find(id);
    if (known == at.end() || !seen.insert(id).second) continue;
    const TraceNode& before = nodes[known->second];
    if (before.duration_ps != 0)
      found.push_back(known->second);
    else
      open.insert(open.end(), before.after.begin(), before.after.end());
  }
  std::ranges::sort(found);
  return found;
}

void add_arrows(const ShownTrace& trace, const std::vector<Timeline::Place>& places,
                Timeline& timeline, TraceTimelineCounts& counts) {
  std::unordered_map<std::uint64_t, std::size_t> at;
  for (std::size_t n = 0; n < trace.nodes.size(); ++n) at.emplace(trace.nodes[n].id, n);
  for (std::size_t n = 0; n < trace.nodes.size(); ++n) {
    if (places[n].track.process < 0) continue;
    for (const std::size_t before : timed_before(trace.nodes, at, trace.nodes[n])) {
      if (places[before].track.process < 0) continue;
      if (places[before].cycle > places[n].cycle) {
        ++counts.backward;
        continue;
      }
      timeline.arrow(std::array{places[before], places[n]}, "waits for");
      ++counts.arrows;
    }
  }
}

Timeline::Category category_of(TraceKind kind) {
  constexpr std::array<Timeline::Category, 4> kCategories{
      {{"CPU", false}, {"computations", false}, {"memory", false}, {"communications", false}}};
  return kCategories[static_cast<std::size_t>(kind)];
}

}  // namespace

ShownTrace shown_trace(const std::string& path) {
  ShownTrace trace{.path = path, .nodes = read_trace_nodes(path)};
  trace.begins = trace_begins(path, trace.nodes);
  return trace;
}

TraceKind trace_kind(const TraceNode& node) {
  if (is_communication(node)) return TraceKind::kCommunication;
  if (node.on_cpu) return TraceKind::kCpu;
  return node.type == TraceNodeType::kLoad || node.type == TraceNodeType::kStore
             ? TraceKind::kMemory
             : TraceKind::kComputation;
}

std::vector<TraceLane> trace_lanes(const ShownTrace& trace) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < trace.nodes.size(); ++n)
    if (trace.nodes[n].duration_ps != 0) order.push_back(n);
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return trace.begins.ps[n]; });
  std::map<std::pair<bool, int>, LanesOfStream> streams;  // on the accelerator, number
  std::map<std::tuple<bool, int, std::size_t>, TraceLane> lanes;
  for (const std::size_t n : order) {
    const TraceNode& node = trace.nodes[n];
    const std::uint64_t begin = trace.begins.ps[n];
    const std::size_t place =
        streams[{!node.on_cpu, node.stream}].place(begin, begin + node.duration_ps);
    TraceLane& lane = lanes[{!node.on_cpu, node.stream, place}];
    if (lane.nodes.empty()) {
      lane = {.on_cpu = node.on_cpu,
              .stream = node.stream,
              .name = trace_lane_text(node.on_cpu, node.stream)};
      if (place > 0) lane.name += fmt::format(" ({})", place + 1);
    }
    lane.nodes.push_back(n);
  }
  std::vector<TraceLane> all;
  for (auto& [key, lane] : lanes) all.push_back(std::move(lane));
  return all;
}

std::uint64_t trace_origin(std::span<const ShownTrace> traces) {
  std::vector<std::uint64_t> firsts;
  for (const ShownTrace& trace : traces) firsts.push_back(first_begin(trace.nodes, trace.begins));
  return firsts.empty() ? 0 : *std::ranges::min_element(firsts);
}

Timeline trace_timeline(std::span<const ShownTrace> traces, TraceTimelineCounts& counts) {
  const bool is_recorded =
      std::ranges::any_of(traces, [](const ShownTrace& trace) { return trace.begins.is_recorded; });
  Timeline timeline(Timeline::kMaxEvents,
                    {.begin = "begin_ps",
                     .length = "duration_ps",
                     .source = is_recorded ? "as recorded" : "earliest by dependencies",
                     .unit = "picoseconds"});
  const std::uint64_t origin = trace_origin(traces);
  for (const ShownTrace& trace : traces) {
    const int process = timeline.add_process(trace.path, kTracePsPerSecond);
    timeline.begin_run(process);
    std::vector<Timeline::Place> places(trace.nodes.size(), {{-1, -1}, 0});
    std::size_t timed = 0;
    int owner = 0;
    for (const TraceLane& lane : trace_lanes(trace)) {
      const Timeline::Track track = timeline.add_track(process, owner++, lane.name);
      timed += lane.nodes.size();
      for (const std::size_t n : lane.nodes) {
        const TraceNode& node = trace.nodes[n];
        const std::uint64_t begin = trace.begins.ps[n] - std::min(origin, trace.begins.ps[n]);
        const bool is_shown =
            timeline.span(track, category_of(trace_kind(node)), node.name.empty() ? "-" : node.name,
                          begin, begin + node.duration_ps,
                          {{"node", node.id},
                           {"bytes", is_communication(node) ? node.bytes : node.tensor_bytes}});
        if (!is_shown) continue;
        ++counts.spans;
        places[n] = {track, begin};
      }
    }
    counts.untimed += trace.nodes.size() - timed;
    add_arrows(trace, places, timeline, counts);
    timeline.end_run(process, 0);
  }
  return timeline;
}

}  // namespace fredsim
