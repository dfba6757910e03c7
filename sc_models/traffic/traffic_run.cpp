#include "traffic/traffic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "fabric/diagnosis.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr int kLanes = 1;
constexpr std::uint64_t kProgressCycles = 4096;
constexpr std::uint64_t kExtraWindows = 10;
constexpr std::uint64_t kExtraCycles = 10'000;
constexpr double kAcceptedShare = 0.95;
constexpr double kDeviations = 3;

// In flits of the window. Of a fabric that keeps up, created and consumed packets differ by what is under
// way at the window's two ends: at most two independent counts of that many packets.
bool is_short(std::uint64_t created, std::uint64_t consumed, int packet_flits) {
  const auto offered = static_cast<double>(created);
  const double shortfall = offered - static_cast<double>(consumed);
  const double deviation = std::sqrt(2 * offered / packet_flits) * packet_flits;
  return shortfall > (1 - kAcceptedShare) * offered && shortfall > kDeviations * deviation;
}

}  // namespace

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
    : topology_(topology),
      options_(options),
      pattern_(options.pattern, topology),
      core_(topology, kLanes),
      switches_(topology.nodes.size()),
      setup_(topology, core_),
      meter_(static_cast<int>(topology.npus.size())),
      nodes_(topology.nodes.size()),
      watchdog_(watchdog_cycles(topology)) {
  if (options.packet_flits > topology.packet_flits) {
    throw BadInput(fmt::format("--packet-flits: found {}; allowed on {}: 1 to {} (fabric.packet)",
                               options.packet_flits, topology.name, topology.packet_flits));
  }
  for (const NodeId npu : topology.npus) addresses_.push_back(topology.nodes[npu].address);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint()) {
      nodes_[id] = std::make_unique<TrafficNode>(node.name, node.ports, node.address,
                                                 options.packet_flits, addresses_, meter_);
      core_.attach(id, *nodes_[id]);
      continue;
    }
    switches_[id] = factory(node, switch_shape(topology, node, kLanes));
    core_.attach(id, *switches_[id]);
  }
}

