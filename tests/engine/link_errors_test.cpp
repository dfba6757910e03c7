// SPDX-License-Identifier: Apache-2.0
// Machines whose links detect errors and retransmit: their counters, and independence of all other
// results.
#include <gtest/gtest.h>
#include <rtl/link_pkg.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "plan/link_load.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using Settings = std::vector<std::string>;

RunResult all_reduce_with_errors(const std::string& config, const Settings& settings,
                                 std::uint64_t bytes, bool skip = true) {
  const Topology topology = load_config("configs/" + config + ".yaml", settings).topology;
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, bytes, "auto");
  Simulation simulation;
  Machine machine("machine", topology, {.skip = skip});
  RunResult result;
  simulation.run([&] { result = run_plan(machine, plan); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

std::uint64_t sum_of(const RunResult& result, std::string_view counter) {
  std::uint64_t sum = 0;
  for (const LinkResult& link : result.links) sum += link.counter(counter);
  return sum;
}

const Settings kReliable{"link.reliability=link"};

class LinkErrorsOf : public testing::TestWithParam<const char*> {};

TEST_P(LinkErrorsOf, CostMoreTheMoreThereAre) {
  const auto with = [](const std::string& rate) {
    return Settings{"link.reliability=link", "link.bit_error_rate=" + rate};
  };
  constexpr std::uint64_t kBytes = 256 * 1024;
  std::uint64_t cycles = all_reduce_with_errors(GetParam(), {}, kBytes).cycles;
  std::uint64_t resent = 0;
  for (const char* rate : {"0", "1e-6", "1e-5", "1e-4"}) {
    SCOPED_TRACE(rate);
    const RunResult result = all_reduce_with_errors(GetParam(), with(rate), kBytes);
    EXPECT_GT(result.cycles, cycles);
    cycles = result.cycles;
    const std::uint64_t again = sum_of(result, "resent_flits");
    EXPECT_EQ(again == 0, std::string(rate) == "0");
    EXPECT_GE(again, resent);
    resent = again;
    EXPECT_EQ(sum_of(result, "lost_flits"), 0U);
    for (const LinkResult& link : result.links) {
      EXPECT_EQ(link.has_counter("resent_flits"), !link.on_die);
      EXPECT_EQ(link.busy_cycles, link.flits + link.counter("resent_flits")) << link.name;
      EXPECT_LE(link.utilization, 1.0) << link.name;
      // Go-Back-N: every retransmission had a reason.
      EXPECT_LE(link.counter("resent_flits") > 0, link.counter("damaged_flits") > 0) << link.name;
    }
  }
}

TEST_P(LinkErrorsOf, DoNotDependOnWhatIsSkipped) {
  const Settings settings{"link.reliability=link", "link.bit_error_rate=3e-6",
                          "link.error_burst=20", "link.flit_loss=0.001", "link.seed=5"};
  const RunResult skipping = all_reduce_with_errors(GetParam(), settings, 100'000);
  EXPECT_EQ(results_and_parts(skipping),
            results_and_parts(all_reduce_with_errors(GetParam(), settings, 100'000, false)));
  EXPECT_GT(sum_of(skipping, "lost_flits"), 0U);
  Settings others = settings;
  others.back() = "link.seed=6";
  EXPECT_NE(comparable_results(skipping),
            comparable_results(all_reduce_with_errors(GetParam(), others, 100'000)));
}

INSTANTIATE_TEST_SUITE_P(Configs, LinkErrorsOf, testing::Values("mesh", "fred_c", "fred_d"),
                         [](const auto& config) { return std::string(config.param); });

TEST(LinkErrors, LinksAreSlowerByWhatProtectsAFlit) {
  const Topology bare = load_config("configs/fred_d.yaml").topology;
  const Topology reliable = load_config("configs/fred_d.yaml", kReliable).topology;
  ASSERT_EQ(bare.links.size(), reliable.links.size());
  for (std::size_t l = 0; l < bare.links.size(); ++l) {
    // 512 B and a header of 12 B, and 6 B more.
    EXPECT_DOUBLE_EQ(reliable.links[l].rate.value(), bare.links[l].rate.value() * 524 / 530);
    EXPECT_DOUBLE_EQ(reliable.links[l].peak.value(), bare.links[l].peak.value() * 524 / 530);
  }
  const Topology mesh = load_config("configs/mesh.yaml", kReliable).topology;
  EXPECT_TRUE(std::ranges::any_of(mesh.links, [](const Link& link) {
    return link.on_die && link.rate == Rational{125, 128};
  })) << "links on a die are as they were";
}

// The minimum time in which the busiest link sends its flits, with the 6 B more of each; bursts of
// I/O controllers too.
TEST(LinkErrors, BoundsHaveWhatProtectsAFlit) {
  struct Case {
    const char* config;
    Collective collective;
  };
  for (const Case& c :
       {Case{"fred_d", Collective::kAllReduce}, Case{"mesh", Collective::kAllToAll},
        Case{"fred_c", Collective::kReduceScatter}, Case{"mesh_2x2", Collective::kBroadcast}}) {
    SCOPED_TRACE(c.config);
    const auto bound_ns = [&](const Settings& settings) {
      const Topology topology =
          load_config(std::string("configs/") + c.config + ".yaml", settings).topology;
      std::vector<int> group(topology.npus.size());
      std::iota(group.begin(), group.end(), 0);
      return make_plan(topology, c.collective, group, 4 << 20, "paper").bound_ns;
    };
    EXPECT_NEAR(bound_ns(kReliable) / bound_ns({}), 530.0 / 524, 1e-9);
  }
  const Topology io = load_config("configs/fred_d.yaml", kReliable).topology;
  const auto burst =
      std::ranges::find_if(io.links, [](const Link& link) { return link.burst > 0; });
  ASSERT_NE(burst, io.links.end());
  Link bare = *burst;
  bare.wire_stretch = 1;
  EXPECT_NEAR(flits_ns(*burst, 1'000'000) / flits_ns(bare, 1'000'000), 530.0 / 524, 1e-9);
}

TEST(LinkErrors, BoundsHold) {
  for (const char* config : {"mesh", "fred_d"}) {
    const RunResult result = all_reduce_with_errors(config, kReliable, 1 << 20);
    EXPECT_GE(result.time_ns, result.bound_ns) << config;
  }
}

// Changes the payload of one flit on the wire, by the polynomial of the check, which does not find
// that, or nearly.
class OneEscape final : public LinkFaults {
 public:
  explicit OneEscape(bool is_found) : is_found_(is_found) {}
  bool pass(int, std::uint64_t, std::span<std::uint32_t> flit) override {
    if (++flits != 20) return true;
    // Lanes of 64 bits behind the header of 96; the highest term is 32 bits behind the lowest.
    flit[kHeaderWords] ^= link_pkg::CHECK_POLYNOMIAL;
    flit[kHeaderWords + 1] ^= is_found_ ? 3U : 1U;
    return true;
  }
  int flits = 0;

 private:
  bool is_found_;
};

TEST(LinkErrors, WhatEscapesTheCheckOfALinkIsFoundAtTheNpu) {
  for (const char* config : {"mesh_2x2", "fred_small"}) {
    for (const bool is_found : {false, true}) {
      SCOPED_TRACE(std::string(config) + (is_found ? ", found by the link" : ""));
      const Topology topology =
          load_config(std::string("configs/") + config + ".yaml", kReliable).topology;
      const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 100'000, "auto");
      Simulation simulation;
      Machine machine("machine", topology, {.lanes = 4});
      OneEscape faults(is_found);
      int link = 0;
      while (topology.links[link].on_die || !topology.nodes[topology.links[link].to].is_switch())
        ++link;
      machine.fabric().core().set_faults(link, &faults);
      RunResult result;
      std::optional<FailureCause> cause;
      try {
        simulation.run([&] { result = run_plan(machine, plan); });
      } catch (const RunFailed& failed) {
        cause = failed.cause();
        EXPECT_TRUE(std::string(failed.what()).find("payload wrong at rank") != std::string::npos)
            << failed.what();
      }
      EXPECT_GE(faults.flits, 20);
      EXPECT_EQ(cause, is_found ? std::optional<FailureCause>{} : FailureCause::kPayload);
      if (!is_found) continue;
      EXPECT_EQ(result.payload, "exact");
      EXPECT_EQ(result.links[link].counter("damaged_flits"), 1U);
      EXPECT_GE(result.links[link].counter("resent_flits"), 1U);
    }
  }
}

// A word of the return channel that is damaged without detection: its contents must not be used.
class OneEscapeBack final : public LinkFaults {
 public:
  OneEscapeBack() {
    for (std::uint32_t at = 0; at <= link_pkg::CHECK_W; ++at)
      if (at == link_pkg::CHECK_W || (link_pkg::CHECK_POLYNOMIAL >> at & 1U) != 0)
        wrong_.push_back(at);
    // Positions are the data's and then the check's; as a polynomial the check comes first.
    for (std::uint32_t& at : wrong_)
      at = at < link_pkg::CHECK_W ? link_pkg::BACK_DATA_W + at : at - link_pkg::CHECK_W;
  }
  bool pass(int, std::uint64_t, std::span<std::uint32_t>) override { return true; }
  std::span<const std::uint32_t> wrong_back(int, std::uint64_t) override {
    return ++words_ == 30 ? std::span<const std::uint32_t>(wrong_)
                          : std::span<const std::uint32_t>();
  }

 private:
  std::vector<std::uint32_t> wrong_;
  int words_ = 0;
};

TEST(LinkErrors, AnAcknowledgementThatEscapesTheCheckEndsTheRun) {
  const Topology topology = load_config("configs/fred_small.yaml", kReliable).topology;
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 100'000, "auto");
  Simulation simulation;
  Machine machine("machine", topology, {});
  OneEscapeBack faults;
  machine.fabric().core().set_faults(0, &faults);
  const std::string message =
      message_of<RunFailed>([&] { simulation.run([&] { run_plan(machine, plan); }); });
  EXPECT_NE(
      message.find(topology.links[0].name + ": a damaged acknowledgement has passed its check"),
      std::string::npos)
      << message;
}

// Nearly nothing comes through: the run ends and names a link, when and how often it has tried.
TEST(LinkErrors, ALinkOnWhichAFlitNeverComesThroughIsDead) {
  for (const auto& [setting, times] : {std::pair{"link.seed=1", "1000 times"},
                                       std::pair{"link.max_retransmissions=7", "7 times"}}) {
    const Topology topology =
        load_config("configs/fred_small.yaml",
                    {"link.reliability=link", "link.bit_error_rate=0.01", setting})
            .topology;
    const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 10'000, "auto");
    Simulation simulation;
    Machine machine("machine", topology, {});
    const std::string message =
        message_of<RunFailed>([&] { simulation.run([&] { run_plan(machine, plan); }); });
    EXPECT_EQ(message.find("cycle "), 0U) << message;
    EXPECT_NE(message.find("the link is dead: a flit was retransmitted " + std::string(times)),
              std::string::npos)
        << message;
    EXPECT_TRUE(std::ranges::any_of(topology.links, [&](const Link& link) {
      return message.find(" " + link.name + ": ") != std::string::npos;
    })) << message;
  }
}

// Errors differ from slice to slice, so no slice stands for another.
TEST(LinkErrors, AllSlicesAreSimulated) {
  EXPECT_FALSE(load_config("configs/fred_d.yaml", kReliable).topology.simulate_all_slices);
  Settings settings = kReliable;
  settings.emplace_back("link.flit_loss=0.01");
  EXPECT_TRUE(load_config("configs/fred_d.yaml", settings).topology.simulate_all_slices);
}

}  // namespace
}  // namespace fredsim::test
