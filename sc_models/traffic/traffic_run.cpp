// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "engine/diagnosis.h"
#include "engine/gathered.h"
#include "links/link_policy.h"
#include "routing/nic_port.h"
#include "switch/node_shape.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr int kLanes = 1;
constexpr std::uint64_t kProgressCycles = 4096;
constexpr std::uint64_t kExtraWindows = 10;
constexpr std::uint64_t kExtraCycles = 10'000;
constexpr std::uint64_t kDrainCycles = 64;  // cycles between two checks whether all is drained
constexpr double kAcceptedShare = 0.95;
constexpr double kDeviations = 3;

// Compares flits of the window. In a fabric that keeps up, created and consumed packets differ by
// the packets in flight at the window's two ends: at most two independent counts of that many
// packets.
bool falls_short(std::uint64_t created, std::uint64_t consumed, int packet_flits) {
  const auto offered = static_cast<double>(created);
  const double shortfall = offered - static_cast<double>(consumed);
  const double deviation = std::sqrt(2 * offered / packet_flits) * packet_flits;
  return shortfall > (1 - kAcceptedShare) * offered && shortfall > kDeviations * deviation;
}

// NIC ports by which a packet gets from one NPU to another: a bit each.
std::uint32_t ports_between(const Topology& topology, NodeId from, NodeId to) {
  std::uint32_t ports = 0;
  for (const int port : chosen_nic_ports(topology, from, to)) ports |= 1U << port;
  if (ports != 0) return ports;
  for (int port = 0; port < topology.nodes[from].ports; ++port)
    if (topology.link_out(from, port) >= 0 && topology.failed.leave_path(from, to, port))
      ports |= 1U << port;
  if (ports != 0) return ports;
  throw BadInput(fmt::format("{}: {} does not reach {}, and patterns are over all NPUs{}",
                             topology.name, topology.nodes[from].name, topology.nodes[to].name,
                             faults_text(topology)));
}

}  // namespace

void check_threads(const Topology& topology, int threads) {
  if (threads == 1) return;
  if (const LinkPolicy* const policy = find_link_policy(topology); policy != nullptr) {
    throw BadInput(fmt::format("--threads: found {}; allowed on {}, whose {}: 1", threads,
                               topology.name, policy->title()));
  }
  if (const int max = max_partitions(topology); threads < 1 || threads > max) {
    throw BadInput(fmt::format("--threads: found {}; allowed on {}: 1 to {}, its switches", threads,
                               topology.name, max));
  }
}

Cut cut_for_threads(const Topology& topology, int threads) {
  check_threads(topology, threads);
  return threads == 1 ? Cut{} : cut_evenly(topology, threads);
}

double injection_limit(const Topology& topology) {
  const NodeId npu = topology.npus.front();
  double limit = 0;
  for (int port = 0; port < topology.nodes[npu].ports; ++port) {
    const int link = topology.link_out(npu, port);
    if (link >= 0) limit += topology.links[link].rate.value();
  }
  return limit;
}

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory)
    : TrafficRun(topology, options, factory, cut_for_threads(topology, options.threads)) {}

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory, const Cut& cut)
    : TrafficRun(topology, options, factory, RankedCut{.cut = cut}) {}

TrafficRun::TrafficRun(const Topology& topology, const TrafficOptions& options,
                       const SwitchFactory& factory, const RankedCut& cut)
    : topology_(topology),
      options_(options),
      pattern_(options.pattern, topology),
      core_(topology, kLanes, cut.cut, cut.share),
      switches_(topology.nodes.size()),
      setup_(topology, core_),
      nodes_(topology.nodes.size()),
      limits_(core_, watchdog_cycles(topology)) {
  if (options.packet_flits > topology.packet_flits) {
    throw BadInput(fmt::format("--packet-flits: found {}; allowed on {}: 1 to {} (fabric.packet)",
                               options.packet_flits, topology.name, topology.packet_flits));
  }
  for (const NodeId npu : topology.npus) addresses_.push_back(topology.nodes[npu].address);
  for (int i = 0; i < core_.partitions(); ++i) {
    shares_.push_back(std::make_unique<Share>(*this));
    hooks_.push_back(shares_.back().get());
  }
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint()) max_consumed_ += static_cast<std::uint64_t>(node.ports);
    if (!core_.owns(id)) continue;
    if (node.is_endpoint()) {
      TrafficMeter& meter = shares_[core_.partition_of(id)]->meter;
      nodes_[id] = std::make_unique<TrafficNode>(node.name, node.ports, node.address,
                                                 options.packet_flits, addresses_, meter);
      core_.attach(id, *nodes_[id]);
      continue;
    }
    switches_[id] = factory(node, switch_shape(topology, node, kLanes));
    core_.attach(id, *switches_[id]);
  }
  core_.set_threads(options.threads > 1);
  const bool by_pair =
      topology.paths != nullptr &&
      std::ranges::any_of(topology.npus, [&](NodeId id) { return topology.nodes[id].ports > 1; });
  if (!topology.failed.any() && !by_pair) return;
  for (const NodeId from : topology.npus) {
    std::vector<std::uint32_t> ports_to;
    for (const NodeId to : topology.npus) ports_to.push_back(ports_between(topology, from, to));
    if (nodes_[from] != nullptr) nodes_[from]->set_ports(std::move(ports_to));
  }
}

