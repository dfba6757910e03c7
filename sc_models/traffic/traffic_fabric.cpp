// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_fabric.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr std::uint64_t kDrainCycles = 64;  // cycles between two checks whether all is drained

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

// Refuses packets that the fabric's buffers and switches are not made for.
void check_lengths(const TrafficOptions& options, const Topology& topology) {
  const bool is_exchange = options.exchange.is_on;
  const int longest = is_exchange ? options.exchange.longest() : options.packet_flits.longest();
  if (longest > topology.packet_flits)
    throw BadInput(fmt::format("{}: found {}; allowed on {}: 1 to {} (fabric.packet)",
                               is_exchange ? "--request-reply" : "--packet-flits", longest,
                               topology.name, topology.packet_flits));
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

TrafficFabric::TrafficFabric(const Topology& topology, const TrafficOptions& options,
                             const SwitchFactory& factory, const RankedCut& cut)
    : topology_(topology),
      options_(options),
      kinds_(options.packet_flits, options.exchange),
      core_(topology, kLanes, cut.cut, cut.share),
      switches_(topology.nodes.size()),
      setup_(topology, core_),
      nodes_(topology.nodes.size()),
      limits_(core_, watchdog_cycles(topology)) {
  check_lengths(options, topology);
  for (const NodeId npu : topology.npus) addresses_.add(topology.nodes[npu].address);
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
      nodes_[id] = std::make_unique<TrafficNode>(node.name, node.ports, node.address, addresses_,
                                                 kinds_, meter);
      core_.attach(id, *nodes_[id]);
      continue;
    }
    switches_[id] = factory(node, switch_shape(topology, node, kLanes));
    core_.attach(id, *switches_[id]);
  }
  core_.set_threads(options.threads > 1);
  limit_ports();
}

void TrafficFabric::limit_ports() {
  const bool by_pair =
      topology_.paths != nullptr &&
      std::ranges::any_of(topology_.npus, [&](NodeId id) { return topology_.nodes[id].ports > 1; });
  if (!topology_.failed.any() && !by_pair) return;
  for (const NodeId from : topology_.npus) {
    std::vector<std::uint32_t> ports_to;
    for (const NodeId to : topology_.npus) ports_to.push_back(ports_between(topology_, from, to));
    if (nodes_[from] != nullptr) nodes_[from]->set_ports(std::move(ports_to));
  }
}

TrafficSetup TrafficFabric::setup() const {
  TrafficSetup setup;
  setup.fabric = topology_.name;
  setup.model = model_names(switch_models(switches_, core_.all_ranks()));
  setup.clock_ghz = static_cast<double>(topology_.clock_hz) / 1e9;
  setup.seed = options_.seed;
  setup.nodes = static_cast<int>(topology_.npus.size());
  setup.injection_limit = injection_limit(topology_);
  return setup;
}

void TrafficFabric::trace(const WaveOptions& options) {
  wave_ = std::make_unique<WaveRecorder>(topology_, core_, switches_, options);
}

void TrafficFabric::finish_wave() {
  if (wave_ != nullptr) wave_->finish();
}

void TrafficFabric::record_series(std::uint64_t window_cycles) {
  series_ = std::make_unique<LinkSeriesRecorder>(topology_, core_, switches_, window_cycles);
}

void TrafficFabric::break_down(const BreakdownOptions& options) {
  breakdown_ = std::make_unique<TrafficBreakdown>(options, core_, topology_, switches_);
}

void TrafficFabric::recorded_edge() {
  wave_->before_edge();
  try {
    core_.tick();
  } catch (...) {
    wave_->after_edge();
    throw;
  }
  wave_->after_edge();
}

void TrafficFabric::set_up_switches() {
  setup_.begin();
  while (!limits_.is_stopped() && !setup_.done()) {
    setup_.issue(core_);
    clock_edge();
    core_.exchange();
    setup_.check(core_);
  }
}

void TrafficFabric::reset(std::uint64_t window_begin, std::uint64_t window_end,
                          PacketFeeder* feeder) {
  core_.reset();
  moves_trains_ = false;
  if (breakdown_ != nullptr) breakdown_->begin_set_up();
  for (const auto& share : shares_) {
    TrafficMeter& meter = share->meter;
    meter.now = 0;
    meter.window_begin = window_begin;
    meter.window_end = window_end;
    meter.offering = true;
    meter.flits_injected = meter.flits_consumed = meter.window_flits = 0;
    meter.latency.clear();
    meter.request_latency.clear();
    meter.calendar.clear();
    meter.feeder = feeder;
  }
  set_up_switches();
  if (breakdown_ != nullptr) breakdown_->begin_run(meter());
}

void TrafficFabric::use_trains() {
  const bool is_observed = wave_ != nullptr || breakdown_ != nullptr || meter().feeder != nullptr ||
                           !core_.is_unobserved();
  if (!options_.trains || is_observed || kinds_.has_replies() || core_.is_cut()) return;
  const int longest = options_.packet_flits.longest();
  if (!trains::TrainFabric::can_move(topology_, switches_, longest)) return;
  if (trains_ == nullptr)
    trains_ =
        std::make_unique<trains::TrainFabric>(topology_, switches_, addresses_, meter(), longest);
  trains_->reset();
  moves_trains_ = true;
}

void TrafficFabric::tick() {
  for (const auto& share : shares_) share->before_edge();
  clock_edge();
  for (const auto& share : shares_) share->after_edge();
  core_.exchange();
  check_watchdog();
}

