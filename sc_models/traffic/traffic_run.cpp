// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kExtraWindows = 10;
constexpr std::uint64_t kExtraCycles = 10'000;
constexpr double kAcceptedShare = 0.95;
constexpr double kDeviations = 3;

}  // namespace

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory)
    : TrafficRun(topology, options, factory, cut_for_threads(topology, options.threads)) {}

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory, const Cut& cut)
    : TrafficRun(topology, options, factory, RankedCut{.cut = cut}) {}

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory, const RankedCut& cut)
    : TrafficFabric(topology, options, factory, cut),
      pattern_(options.pattern, topology, options.seed) {}

TrafficSetup TrafficRun::setup() const {
  TrafficSetup setup = TrafficFabric::setup();
  const PatternSpec& pattern = options().pattern;
  setup.pattern = to_string(pattern.kind);
  if (pattern.kind == PatternKind::kHotspot) {
    setup.hotspot_node = pattern.hotspot_node;
    setup.hotspot_fraction = pattern.hotspot_fraction;
  }
  if (pattern.kind == PatternKind::kBackground) setup.excluded_nodes = pattern.excluded;
  if (pattern.matrix != nullptr) setup.pattern_file = pattern.matrix->file;
  setup.packet_flits = kinds().mean_flits() / (kinds().has_replies() ? 2 : 1);
  if (!options().packet_flits.is_single()) setup.packet_sizes = options().packet_flits.text();
  setup.burst = options().bursts.text;
  setup.request_reply = options().exchange.text;
  setup.warmup_cycles = options().warmup_cycles;
  setup.window_cycles = options().window_cycles;
  setup.sending_nodes = pattern_.sending_nodes();
  return setup;
}

// Compares flits of the window. In a fabric that keeps up, created and consumed packets differ by
// the packets in flight at the window's two ends: at most two independent counts of that many
// packets.
bool TrafficRun::falls_short(const CreatedPackets& created, std::uint64_t consumed) const {
  const auto offered = static_cast<double>(created.flits);
  const double shortfall = offered - static_cast<double>(consumed);
  const double dispersion =
      std::ranges::max_element(processes_, {}, &CreationProcess::dispersion)->dispersion;
  const double variance =
      2 * static_cast<double>(created.packets) * kinds().mean_square() * dispersion;
  return shortfall > (1 - kAcceptedShare) * offered &&
         shortfall > kDeviations * std::sqrt(variance);
}

void TrafficRun::start(double rate) {
  reset(options().warmup_cycles, options().warmup_cycles + options().window_cycles);
  start_sources(rate);
}

void TrafficRun::start_sources(double rate) {
  processes_.clear();
  const auto add_process = [&](double load) {
    processes_.push_back(make_process(rate * load, kinds().mean_flits(), options().bursts));
  };
  if (!pattern_.has_loads()) add_process(1);
  for (int rank = 0; pattern_.has_loads() && rank < pattern_.nodes(); ++rank)
    add_process(pattern_.sends(rank) ? pattern_.load(rank) : pattern_.max_load());
  for (int rank = 0; rank < pattern_.nodes(); ++rank) {
    TrafficNode* const node = node_of(rank);
    if (!pattern_.sends(rank) || node == nullptr) continue;
    const CreationProcess& process = processes_[pattern_.has_loads() ? rank : 0];
    const PacketSource source(pattern_, rank, process, kinds(), options().seed);
    if (trains() != nullptr) {
      trains()->start(rank, source);
    } else {
      node->start(source, rank);
    }
  }
}

TrafficPoint TrafficRun::measure_once(double rate, const OnProgress& on_progress) {
  const auto wall_start = std::chrono::steady_clock::now();
  reset(options().warmup_cycles, options().warmup_cycles + options().window_cycles);
  use_trains();
  start_sources(rate);
  const auto run_until = [&](std::uint64_t cycle) {
    run_while(rate, on_progress, [&] { return cycle - std::min(now(), cycle); });
  };
  run_until(meter().window_begin);
  const FabricCounts before = counts();
  if (series() != nullptr) {
    begin_series();
    while (meter().window_begin + series()->next() < meter().window_end && !is_stopped()) {
      run_until(meter().window_begin + series()->next());
      if (!is_stopped()) sample_series();
    }
  }
  run_until(meter().window_end);
  const std::uint64_t window = now() - std::min(now(), meter().window_begin);
  const FabricCounts after = counts();

  TrafficPoint point;
  point.rate = rate;
  const CreatedPackets created = created_in_window();
  point.packets = created.packets;
  const std::uint64_t limit =
      meter().window_end + kExtraWindows * options().window_cycles + kExtraCycles;
  // Lower bound of the edges until the last arrival; 0: all packets have arrived, or time is over.
  const auto edges_in_flight = [&]() -> std::uint64_t {
    const std::uint64_t missing = point.packets - std::min(point.packets, arrived());
    if (missing == 0 || now() >= limit) return 0;
    return std::clamp<std::uint64_t>((missing - 1) / max_consumed(), 1, limit - now());
  };
  run_while(rate, on_progress, edges_in_flight);
  point.incomplete = now() < meter().window_end || edges_in_flight() != 0;

  const double node_cycles = static_cast<double>(pattern_.sending_nodes()) *
                             static_cast<double>(std::max(window, std::uint64_t{1}));
  point.offered = static_cast<double>(created.flits) / node_cycles;
  const std::uint64_t consumed = sum(&TrafficMeter::window_flits);
  point.accepted = static_cast<double>(consumed) / node_cycles;
  const std::uint64_t there = arrived();
  point.saturated = !point.incomplete && (there < point.packets || falls_short(created, consumed));
  complete(point, before, after, window);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
  point.wall_s = wall.count();
  point.sim_cycles_per_s = static_cast<double>(now()) / wall.count();
  return point;
}

// Packets that sources cannot inject accumulate in the window, and arrive at the same rate after
// it. The packets of the longest queue come last, about twice as late as the mean.
double TrafficRun::forecast_end(double rate) const {
  constexpr double kLongestQueue = 2;
  const auto begin = static_cast<double>(meter().window_begin);
  const auto end = static_cast<double>(meter().window_end);
  const auto at = static_cast<double>(now());
  const auto come = static_cast<double>(arrived());
  if (come == 0 || at <= begin) return end;
  const double packets_per_cycle =
      rate * static_cast<double>(pattern_.sending_nodes()) / kinds().mean_flits();
  const double waiting = std::max(packets_per_cycle * (std::min(at, end) - begin) - come, 0.0);
  const double at_the_end = waiting * std::max((end - begin) / (at - begin), 1.0);
  return std::max(at, end) + kLongestQueue * at_the_end * (at - begin) / come;
}

}  // namespace fredsim
