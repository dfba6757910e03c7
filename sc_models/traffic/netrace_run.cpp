// SPDX-License-Identifier: Apache-2.0
#include "traffic/netrace_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

TrafficOptions with_lengths_of(const NetraceOptions& netrace, TrafficOptions options) {
  options.packet_flits = netrace_flits(kMaxNetraceBytes, netrace.flit_bytes);
  return options;
}

}  // namespace

// Hands packets to their nodes once they may leave.
class NetraceRun::Feeder final : public PacketFeeder {
 public:
  Feeder(NetraceRun& run, const NetraceOptions& netrace)
      : run_(run), netrace_(netrace), file_(netrace.file, netrace.region), next_(file_.next()) {
    first_cycle_ = next_ ? next_->cycle : 0;
  }

  bool is_done() const { return !next_ && open_ == 0; }
  // Packets that have arrived over the fabric.
  std::uint64_t arrivals() const { return arrivals_; }
  // Cycle at which the trace has its next packet; 0: none is left.
  std::uint64_t next_cycle() const { return next_ ? next_->cycle - first_cycle_ : 0; }

  void before_edge() override {
    const std::uint64_t now = run_.meter().now;
    std::swap(ready_, releasing_);
    ready_.clear();
    for (; next_ && next_->cycle - first_cycle_ <= now; next_ = file_.next()) {
      Waiting& waiting = packets_[next_->id];
      waiting.packet = std::move(*next_);
      waiting.is_read = true;
      ++open_;
      for (const std::uint32_t id : waiting.packet.dependents) ++packets_[id].missing;
      if (waiting.missing == 0) releasing_.push_back(waiting.packet.id);
    }
    std::ranges::sort(releasing_);
    for (const std::uint32_t id : releasing_) release(id, now);
  }

  void arrived(std::uint32_t tag) override {
    const Waiting& arrived = packets_.at(tag);
    run_.meter().latency.add(run_.meter().now - arrived.creation);
    ++arrivals_;
    finish(tag);
  }

  std::uint64_t creation(std::uint32_t tag) const override { return packets_.at(tag).creation; }

 private:
  struct Waiting {
    NetracePacket packet;
    int missing = 0;  // packets that have to arrive before
    bool is_read = false;
    std::uint64_t creation = 0;
  };

  void release(std::uint32_t id, std::uint64_t now) {
    Waiting& waiting = packets_.at(id);
    const NetracePacket& packet = waiting.packet;
    waiting.creation = now;
    if (packet.source == packet.destination) {
      finish(id);
      return;
    }
    const int flits = netrace_flits(packet.bytes, netrace_.flit_bytes);
    run_.node_of(packet.source)
        ->hand_over({.tag = id, .destination = packet.destination, .kind = {.flits = flits}});
  }

  // Lets packets go that have waited for this one alone, from the next edge on.
  void finish(std::uint32_t id) {
    const auto found = packets_.find(id);
    for (const std::uint32_t dependent : found->second.packet.dependents) {
      const auto waiting = packets_.find(dependent);
      if (--waiting->second.missing == 0 && waiting->second.is_read) ready_.push_back(dependent);
    }
    packets_.erase(found);
    --open_;
  }

  NetraceRun& run_;
  const NetraceOptions& netrace_;
  NetraceFile file_;
  std::optional<NetracePacket> next_;
  std::uint64_t first_cycle_ = 0;
  std::uint64_t open_ = 0;  // packets that have been read and have not arrived
  std::uint64_t arrivals_ = 0;
  std::unordered_map<std::uint32_t, Waiting> packets_;  // read or awaited, by id
  std::vector<std::uint32_t> ready_;                    // may leave at the next edge
  std::vector<std::uint32_t> releasing_;
};

NetraceRun::NetraceRun(const Topology& topology, const TrafficOptions& options,
                       const NetraceOptions& netrace, const SwitchFactory& factory)
    : TrafficFabric(topology, with_lengths_of(netrace, options), factory, {}),
      netrace_(netrace),
      facts_(check_netrace(netrace.file, netrace.region)) {
  if (const int nodes = facts_.header.nodes; nodes > std::ssize(topology.npus))
    throw BadInput(
        fmt::format("{} {}: found a trace of {} nodes; allowed on {}: {} at most, its "
                    "NPUs",
                    kNetraceOption, netrace.file, nodes, topology.name, topology.npus.size()));
}

NetraceRun::~NetraceRun() = default;

double NetraceRun::node_cycles(std::uint64_t cycles) const {
  return static_cast<double>(facts_.sending_nodes()) *
         static_cast<double>(std::max(cycles, std::uint64_t{1}));
}

double NetraceRun::offered() const {
  return static_cast<double>(facts_.flits(netrace_.flit_bytes)) / node_cycles(facts_.cycles());
}

TrafficSetup NetraceRun::setup() const {
  TrafficSetup setup = TrafficFabric::setup();
  setup.pattern = "netrace";
  const std::uint64_t packets = facts_.packets - facts_.local;
  setup.packet_flits =
      static_cast<double>(facts_.flits(netrace_.flit_bytes)) / static_cast<double>(packets);
  setup.window_cycles = facts_.cycles();
  setup.sending_nodes = facts_.sending_nodes();
  setup.netrace = NetraceSetup{.file = netrace_.file,
                               .benchmark = facts_.header.benchmark,
                               .region = netrace_.region,
                               .flit_bytes = netrace_.flit_bytes,
                               .nodes = facts_.header.nodes,
                               .cycles = facts_.cycles(),
                               .packets = facts_.packets,
                               .local_packets = facts_.local,
                               .dependencies = facts_.dependencies,
                               .outside = facts_.outside};
  return setup;
}

TrafficPoint NetraceRun::measure_once(double rate, const OnProgress& on_progress) {
  const auto wall_start = std::chrono::steady_clock::now();
  feeder_ = std::make_unique<Feeder>(*this, netrace_);
  reset(0, std::numeric_limits<std::uint64_t>::max(), feeder_.get());
  const FabricCounts before = counts();
  TrafficPoint point;
  point.rate = point.offered = rate;
  point.packets = facts_.packets - facts_.local;
  // Lower bound of the edges until the last arrival; 0: all packets have arrived.
  run_while(rate, on_progress, [&]() -> std::uint64_t {
    if (feeder_->is_done()) return 0;
    const std::uint64_t missing = std::max(point.packets - feeder_->arrivals(), std::uint64_t{1});
    return std::max({std::uint64_t{1}, (missing - 1) / max_consumed(),
                     feeder_->next_cycle() - std::min(now(), feeder_->next_cycle())});
  });
  point.incomplete = !feeder_->is_done();
  const FabricCounts after = counts();
  point.accepted = static_cast<double>(sum(&TrafficMeter::window_flits)) / node_cycles(now());
  complete(point, before, after, now());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
  point.wall_s = wall.count();
  point.sim_cycles_per_s = static_cast<double>(now()) / wall.count();
  return point;
}

double NetraceRun::forecast_end(double /*rate*/) const {
  const auto done = static_cast<double>(feeder_->arrivals());
  const auto all = static_cast<double>(facts_.packets - facts_.local);
  const auto at = static_cast<double>(now());
  const double by_packets = done == 0 ? 0 : at * all / done;
  return std::max({at, by_packets, static_cast<double>(facts_.cycles())});
}

}  // namespace fredsim