TrafficSetup TrafficRun::setup() const {
  TrafficSetup setup;
  setup.fabric = topology_.name;
  setup.model = model_names(switch_models(switches_, core_.all_ranks()));
  setup.clock_ghz = static_cast<double>(topology_.clock_hz) / 1e9;
  setup.pattern = to_string(options_.pattern.kind);
  if (options_.pattern.kind == PatternKind::kHotspot) {
    setup.hotspot_node = options_.pattern.hotspot_node;
    setup.hotspot_fraction = options_.pattern.hotspot_fraction;
  }
  setup.packet_flits = options_.packet_flits;
  setup.seed = options_.seed;
  setup.warmup_cycles = options_.warmup_cycles;
  setup.window_cycles = options_.window_cycles;
  setup.nodes = pattern_.nodes();
  setup.sending_nodes = pattern_.sending_nodes();
  setup.injection_limit = injection_limit(topology_);
  return setup;
}

void TrafficRun::trace(const WaveOptions& options) {
  wave_ = std::make_unique<WaveRecorder>(topology_, core_, switches_, options);
}

void TrafficRun::finish_wave() {
  if (wave_ != nullptr) wave_->finish();
}

void TrafficRun::break_down(const BreakdownOptions& options) {
  breakdown_ = std::make_unique<TrafficBreakdown>(options, core_, topology_, switches_);
}

void TrafficRun::record_series(std::uint64_t window_cycles) {
  series_ = std::make_unique<LinkSeriesRecorder>(topology_, core_, switches_, window_cycles);
}

void TrafficRun::recorded_edge() {
  wave_->before_edge();
  try {
    core_.tick();
  } catch (...) {
    wave_->after_edge();
    throw;
  }
  wave_->after_edge();
}

void TrafficRun::set_up_switches() {
  setup_.begin();
  while (!limits_.is_stopped() && !setup_.done()) {
    setup_.issue(core_);
    clock_edge();
    core_.exchange();
    setup_.check(core_);
  }
}

void TrafficRun::start(double rate) {
  core_.reset();
  if (breakdown_ != nullptr) breakdown_->begin_set_up();
  for (const auto& share : shares_) {
    TrafficMeter& meter = share->meter;
    meter.now = 0;
    meter.window_begin = options_.warmup_cycles;
    meter.window_end = options_.warmup_cycles + options_.window_cycles;
    meter.offering = true;
    meter.flits_injected = meter.flits_consumed = meter.window_flits = 0;
    meter.latency.clear();
    meter.calendar.clear();
  }
  set_up_switches();
  if (breakdown_ != nullptr) breakdown_->begin_run(meter());
  const double packets = rate / options_.packet_flits;
  const int trials = std::max(1, static_cast<int>(std::ceil(packets)));
  gap_.emplace(packets / trials);
  for (int rank = 0; rank < pattern_.nodes(); ++rank) {
    if (!pattern_.sends(rank) || !core_.owns(topology_.npus[rank])) continue;
    nodes_[topology_.npus[rank]]->start({pattern_, rank, *gap_, trials, options_.seed}, rank);
  }
}

void TrafficRun::tick() {
  for (const auto& share : shares_) share->before_edge();
  clock_edge();
  for (const auto& share : shares_) share->after_edge();
  core_.exchange();
  check_watchdog();
}