// Advances by some edges, at most `max` and no more than the detection of a standstill needs.
void TrafficFabric::advance(std::uint64_t max) {
  if (moves_trains_) {
    trains_->advance(max);
    return;
  }
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

void TrafficFabric::check_watchdog() {
  if (limits_.is_quiet() && !all_consumed()) fail(limits_.deadlock());
}

TrafficPoint TrafficFabric::measure(double rate, const OnProgress& on_progress) {
  return run_recorded(wave_.get(), [&] { return measure_once(rate, on_progress); });
}

void TrafficFabric::run_while(double rate, const OnProgress& on_progress,
                              const std::function<std::uint64_t()>& edges) {
  for (std::uint64_t max = edges(); max != 0 && !limits_.is_stopped(); max = edges()) {
    advance(std::min(max, kProgressCycles - now() % kProgressCycles));
    if (now() % kProgressCycles != 0 || (!on_progress && core_.ranks() == nullptr)) continue;
    const Progress progress{.cycle = now(),
                            .window_end = meter().window_end,
                            .bytes = sum(&TrafficMeter::flits_consumed) * kFlitBytes,
                            .end = forecast_end(rate)};
    if (on_progress) on_progress(progress);
  }
}

void TrafficFabric::complete(TrafficPoint& point, const FabricCounts& before,
                             const FabricCounts& after, std::uint64_t window) {
  point.delivered_bytes = sum(&TrafficMeter::flits_consumed) * kFlitBytes;
  const LatencyHistogram requests = latencies(&TrafficMeter::request_latency);
  const LatencyHistogram latency = latencies(&TrafficMeter::latency);
  if (breakdown_ != nullptr)
    point.breakdown = breakdown_->result(kinds_.has_replies() ? requests : latency);
  point.arrived = latency.count();
  point.latency_mean = latency.mean();
  point.latency_p50 = latency.percentile(50);
  point.latency_p95 = latency.percentile(95);
  point.latency_p99 = latency.percentile(99);
  point.latency_max = latency.max();
  if (kinds_.has_replies() && requests.count() > 0) point.request_latency_mean = requests.mean();
  point.cycles = now();
  point.links = link_results(topology_, before, after, window);
  for (const LinkResult& link : point.links) {
    if (!link.on_die) point.flit_hops += link.flits;
  }
  point.switches =
      switch_results(topology_, switch_models(switches_, core_.all_ranks()), before, after);
  if (series_ != nullptr) point.series = series_->result(window, point.links, point.switches);
  if (point.incomplete) return;
  drain();
  point.hops = mean_hops();
}

CreatedPackets TrafficFabric::created_in_window() const {
  if (moves_trains_) return trains_->created_in_window();
  CreatedPackets created;
  for (const auto& node : nodes_) {
    if (node == nullptr) continue;
    const CreatedPackets of_node = node->created_in_window();
    created.packets += of_node.packets;
    created.flits += of_node.flits;
  }
  return {.packets = over_ranks(created.packets), .flits = over_ranks(created.flits)};
}

std::uint64_t TrafficFabric::sum(std::uint64_t TrafficMeter::*count) const {
  std::uint64_t total = 0;
  for (const auto& share : shares_) total += share->meter.*count;
  return over_ranks(total);
}

std::uint64_t TrafficFabric::over_ranks(std::uint64_t mine) const {
  return core_.ranks() == nullptr ? mine : core_.ranks()->sum(Ranks::Purpose::kProgress, mine);
}

std::uint64_t TrafficFabric::arrived() const {
  std::uint64_t packets = 0;
  for (const auto& share : shares_) packets += share->meter.latency.count();
  return over_ranks(packets);
}

LatencyHistogram TrafficFabric::latencies(LatencyHistogram TrafficMeter::*histogram) const {
  LatencyHistogram all;
  for (const auto& share : shares_) all.add(share->meter.*histogram);
  if (core_.ranks() == nullptr) return all;
  RankMessage mine;
  mine.put_all(all.packets());
  LatencyHistogram of_all;
  for (RankMessage& of_rank : core_.ranks()->gather(Ranks::Purpose::kResults, std::move(mine)))
    of_all.add_packets(of_rank.get_all<std::uint64_t>());
  return of_all;
}

FabricCounts TrafficFabric::counts() {
  if (moves_trains_) return trains_->counts();
  return gathered(count_all(core_, topology_, switches_), core_.all_ranks());
}

void TrafficFabric::begin_series() {
  if (!moves_trains_) {
    series_->begin(meter().window_begin);
    return;
  }
  const FabricCounts now = trains_->counts();
  series_->begin(meter().window_begin, now.links, now.switches);
}

void TrafficFabric::sample_series() {
  if (!moves_trains_) {
    series_->sample();
    return;
  }
  const FabricCounts now = trains_->counts();
  series_->sample(now.links, now.switches);
}

// Mean over all flits of the run; valid once the fabric has drained.
double TrafficFabric::mean_hops() {
  const std::vector<LinkCount> links = counts().links;
  std::uint64_t hops = 0;
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (!topology_.links[l].on_die) hops += links[l].flits;
  }
  const std::uint64_t flits = sum(&TrafficMeter::flits_consumed);
  return flits == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(flits);
}

void TrafficFabric::drain() {
  for (const auto& share : shares_) share->meter.offering = false;
  if (moves_trains_) {
    while (!all_consumed() || !trains_->empty()) advance(kDrainCycles);
    trains_->check_balance();
    return;
  }
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

void TrafficFabric::fail(const RunLimits::End& end) {
  std::vector<const EndpointCore*> endpoints;
  for (const auto& node : nodes_) endpoints.push_back(node.get());
  throw end.failure(
      fmt::format("cycle {}, {} of {} flits consumed", now(), sum(&TrafficMeter::flits_consumed),
                  sum(&TrafficMeter::flits_injected)),
      describe_waiting(topology_, core_, endpoints));
}

}  // namespace fredsim
