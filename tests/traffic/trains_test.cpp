// SPDX-License-Identifier: Apache-2.0
// Packets as trains give what flits give: every cycle, latency and counter, on random machines with
// random traffic; and machines and traffic that need flits have them.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "fabric/point_text.h"
#include "support/random_range.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

struct Measured {
  std::string text;  // all of the points
  bool moves_trains = false;
};

std::string all_of(const TrafficPoint& point) {
  std::string text = text_of(point);
  text += fmt::format("\n{} {} {}", point.delivered_bytes, point.hops, point.incomplete);
  for (const LinkResult& link : point.links)
    text += fmt::format("\n{} {} {} {} {}", link.name, link.bytes, link.phase_flits,
                        link.busy_cycles, link.utilization);
  if (!point.series) return text;
  for (const LinkSeries::OfLink& link : point.series->links)
    text += fmt::format("\n{} {} {} {}", link.name, fmt::join(link.flits, " "),
                        fmt::join(link.busy_cycles, " "), fmt::join(link.utilization, " "));
  for (const LinkSeries::OfSwitch& of_switch : point.series->switches)
    for (const auto& [reason, stalls] : of_switch.stall_cycles)
      text += fmt::format("\n{} {} {}", of_switch.name, reason, fmt::join(stalls, " "));
  return text;
}

Measured measure(const Topology& topology, TrafficOptions options, bool trains,
                 const std::vector<double>& rates, std::uint64_t series = 0) {
  options.trains = trains;
  TrafficRun run(topology, options, factory_for({}));
  if (series != 0) run.record_series(series);
  Measured measured;
  for (const double rate : rates) {
    std::string progress;
    const TrafficPoint point = run.measure(rate, [&](const TrafficRun::Progress& p) {
      progress += fmt::format("{} {} {} {}\n", p.cycle, p.window_end, p.bytes, p.end);
    });
    measured.text += progress + all_of(point) + "\n";
  }
  measured.moves_trains = run.moves_trains();
  return measured;
}

Topology random_machine(Random& random, bool is_torus) {
  const auto pick = [&](int min, int max) { return random_between(random, min, max); };
  constexpr int kRates[] = {768, 750, 750, 700, 576, 384, 256};
  const auto rate = [&] { return kRates[random.below(7)]; };
  const int least = is_torus ? 2 : 1;
  const int columns = pick(least, 6), rows = pick(columns == 1 ? 2 : least, 6);
  const int packet = pick(1, 8);
  return load_config(
             is_torus ? "configs/torus.yaml" : "configs/mesh.yaml",
             {fmt::format("fabric.width={}", columns), fmt::format("fabric.height={}", rows),
              fmt::format("npu.count={}", columns * rows),
              fmt::format("io.count={}", random.below(2) == 0 || columns == 1 || rows == 1
                                             ? 0
                                             : 2 * (columns + rows)),
              fmt::format("npu.bandwidth={} GB/s", 4 * rate()),
              fmt::format("fabric.link_bandwidth={} GB/s", rate()),
              fmt::format("fabric.packet={} B", 512 * packet),
              fmt::format("fabric.link_latency={} ns", pick(1, 40)),
              fmt::format("fabric.local_latency={} ns", random.below(3) == 0 ? pick(1, 12) : 0),
              fmt::format("npu.receive_buffer={} B", 512 * pick(packet, 4 * packet)),
              fmt::format("switch.input_buffer={} B",
                          512 * pick(packet + (is_torus ? 1 : 0), 8 * packet + 1))})
      .topology;
}

TrafficOptions random_traffic(Random& random, const Topology& topology, std::uint64_t seed) {
  const int longest = topology.packet_flits;
  TrafficOptions options{
      .pattern = {.kind = static_cast<PatternKind>(random.below(5))},
      .packet_flits = random_between(random, 1, longest),
      .warmup_cycles = random.below(2) == 0 ? random.below(5) : random.below(600),
      .window_cycles = 1 + (random.below(4) == 0 ? random.below(5) : random.below(1500)),
      .seed = seed};
  // On a line each NPU may be its own partner.
  if (std::min(topology.grid.width, topology.grid.height) == 1)
    options.pattern.kind = PatternKind::kUniform;
  if (random.below(2) == 0 && longest > 1)
    options.packet_flits = parse_packet_sizes(
        fmt::format("1:0.3,{}:0.7", random_between(random, 2, longest)), "--packet-flits");
  return options;
}

