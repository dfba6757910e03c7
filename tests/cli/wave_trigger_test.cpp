// SPDX-License-Identifier: Apache-2.0
// Triggers of waveforms: the file holds the cycles around the first one that fulfils the trigger,
// equal to the waveform of the whole run.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <sstream>

#include "support/program.h"
#include "support/vcd.h"
#include "wave_runs.h"

namespace fredsim {
namespace {

// Three parts of different priorities, for events between virtual channels.
class WaveTriggerTest : public WaveTest {
 protected:
  std::vector<std::string> work(const std::string& size = "256KiB") const {
    return {"run",
            "configs/fred_small.yaml",
            "--size",
            size,
            "--wave-links-only",
            "--work",
            write("work.yaml",
                  "- {collective: all_reduce, priority: mp, start: 50}\n"
                  "- {collective: broadcast, root: 3, priority: pp, start: 40}\n"
                  "- {collective: all_to_all, algorithm: direct}\n")};
  }
  // Runs with the trigger; the cycle of marker A in the save file, -1 where there is none.
  std::int64_t triggered(const std::vector<std::string>& arguments, const std::string& trigger) {
    run(with(arguments, {"--wave-trigger", trigger, "--wave-before", "7", "--wave-after", "9"}));
    return marked();
  }
  std::int64_t marked() const {
    std::istringstream save(read_text(path("w.gtkw")));
    std::string line;
    while (std::getline(save, line) && !line.starts_with("*")) {
    }
    std::istringstream words(line);
    std::string zoom;
    std::int64_t primary = 0;
    std::int64_t trigger = 0;
    words >> zoom >> primary >> trigger;
    return trigger < 0 ? -1 : (trigger * 3 + 1999) / 2000;  // cycle of 1.5 GHz, edges rounded down
  }
  // First cycle in the file at which this holds for the values of some link.
  using OfLink = std::function<bool(const std::string& scope, const VcdState& state)>;
  std::int64_t first_cycle(const OfLink& holds) const {
    std::int64_t first = -1;
    std::istringstream vcd(run_fst2vcd(path("w.fst")));
    read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
      for (const auto& [name, value] : state.values) {
        if (value == 0 || !name.ends_with("/valid")) continue;
        if (holds(name.substr(0, name.size() - 5), state) && first < 0) {
          first = static_cast<std::int64_t>(state.at("wave/cycle"));
        }
      }
    });
    return first;
  }
  void expect_around(std::int64_t cycle) const {
    const WaveContent wave = content();
    ASSERT_EQ(wave.cycles.size(), 17U);
    EXPECT_EQ(wave.cycles.front(), cycle - 7);
    EXPECT_EQ(wave.cycles.back(), cycle + 9);
  }
};

TEST_F(WaveTriggerTest, PacketAndStream) {
  run(work());
  const std::int64_t packet = first_cycle(
      [](const std::string& link, const VcdState& v) { return v.at(link + "tag") == 0x2001; });
  const std::int64_t stream = first_cycle(
      [](const std::string& link, const VcdState& v) { return v.at(link + "stream") == 2; });
  ASSERT_GT(packet, 0);
  ASSERT_GT(packet, stream);
  EXPECT_EQ(triggered(work(), "packet:0x2001"), packet);
  expect_around(packet);
  EXPECT_EQ(triggered(work(), "stream:2"), stream);
  expect_around(stream);
}

TEST_F(WaveTriggerTest, Preemption) {
  struct Order {
    const char* setting;
    std::array<int, 4> rank;  // rank of mp, pp, dp, control
  };
  for (const Order& order : {Order{"switch.vc_order=[control, mp, pp, dp]", {1, 2, 3, 0}},
                             Order{"switch.vc_order=[dp, control, pp, mp]", {3, 2, 0, 1}}}) {
    SCOPED_TRACE(order.setting);
    const std::vector<std::string> arguments = with(work(), {"--set", order.setting});
    run(arguments);
    std::map<std::string, std::map<std::uint64_t, bool>> in_flight;
    const std::int64_t first = first_cycle([&](const std::string& link, const VcdState& v) {
      const std::uint64_t vc = v.at(link + "vc");
      bool overtakes = false;
      for (const auto& [other, open] : in_flight[link]) {
        overtakes = overtakes || (open && order.rank[other] > order.rank[vc]);
      }
      in_flight[link][vc] = v.at(link + "tail") == 0;
      return overtakes;
    });
    ASSERT_GT(first, 0) << "the work has one";
    EXPECT_EQ(triggered(arguments, "preemption"), first);
    expect_around(first);
  }
}