// Advances by some edges, at most `max` and no more than the detection of a standstill needs.
void TrafficRun::advance(std::uint64_t max) {
  const bool looks_at_edges = wave_ != nullptr || breakdown_ != nullptr;
  // An exchange does not pay off for less than a look-ahead.
  const bool is_short = core_.is_cut() && max < core_.look_ahead();
  if (max == 1 || is_short || looks_at_edges) {
    tick();
    return;
  }
  const std::uint64_t to_quiet = limits_.edges_to_quiet();
  core_.advance(std::min(max, to_quiet != 0 ? to_quiet : limits_.watchdog()), hooks_);
  core_.exchange();
  check_watchdog();
}

void TrafficRun::check_watchdog() {
  if (limits_.is_quiet() && !all_consumed()) fail(limits_.deadlock());
}

TrafficPoint TrafficRun::measure(double rate, const OnProgress& on_progress) {
  return run_recorded(wave_.get(), [&] { return measure_once(rate, on_progress); });
}

TrafficPoint TrafficRun::measure_once(double rate, const OnProgress& on_progress) {
  const auto wall_start = std::chrono::steady_clock::now();
  start(rate);
  // edges(): number of edges until its next call; 0: ends the loop.
  const auto run_while = [&](const auto& edges) {
    for (std::uint64_t max = edges(); max != 0 && !limits_.is_stopped(); max = edges()) {
      advance(std::min(max, kProgressCycles - now() % kProgressCycles));
      if (now() % kProgressCycles != 0 || (!on_progress && core_.ranks() == nullptr)) continue;
      const Progress progress{.cycle = now(),
                              .window_end = meter().window_end,
                              .bytes = sum(&TrafficMeter::flits_consumed) * kFlitBytes,
                              .end = forecast_end(rate)};
      if (on_progress) on_progress(progress);
    }
  };
  const auto run_until = [&](std::uint64_t cycle) {
    run_while([&] { return cycle - std::min(now(), cycle); });
  };
  run_until(meter().window_begin);
  const FabricCounts before = counts();
  if (series_ != nullptr) {
    series_->begin(meter().window_begin);
    while (meter().window_begin + series_->next() < meter().window_end && !limits_.is_stopped()) {
      run_until(meter().window_begin + series_->next());
      if (!limits_.is_stopped()) series_->sample();
    }
  }
  run_until(meter().window_end);
  const std::uint64_t window = now() - std::min(now(), meter().window_begin);
  const FabricCounts after = counts();

  TrafficPoint point;
  point.rate = rate;
  point.packets = created_in_window();
  const std::uint64_t limit =
      meter().window_end + kExtraWindows * options_.window_cycles + kExtraCycles;
  // Lower bound of the edges until the last arrival; 0: all packets have arrived, or time is over.
  const auto edges_in_flight = [&]() -> std::uint64_t {
    const std::uint64_t missing = point.packets - std::min(point.packets, arrived());
    if (missing == 0 || now() >= limit) return 0;
    return std::clamp<std::uint64_t>((missing - 1) / max_consumed_, 1, limit - now());
  };
  run_while(edges_in_flight);
  point.incomplete = now() < meter().window_end || edges_in_flight() != 0;
  point.delivered_bytes = sum(&TrafficMeter::flits_consumed) * kFlitBytes;
  if (breakdown_ != nullptr) point.breakdown = breakdown_->result(latencies());

  const double node_cycles = static_cast<double>(pattern_.sending_nodes()) *
                             static_cast<double>(std::max(window, std::uint64_t{1}));
  const std::uint64_t created = point.packets * static_cast<std::uint64_t>(options_.packet_flits);
  point.offered = static_cast<double>(created) / node_cycles;
  const std::uint64_t consumed = sum(&TrafficMeter::window_flits);
  point.accepted = static_cast<double>(consumed) / node_cycles;
  const LatencyHistogram latency = latencies();
  point.arrived = latency.count();
  point.saturated = !point.incomplete && (point.arrived < point.packets ||
                                          falls_short(created, consumed, options_.packet_flits));
  point.latency_mean = latency.mean();
  point.latency_p50 = latency.percentile(50);
  point.latency_p95 = latency.percentile(95);
  point.latency_p99 = latency.percentile(99);
  point.latency_max = latency.max();
  point.cycles = now();
  point.links = link_results(topology_, before, after, window);
  for (const LinkResult& link : point.links) {
    if (!link.on_die) point.flit_hops += link.flits;
  }
  point.switches =
      switch_results(topology_, switch_models(switches_, core_.all_ranks()), before, after);
  if (series_ != nullptr) point.series = series_->result(window, point.links, point.switches);
  if (!point.incomplete) {
    drain();
    point.hops = mean_hops();
  }
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
      rate * static_cast<double>(pattern_.sending_nodes()) / options_.packet_flits;
  const double waiting = std::max(packets_per_cycle * (std::min(at, end) - begin) - come, 0.0);
  const double at_the_end = waiting * std::max((end - begin) / (at - begin), 1.0);
  return std::max(at, end) + kLongestQueue * at_the_end * (at - begin) / come;
}