TrafficSetup TrafficRun::setup() const {
  TrafficSetup setup;
  setup.fabric = topology_.name;
  setup.model = model_names(switches_);
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

void TrafficRun::break_down(const BreakdownOptions& options) {
  breakdown_ = std::make_unique<TrafficBreakdown>(options, core_, topology_, switches_);
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
  while (!is_stopped() && !setup_.done()) {
    setup_.issue(core_);
    clock_edge();
    setup_.check(core_);
  }
}

void TrafficRun::start(double rate) {
  core_.reset();
  if (breakdown_ != nullptr) breakdown_->begin_set_up();
  meter_.now = 0;
  meter_.window_begin = options_.warmup_cycles;
  meter_.window_end = options_.warmup_cycles + options_.window_cycles;
  meter_.offering = true;
  meter_.flits_injected = meter_.flits_consumed = meter_.window_flits = 0;
  meter_.latency.clear();
  meter_.calendar.clear();
  set_up_switches();
  if (breakdown_ != nullptr) breakdown_->begin_run(meter_);
  const double packets = rate / options_.packet_flits;
  const int trials = std::max(1, static_cast<int>(std::ceil(packets)));
  gap_.emplace(packets / trials);
  for (int rank = 0; rank < pattern_.nodes(); ++rank) {
    if (!pattern_.sends(rank)) continue;
    nodes_[topology_.npus[rank]]->start({pattern_, rank, *gap_, trials, options_.seed}, rank);
  }
}

void TrafficRun::tick() {
  meter_.calendar.remove_due(meter_.now,
                             [&](int rank) { nodes_[topology_.npus[rank]]->packet_due(); });
  clock_edge();
  ++meter_.now;
  if (core_.quiet_cycles() >= watchdog_ && meter_.flits_injected != meter_.flits_consumed) {
    fail_stuck(fmt::format("deadlock: no flit has moved for {} cycles", watchdog_),
               FailureCause::kDeadlock);
  }
}

TrafficPoint TrafficRun::measure(double rate, const OnProgress& on_progress) {
  return run_recorded(wave_.get(), [&] { return measure_once(rate, on_progress); });
}

TrafficPoint TrafficRun::measure_once(double rate, const OnProgress& on_progress) {
  const auto wall_start = std::chrono::steady_clock::now();
  start(rate);
  const auto tick_while = [&](const auto& condition) {
    while (!is_stopped() && condition()) {
      tick();
      if (on_progress && meter_.now % kProgressCycles == 0) {
        on_progress(meter_.now, meter_.window_end, meter_.flits_consumed * kFlitBytes);
      }
    }
  };
  tick_while([&] { return meter_.now < meter_.window_begin; });
  const FabricCounts before = counts();
  tick_while([&] { return meter_.now < meter_.window_end; });
  const std::uint64_t window = meter_.now - std::min(meter_.now, meter_.window_begin);
  const FabricCounts after = counts();

  TrafficPoint point;
  point.rate = rate;
  point.packets = created_in_window();
  const std::uint64_t limit =
      meter_.window_end + kExtraWindows * options_.window_cycles + kExtraCycles;
  const auto is_under_way = [&] {
    return meter_.latency.count() < point.packets && meter_.now < limit;
  };
  tick_while(is_under_way);
  point.incomplete = meter_.now < meter_.window_end || is_under_way();
  point.delivered_bytes = meter_.flits_consumed * kFlitBytes;
  if (breakdown_ != nullptr) point.breakdown = breakdown_->result(meter_);

  const double node_cycles = static_cast<double>(pattern_.sending_nodes()) *
                             static_cast<double>(std::max(window, std::uint64_t{1}));
  const std::uint64_t created = point.packets * static_cast<std::uint64_t>(options_.packet_flits);
  point.offered = static_cast<double>(created) / node_cycles;
  point.accepted = static_cast<double>(meter_.window_flits) / node_cycles;
  const LatencyHistogram& latency = meter_.latency;
  point.arrived = latency.count();
  point.saturated =
      !point.incomplete && (point.arrived < point.packets ||
                            is_short(created, meter_.window_flits, options_.packet_flits));
  point.latency_mean = latency.mean();
  point.latency_p50 = latency.percentile(50);
  point.latency_p95 = latency.percentile(95);
  point.latency_p99 = latency.percentile(99);
  point.latency_max = latency.max();
  point.cycles = meter_.now;
  point.links = link_results(topology_, before, after, window);
  for (const LinkResult& link : point.links) {
    if (!link.on_die) point.flit_hops += link.flits;
  }
  point.switches = switch_results(topology_, switches_, before, after);
  if (!point.incomplete) {
    drain();
    point.hops = mean_hops();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
  point.wall_s = wall.count();
  point.sim_cycles_per_s = static_cast<double>(meter_.now) / wall.count();
  return point;
}

std::uint64_t TrafficRun::created_in_window() const {
  std::uint64_t created = 0;
  for (const auto& node : nodes_) created += node != nullptr ? node->created_in_window() : 0;
  return created;
}

FabricCounts TrafficRun::counts() const { return count_all(core_, topology_, switches_); }

// Of a drained fabric: over all flits of the run.
double TrafficRun::mean_hops() const {
  std::uint64_t hops = 0;
  for (int l = 0; l < std::ssize(topology_.links); ++l) {
    if (!topology_.links[l].on_die) hops += core_.count(l).flits;
  }
  return meter_.flits_consumed == 0
             ? 0
             : static_cast<double>(hops) / static_cast<double>(meter_.flits_consumed);
}

void TrafficRun::drain() {
  meter_.offering = false;
  const auto is_drained = [&] {
    return meter_.flits_injected == meter_.flits_consumed && core_.empty();
  };
  while (!is_drained() && core_.quiet_cycles() < watchdog_) tick();
  if (!is_drained()) fail_stuck("flits and credits do not balance at the end");
  for (int link = 0; link < std::ssize(topology_.links); ++link) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      if (core_.outstanding(link, vc) == 0) continue;
      fail_stuck(fmt::format("link {}: credits are not back", topology_.links[link].name));
    }
  }
}

void TrafficRun::fail_stuck(const std::string& what, FailureCause cause) const {
  std::vector<const EndpointCore*> endpoints;
  for (const auto& node : nodes_) endpoints.push_back(node.get());
  throw RunFailed(fmt::format("{}; cycle {}, {} of {} flits consumed. What waits:{}", what,
                              meter_.now, meter_.flits_consumed, meter_.flits_injected,
                              describe_waiting(topology_, core_, endpoints)),
                  cause, core_.edge() - 1 - core_.quiet_cycles());
}

}  // namespace fredsim