// FREDSIM_TRAINS_SEEDS: number of seeds, for a longer run by hand.
std::uint64_t seeds() {
  const char* const given = std::getenv("FREDSIM_TRAINS_SEEDS");
  return given == nullptr ? 60 : std::strtoull(given, nullptr, 10);
}

void expect_what_flits_give(bool is_torus) {
  std::uint64_t as_trains = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Random random(seed);
    const Topology topology = random_machine(random, is_torus);
    const TrafficOptions options = random_traffic(random, topology, seed);
    const double limit = injection_limit(topology);
    const std::vector<double> rates{limit * static_cast<double>(1 + random.below(100)) / 100,
                                    limit * static_cast<double>(1 + random.below(25)) / 100};
    const std::uint64_t series = random.below(3) == 0 ? 1 + random.below(300) : 0;
    const Measured trains = measure(topology, options, true, rates, series);
    ASSERT_EQ(trains.text, measure(topology, options, false, rates, series).text)
        << "seed " << seed;
    as_trains += trains.moves_trains ? 1 : 0;
  }
  EXPECT_GT(as_trains, seeds() * 3 / 4);
}

TEST(Trains, GiveWhatFlitsGiveOnMeshes) { expect_what_flits_give(false); }
TEST(Trains, GiveWhatFlitsGiveOnToruses) { expect_what_flits_give(true); }

bool moves_trains(TrafficRun& run) {
  run.measure(0.2);
  return run.moves_trains();
}

TEST(Trains, AreLeftWhereFlitsAreNeeded) {
  const Topology mesh = load_config("configs/mesh_2x2.yaml").topology;
  const auto run = [&](const TrafficOptions& options, const Topology& topology = Topology(),
                       const FabricOptions& fabric = {}) {
    return std::make_unique<TrafficRun>(topology.nodes.empty() ? mesh : topology, options,
                                        factory_for(fabric));
  };
  const TrafficOptions options{.packet_flits = 8, .warmup_cycles = 50, .window_cycles = 100};
  EXPECT_TRUE(moves_trains(*run(options)));
  TrafficOptions other = options;
  other.trains = false;
  EXPECT_FALSE(moves_trains(*run(other)));
  other = options;
  other.threads = 2;
  EXPECT_FALSE(moves_trains(*run(other)));
  other = options;
  other.exchange = parse_request_reply("read=1:8", "--request-reply");
  EXPECT_FALSE(moves_trains(*run(other)));

  const Topology torus = load_config("configs/torus.yaml").topology;
  EXPECT_TRUE(moves_trains(*run(options, torus)));
  const Topology tree = load_config("configs/fred_2x2.yaml").topology;
  EXPECT_FALSE(moves_trains(*run(options, tree)));
  const Topology failed =
      load_config("configs/mesh_2x2.yaml", {"faults=[link:r0_0.1->r1_0.3*0.5]"}).topology;
  EXPECT_FALSE(moves_trains(*run(options, failed)));
  EXPECT_FALSE(moves_trains(*run(options, mesh, {.model = SwitchModel::kRtl})));
  EXPECT_FALSE(moves_trains(*run(options, mesh, {.rtl_instances = "r0_*"})));

  const auto stepping = run(options);
  stepping->core().set_always_step(true);
  EXPECT_FALSE(moves_trains(*stepping));
  const auto with_series = run(options);
  with_series->record_series(10);
  EXPECT_TRUE(moves_trains(*with_series));
  const auto with_breakdown = run(options);
  with_breakdown->break_down({.is_on = true});
  EXPECT_FALSE(moves_trains(*with_breakdown));
}

}  // namespace
}  // namespace fredsim::test
