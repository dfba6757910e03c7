// SPDX-License-Identifier: Apache-2.0
#include "optimize/network_time.h"

#include <algorithm>
#include <stdexcept>

#include "workload/operation_shapes.h"

namespace fredsim {
namespace {

// Serial hops of a ring: there, and back.
double ring_steps(const CollectiveSpec& spec) {
  const auto ranks = static_cast<double>(spec.group.size());
  return (spec.collective == Collective::kAllReduce ? 2 : 1) * (ranks - 1);
}

// Hops of point-to-point traffic: all hops of a chain.
double transfer_steps(const CollectiveSpec& spec) {
  const bool is_chain = spec.collective == Collective::kReduce ||
                        spec.collective == Collective::kBroadcast ||
                        spec.collective == Collective::kMulticast;
  return is_chain ? static_cast<double>(spec.group.size()) - 1 : 1;
}

// Longest path by tasks whose predecessors are done (Kahn's order).
class LongestPath {
 public:
  LongestPath(const TaskGraph& graph, double clock_hz, NetworkTimes& network)
      : graph_(graph), clock_hz_(clock_hz), network_(network) {}

  double find() {
    list_tasks();
    list_meetings();
    for (std::size_t task = 0; task < waits_.size(); ++task)
      if (waits_[task] == 0) ready_.push_back(static_cast<int>(task));
    std::size_t done = 0;
    double end = 0;
    for (; !ready_.empty(); ++done) {
      const int task = ready_.back();
      ready_.pop_back();
      const Task& one = *tasks_[task];
      if (one.computes()) {
        complete(task, start_[task] + static_cast<double>(one.cycles) / clock_hz_);
        end = std::max(end, ends_[task]);
        continue;
      }
      Meeting& meeting = meetings_[first_part_[one.operation] + static_cast<std::size_t>(one.part)];
      meeting.tasks.push_back(task);
      meeting.start = std::max(meeting.start, start_[task]);
      if (--meeting.missing > 0) continue;
      const double at = meeting.start + duration(one.operation);
      for (const int member : meeting.tasks) complete(member, at);
      end = std::max(end, at);
    }
    if (done != tasks_.size()) throw std::logic_error("tasks wait for each other");
    return end;
  }

 private:
  struct Meeting {
    std::size_t missing = 0;
    double start = 0;
    std::vector<int> tasks{};
  };

  void list_tasks() {
    for (const TaskRank& rank : graph_.ranks) {
      const auto first = static_cast<int>(tasks_.size());
      int last_computation = -1;
      for (const Task& task : rank.tasks) {
        const auto number = static_cast<int>(tasks_.size());
        tasks_.push_back(&task);
        waits_.push_back(0);
        next_.emplace_back();
        const auto wait_for = [&](int other) {
          ++waits_[number];
          next_[other].push_back(number);
        };
        for (const int before : task.after) wait_for(first + before);
        if (!task.computes()) continue;
        if (last_computation >= 0) wait_for(last_computation);
        last_computation = number;
      }
    }
    start_.assign(tasks_.size(), 0);
    ends_ = start_;
  }

  void list_meetings() {
    for (const GraphOperation& operation : graph_.operations) {
      first_part_.push_back(meetings_.size());
      for (const CollectiveSpec& spec : graph_.shapes[operation.shape].work) {
        meetings_.emplace_back();
        meetings_.back().missing = spec.group.size();
      }
    }
    by_shape_.assign(graph_.shapes.size(), -1);
  }

  double duration(int operation) {
    const GraphOperation& one = graph_.operations[operation];
    double& known = by_shape_[one.shape];
    if (known < 0) {
      known = network_.seconds(all_specs(graph_.shapes[one.shape]));
    }
    return known * static_cast<double>(one.times);
  }

  void complete(int task, double at) {
    ends_[task] = at;
    for (const int other : next_[task]) {
      start_[other] = std::max(start_[other], at);
      if (--waits_[other] == 0) ready_.push_back(other);
    }
  }