// Counter registers in the RTL of every switch, cycle by cycle: on_switch(cycle, switch, value of a
// register).
template <typename OnSwitch>
void for_every_switch(const std::string& fst, const OnSwitch& on_switch) {
  const std::string inside = "/fred_switch/i_phased/i_counters/";
  std::istringstream vcd(run_fst2vcd(fst));
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    const auto cycle = static_cast<std::int64_t>(state.at("wave/cycle"));
    for (const auto& [path, value] : state.values) {
      const std::string end = inside + "phase_changes_q";
      if (!path.ends_with(end)) continue;
      const std::string name = path.substr(0, path.size() - end.size());
      on_switch(cycle, name, [&, counters = name + inside](const std::string& counter) {
        return state.at(counters + counter);
      });
    }
  });
}

TEST_F(WaveTriggerTest, PhaseChangeIsWhereTheRtlCountsIt) {
  run(kSmallRun);
  std::int64_t first = -1;
  for_every_switch(path("w.fst"), [&](std::int64_t cycle, const std::string&, const auto& counter) {
    if (first < 0 && counter("phase_changes_q") != 0) first = cycle;
  });
  ASSERT_GT(first, 0);
  EXPECT_EQ(triggered(with(kSmallRun, {"--wave-links-only"}), "phase-change"), first);
  expect_around(first);
}

TEST_F(WaveTriggerTest, StallIsWhereTheCountersOfTheRtlHaveGrownForSoLong) {
  std::vector<std::string> rtl = work("16KiB");
  std::erase(rtl, "--wave-links-only");
  run(rtl);
  std::map<std::string, std::pair<std::uint64_t, int>> stalls;  // stall cycles so far, and in a row
  std::map<int, std::int64_t> first;                            // by consecutive cycles
  for_every_switch(path("w.fst"), [&](std::int64_t cycle, const std::string& name, const auto& of) {
    const std::uint64_t sum =
        of("join_q") + of("credit_q") + of("phase_q") + of("arbiter_q") + of("link_q");
    auto& [count, in_row] = stalls[name];
    in_row = sum > count ? in_row + 1 : 0;
    count = sum;
    first.emplace(in_row, cycle);
  });
  for (const int n : {0, 2, 4}) {
    ASSERT_TRUE(first.contains(n + 1)) << n;
    EXPECT_EQ(triggered(work("16KiB"), "stall:" + std::to_string(n)), first[n + 1]) << n;
    expect_around(first[n + 1]);
  }
}

TEST_F(WaveTriggerTest, FailureIsTheLastCycle) {
  const Outcome outcome = run_fredsim(
      with(kSmallRun, {"--wave-links-only", "--timeout-cycles", "60", "--wave", path("w.fst"),
                       "--wave-trigger", "failure", "--wave-before", "20"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("time-out after 60 cycles"), std::string::npos) << outcome.err;
  const WaveContent wave = content();
  ASSERT_EQ(wave.cycles.size(), 21U);
  EXPECT_EQ(static_cast<std::int64_t>(wave.cycles.back()), marked());
}

TEST_F(WaveTriggerTest, OneThatNeverComesLeavesTheResult) {
  const std::vector<std::string> arguments =
      with(kSmallRun, {"--wave", path("w.fst"), "--wave-trigger", "packet:99"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("did not happen"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("exact"), std::string::npos);
}

TEST_F(WaveTriggerTest, TrafficIsSearchedRateByRate) {
  const std::vector<std::string> traffic{
      "traffic", "configs/fred_small.yaml", "--rate", "0.01,0.7", "--warmup", "0", "--cycles",
      "300",     "--wave-links-only"};
  const std::int64_t cycle = triggered(traffic, "stall:6");
  EXPECT_GT(cycle, 300) << "in the second rate";
  EXPECT_EQ(content().cycles.size(), 17U);
}

}  // namespace
}  // namespace fredsim
