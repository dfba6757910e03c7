// SPDX-License-Identifier: Apache-2.0
#include "trace/link_series_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/flit.h"

namespace fredsim {

namespace {

// Differences of a rising count between samples; the rest to its total is that of the last window.
template <class Count, class At>
std::vector<Count> by_window(std::uint64_t windows, Count total, const At& at) {
  std::vector<Count> differences;
  Count before = at(0);
  const Count first = before;
  for (std::uint64_t w = 1; w < windows; ++w) {
    const Count now = at(w);
    differences.push_back(now - before);
    before = now;
  }
  differences.push_back(total - (before - first));
  return differences;
}

}  // namespace

LinkSeriesRecorder::LinkSeriesRecorder(const Topology& topology, const FabricCore& core,
                                       SwitchCores switches, std::uint64_t window_cycles)
    : topology_(topology), core_(core), switches_(switches), window_cycles_(window_cycles) {}

LinkSeriesRecorder::Counts LinkSeriesRecorder::to_counts(std::span<const LinkCount> links,
                                                         SwitchCounts switches) {
  Counts now;
  now.links.reserve(links.size());
  for (const LinkCount& count : links)
    now.links.push_back({.flits = count.flits,
                         .bytes = count.flits * kFlitBytes - count.missing_bytes,
                         .busy_cycles = count.flits + count.again,
                         .sent = count.sent});
  now.switches.resize(switches.size());
  for (std::size_t id = 0; id < switches.size(); ++id) {
    if (!switches[id]) continue;
    OfSwitch& of_switch = now.switches[id].emplace();
    for (std::size_t c = 0; c < of_switch.size(); ++c)
      of_switch[c] = *switches[id].*kSwitchCounters[c].value;
  }
  return now;
}

LinkSeriesRecorder::Counts LinkSeriesRecorder::counts() const {
  std::vector<LinkCount> links;
  links.reserve(topology_.links.size());
  for (int l = 0; l < std::ssize(topology_.links); ++l) links.push_back(core_.count(l));
  std::vector<std::optional<SwitchCounters>> switches(switches_.size());
  for (std::size_t id = 0; id < switches_.size(); ++id) {
    SwitchCounters counters;
    if (switches_[id] != nullptr && switches_[id]->peek_counters(counters)) switches[id] = counters;
  }
  return to_counts(links, switches);
}

void LinkSeriesRecorder::begin(std::uint64_t begin_cycle) { begin(begin_cycle, counts()); }
void LinkSeriesRecorder::begin(std::uint64_t begin_cycle, std::span<const LinkCount> links,
                               SwitchCounts switches) {
  begin(begin_cycle, to_counts(links, switches));
}
void LinkSeriesRecorder::begin(std::uint64_t begin_cycle, Counts counts) {
  begin_cycle_ = begin_cycle;
  next_ = window_cycles_;
  samples_.clear();
  samples_.push_back(std::move(counts));
}

void LinkSeriesRecorder::sample() { sample(counts()); }
void LinkSeriesRecorder::sample(std::span<const LinkCount> links, SwitchCounts switches) {
  sample(to_counts(links, switches));
}
void LinkSeriesRecorder::sample(Counts counts) {
  if (samples_.size() * topology_.links.size() > LinkSeries::kMaxValues)
    throw BadInput(fmt::format(
        "--series: found {}, of which {} links have more than {} windows together; allowed: "
        "longer windows",
        window_cycles_, topology_.links.size(), LinkSeries::kMaxValues));
  samples_.push_back(std::move(counts));
  next_ += window_cycles_;
}

LinkSeries::OfLink LinkSeriesRecorder::of_link(const LinkResult& total, int link, int like,
                                               const LinkSeries& shape) const {
  const std::uint64_t windows = shape.windows();
  const auto each = [&](auto all, auto OnLink::*count) {
    return by_window(windows, all,
                     [&](std::uint64_t sample) { return samples_[sample].links[like].*count; });
  };
  const double rate = topology_.links[link].rate.value();
  LinkSeries::OfLink series{
      .name = total.name,
      .from = total.from,
      .to = total.to,
      .flits = each(total.flits, &OnLink::flits),
      .bytes = each(total.bytes, &OnLink::bytes),
      .busy_cycles = each(total.busy_cycles, &OnLink::busy_cycles),
      .utilization =
          each(total.utilization * rate * static_cast<double>(shape.cycles), &OnLink::sent)};
  for (std::uint64_t w = 0; w < windows; ++w) {
    const double allowed = rate * static_cast<double>(shape.length(w));
    // A difference of large sums may be just below 0.
    series.utilization[w] = allowed == 0 ? 0 : std::max(series.utilization[w] / allowed, 0.0);
  }
  return series;
}

LinkSeries::OfSwitch LinkSeriesRecorder::of_switch(const SwitchResult& total, NodeId like,
                                                   std::uint64_t windows) const {
  LinkSeries::OfSwitch series{.name = total.name};
  for (const auto& [reason, sum] : total.stall_cycles) {
    const auto is_of_reason = [&reason = reason](const CounterInfo& counter) {
      return counter.stall != nullptr && reason == counter.stall;
    };
    const auto counter = static_cast<std::size_t>(
        std::ranges::find_if(kSwitchCounters, is_of_reason) - std::begin(kSwitchCounters));
    series.stall_cycles.emplace_back(reason, by_window(windows, sum, [&](std::uint64_t sample) {
                                       return (*samples_[sample].switches[like])[counter];
                                     }));
  }
  return series;
}

LinkSeries LinkSeriesRecorder::result(std::uint64_t cycles, std::span<const LinkResult> links,
                                      std::span<const SwitchResult> switches,
                                      std::span<const int> link_like,
                                      std::span<const NodeId> switch_like) const {
  LinkSeries series{.begin_cycle = begin_cycle_, .window_cycles = window_cycles_, .cycles = cycles};
  for (int l = 0; l < std::ssize(links); ++l)
    series.links.push_back(of_link(links[l], l, link_like.empty() ? l : link_like[l], series));
  NodeId id = 0;
  for (const SwitchResult& total : switches) {
    while (topology_.nodes[id].name != total.name) ++id;
    const NodeId like = switch_like.empty() ? id : switch_like[id];
    if (samples_.front().switches[like])
      series.switches.push_back(of_switch(total, like, series.windows()));
  }
  return series;
}

}  // namespace fredsim