  const TaskGraph& graph_;
  const double clock_hz_;
  NetworkTimes& network_;
  std::vector<const Task*> tasks_;
  std::vector<int> waits_;
  std::vector<std::vector<int>> next_;
  std::vector<double> start_, ends_;
  std::vector<std::size_t> first_part_;  // by operation
  std::vector<Meeting> meetings_;
  std::vector<double> by_shape_;  // below 0: not known yet
  std::vector<int> ready_;
};

}  // namespace

double SwitchTimes::seconds(std::span<const CollectiveSpec> together) {
  std::vector<double> sent(static_cast<std::size_t>(nodes_)), received = sent;
  double steps = 0;
  for (const CollectiveSpec& spec : together) {
    if (goes_along_rings(spec)) {
      for (const int node : spec.group) sent[node] += ring_bytes(spec);
      steps = std::max(steps, ring_steps(spec));
      continue;
    }
    for_each_transfer(spec, [&](int from, int to, double bytes) {
      sent[from] += bytes;
      received[to] += bytes;
    });
    steps = std::max(steps, transfer_steps(spec));
  }
  const double busiest = std::max(std::ranges::max(sent), std::ranges::max(received));
  return busiest / speed_.bytes_per_second + steps * speed_.latency;
}

DirectTimes::DirectTimes(const DirectTopology& topology, LinkSpeed speed, int paths)
    : topology_(topology), speed_(speed), path_count_(paths) {
  for (const RingSet& set : topology.rings)
    for (const std::vector<int>& group : set.groups) set_of_.try_emplace(group, &set);
}

const std::vector<std::vector<int>>& DirectTimes::paths(int from, int to) {
  const auto [known, is_new] = paths_.try_emplace({from, to});
  if (is_new) known->second = shortest_paths(topology_.network, from, to, path_count_);
  return known->second;
}

double DirectTimes::seconds(std::span<const CollectiveSpec> together) {
  const std::vector<DirectLink>& links = topology_.network.links();
  loads_.assign(links.size(), 0);
  double hops = 0;
  for (const CollectiveSpec& spec : together) {
    if (!goes_along_rings(spec)) {
      hops = std::max(hops, add_transfers(spec));
      continue;
    }
    const auto set = set_of_.find(spec.group);
    hops = std::max(hops, set != set_of_.end() ? add_rings(spec, *set->second) : add_detours(spec));
  }
  double busiest = 0;
  for (std::size_t link = 0; link < links.size(); ++link)
    busiest = std::max(busiest, loads_[link] / links[link].count);
  return busiest / speed_.bytes_per_second + hops * speed_.latency;
}

double DirectTimes::add_rings(const CollectiveSpec& spec, const RingSet& set) {
  const bool both = topology_.kind.both_ways;
  const double share = ring_bytes(spec) / static_cast<double>(set.jumps.size() * (both ? 2 : 1));
  const std::size_t members = spec.group.size();
  for (const int jump : set.jumps) {
    for (std::size_t i = 0; i < members; ++i) {
      const int node = spec.group[i];
      const int next = spec.group[(i + static_cast<std::size_t>(jump)) % members];
      loads_[topology_.network.link(node, next)] += share;
      if (both) loads_[topology_.network.link(next, node)] += share;
    }
  }
  return ring_steps(spec);
}

double DirectTimes::add_detours(const CollectiveSpec& spec) {
  const std::size_t members = spec.group.size();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < members; ++i) {
    const std::vector<int>& path = paths(spec.group[i], spec.group[(i + 1) % members]).front();
    for (const int link : path) loads_[link] += ring_bytes(spec);
    longest = std::max(longest, path.size());
  }
  return ring_steps(spec) * static_cast<double>(longest);
}

double DirectTimes::add_transfers(const CollectiveSpec& spec) {
  std::size_t longest = 0;
  for_each_transfer(spec, [&](int from, int to, double bytes) {
    const std::vector<std::vector<int>>& all = paths(from, to);
    double shares = 0;
    for (const std::vector<int>& path : all) shares += 1.0 / static_cast<double>(path.size());
    for (const std::vector<int>& path : all) {
      const double share = bytes / static_cast<double>(path.size()) / shares;
      for (const int link : path) loads_[link] += share;
      longest = std::max(longest, path.size());
    }
  });
  return transfer_steps(spec) * static_cast<double>(longest);
}

double job_seconds(const TaskGraph& graph, double clock_hz, NetworkTimes& network) {
  return LongestPath(graph, clock_hz, network).find();
}

}  // namespace fredsim