std::uint64_t TrafficRun::created_in_window() const {
  std::uint64_t created = 0;
  for (const auto& node : nodes_) created += node != nullptr ? node->created_in_window() : 0;
  return over_ranks(created);
}

std::uint64_t TrafficRun::sum(std::uint64_t TrafficMeter::*count) const {
  std::uint64_t total = 0;
  for (const auto& share : shares_) total += share->meter.*count;
  return over_ranks(total);
}

std::uint64_t TrafficRun::over_ranks(std::uint64_t mine) const {
  return core_.ranks() == nullptr ? mine : core_.ranks()->sum(Ranks::Purpose::kProgress, mine);
}

std::uint64_t TrafficRun::arrived() const {
  std::uint64_t packets = 0;
  for (const auto& share : shares_) packets += share->meter.latency.count();
  return over_ranks(packets);
}

LatencyHistogram TrafficRun::latencies() const {
  LatencyHistogram all;
  for (const auto& share : shares_) all.add(share->meter.latency);
  if (core_.ranks() == nullptr) return all;
  RankMessage mine;
  mine.put_all(all.packets());
  LatencyHistogram of_all;
  for (RankMessage& of_rank : core_.ranks()->gather(Ranks::Purpose::kResults, std::move(mine)))
    of_all.add_packets(of_rank.get_all<std::uint64_t>());
  return of_all;
}

FabricCounts TrafficRun::counts() const {
  return gathered(count_all(core_, topology_, switches_), core_.all_ranks());
}

// Mean over all flits of the run; valid once the fabric has drained.
double TrafficRun::mean_hops() const {
  std::uint64_t hops = 0;
  for (int l = 0; l < std::ssize(topology_.links); ++l) {
    if (!topology_.links[l].on_die) hops += core_.count(l).flits;
  }
  hops = over_ranks(hops);
  const std::uint64_t flits = sum(&TrafficMeter::flits_consumed);
  return flits == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(flits);
}

void TrafficRun::drain() {
  for (const auto& share : shares_) share->meter.offering = false;
  const auto is_drained = [&] { return all_consumed() && core_.empty(); };
  while (!is_drained() && !limits_.is_quiet()) advance(kDrainCycles);
  const auto is_unbalanced = [&](const std::string& what) {
    return RunLimits::End{what, FailureCause::kOther, limits_.quiet_since()};
  };
  if (!is_drained()) fail(is_unbalanced("flits and credits do not balance at the end"));
  const auto is_owed = [&](int link) {
    for (int vc = 0; vc < kNumVcs; ++vc)
      if (core_.outstanding(link, vc) != 0) return true;
    return false;
  };
  std::uint64_t first = 0;  // first in all processes
  while (first < topology_.links.size() && !is_owed(static_cast<int>(first))) ++first;
  if (core_.ranks() != nullptr) first = core_.ranks()->min(Ranks::Purpose::kFabric, first);
  if (first == topology_.links.size()) return;
  fail(is_unbalanced(fmt::format("link {}: credits are not back", topology_.links[first].name)));
}

void TrafficRun::fail(const RunLimits::End& end) {
  std::vector<const EndpointCore*> endpoints;
  for (const auto& node : nodes_) endpoints.push_back(node.get());
  throw end.failure(
      fmt::format("cycle {}, {} of {} flits consumed", now(), sum(&TrafficMeter::flits_consumed),
                  sum(&TrafficMeter::flits_injected)),
      describe_waiting(topology_, core_, endpoints));
}

}  // namespace fredsim
