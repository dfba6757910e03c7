// SPDX-License-Identifier: Apache-2.0
#include "trace/timeline_counters.h"

#include <algorithm>
#include <cmath>

#include "switch/node_shape.h"

namespace fredsim {
void TimelineCounters::begin_run() {
  interval_ = next_sample_ = kFirstInterval;
  intervals_ = 0;
  links_.clear();
  switches_.clear();
  const Topology& topology = fabric_.topology();
  for (const Link& link : topology.links) {
    links_.push_back({link.name, {"utilization"}, link.rate.value(), {0}, {}});
  }
  SwitchCounters counters;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint() || !fabric_.switch_core(id).peek_counters(counters)) continue;
    Series series{node.name + " stalls", {}, 1, {}, {}};
    std::vector<std::uint64_t SwitchCounters::*> stalls;
    for (const CounterInfo& counter : kSwitchCounters) {
      if (counter.stall == nullptr || !kind_of(node).has(counter)) continue;
      series.keys.push_back(counter.stall);
      series.last.push_back(static_cast<double>(counters.*counter.value));
      stalls.push_back(counter.value);
    }
    switches_.push_back({id, std::move(stalls), std::move(series)});
  }
}

void TimelineCounters::sample() {
  const auto take = [](Series& series, std::size_t key, double count) {
    series.differences.push_back(count - series.last[key]);
    series.last[key] = count;
  };
  for (int l = 0; l < std::ssize(links_); ++l) take(links_[l], 0, fabric_.core().count(l).sent);
  SwitchCounters counters;
  for (SwitchSeries& one : switches_) {
    fabric_.switch_core(one.node).peek_counters(counters);
    for (std::size_t key = 0; key < one.stalls.size(); ++key) {
      take(one.series, key, static_cast<double>(counters.*one.stalls[key]));
    }
  }
  if (++intervals_ == kMaxIntervals) merge_intervals();
  next_sample_ += interval_;
}

void TimelineCounters::merge_intervals() {
  const auto merge = [](Series& series) {
    const std::size_t keys = series.keys.size();
    std::vector<double>& d = series.differences;
    for (std::size_t i = 0; i < d.size() / keys / 2; ++i) {
      for (std::size_t k = 0; k < keys; ++k) {
        d[i * keys + k] = d[2 * i * keys + k] + d[(2 * i + 1) * keys + k];
      }
    }
    d.resize(d.size() / 2);
  };
  std::ranges::for_each(links_, merge);
  for (SwitchSeries& one : switches_) merge(one.series);
  intervals_ /= 2;
  interval_ *= 2;
}

void TimelineCounters::end_run(std::uint64_t now, std::uint64_t cycles) {
  if (now + interval_ > next_sample_) sample();  // remainder of the last interval
  for (const Series& series : links_) emit(series, cycles);
  for (const SwitchSeries& one : switches_) emit(one.series, cycles);
}

// Emits changes of the values only, and zero after the end.
void TimelineCounters::emit(const Series& series, std::uint64_t cycles) const {
  const std::size_t keys = series.keys.size();
  std::vector<Timeline::Value> shown;
  for (const char* key : series.keys) shown.emplace_back(key, 0);
  const std::vector<Timeline::Value> zero = shown;
  for (std::size_t i = 0; i < series.differences.size() / keys; ++i) {
    const std::uint64_t begin = i * interval_;
    const std::uint64_t length = std::min(interval_, std::max(cycles, begin) + 1 - begin);
    std::vector<Timeline::Value> values = zero;
    for (std::size_t k = 0; k < keys; ++k) {
      const double value =
          series.differences[i * keys + k] / (static_cast<double>(length) * series.scale);
      values[k].second = std::round(value * 1e9) / 1e9;
    }
    if (values != shown) timeline_.counter(process_, series.name, begin, values);
    shown = std::move(values);
  }
  if (shown != zero) timeline_.counter(process_, series.name, cycles, zero);
}

}  // namespace fredsim
