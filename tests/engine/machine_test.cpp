// SPDX-License-Identifier: Apache-2.0
// Complete machines on test routers: payload, sizes, repetition, determinism, idle skipping, and
// detection of faults with a message.

#include "engine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "config/config.h"
#include "engine/plan_run.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "support/test_mesh_router.h"
#include "switch/lockstep_switch.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

SwitchFactory test_routers(const std::function<void(const Node&, TestMeshRouter&)>& fault = {}) {
  return [fault](const Node& node, const SwitchShape& shape) {
    auto router = std::make_unique<TestMeshRouter>(shape);
    if (fault) fault(node, *router);
    return router;
  };
}

Plan all_reduce_plan(const Topology& topology, std::uint64_t bytes) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return make_plan(topology, Collective::kAllReduce, group, bytes, "paper");
}

class MachineTest : public testing::Test {
 protected:
  Simulation simulation_;
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
};

void expect_same(const RunResult& a, const RunResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.flit_hops, b.flit_hops);
  EXPECT_EQ(a.link_bytes, b.link_bytes);
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) EXPECT_EQ(a.links[i].flits, b.links[i].flits);
}

TEST_F(MachineTest, AllReduceOfEverySizeIsExactAndCountsItsBytes) {
  Machine machine("machine", topology_, {.lanes = 3}, test_routers());
  simulation_.run([&] {
    for (const std::uint64_t bytes : {1, 2, 511, 512, 513, 4096, 4097, 20'000, 100'001, 1 << 20}) {
      const RunResult r = run_plan(machine, all_reduce_plan(topology_, bytes));
      EXPECT_EQ(r.payload, "exact");
      EXPECT_GT(r.cycles, 0U);
      // Every rank but the root of a tree passes a sum on, every rank but one passes the result on:
      // 2 (N - 1) times the vector, to the byte.
      EXPECT_EQ(r.injected_bytes, 2 * 3 * bytes) << bytes;
      EXPECT_GE(r.link_bytes, r.injected_bytes);
    }
  });
}

TEST_F(MachineTest, RunsAreIndependentAndDeterministic) {
  Machine one("one", topology_, {.seed = 7}, test_routers());
  Machine two("two", topology_, {.seed = 7}, test_routers());
  simulation_.run([&] {
    const RunResult first = run_plan(one, all_reduce_plan(topology_, 100'000));
    run_plan(one, all_reduce_plan(topology_, 3000));
    expect_same(first, run_plan(two, all_reduce_plan(topology_, 100'000)));
    expect_same(first, run_plan(one, all_reduce_plan(topology_, 100'000)));
  });
}

TEST_F(MachineTest, LeavingIdleStepsOutIsExact) {
  Machine skipping("skipping", topology_, {}, test_routers());
  Machine stepping("stepping", topology_, {}, test_routers());
  stepping.fabric().core().set_always_step(true);
  simulation_.run([&] {
    for (const std::uint64_t bytes : {64, 9000, 300'000}) {
      expect_same(run_plan(skipping, all_reduce_plan(topology_, bytes)),
                  run_plan(stepping, all_reduce_plan(topology_, bytes)));
      EXPECT_GT(skipping.fabric().core().steps_left_out(), 0U);
      EXPECT_EQ(stepping.fabric().core().steps_left_out(), 0U);
    }
  });
}

TEST_F(MachineTest, ASmallerGroupWorksAndOthersStaySilent) {
  Machine machine("machine", topology_, {}, test_routers());
  simulation_.run([&] {
    const RunResult r =
        run_plan(machine, make_plan(topology_, Collective::kAllReduce, {1, 2}, 50'000, "direct"));
    EXPECT_EQ(r.groups, (std::vector<std::vector<int>>{{1, 2}}));
    EXPECT_EQ(r.injected_bytes, 2U * 50'000);
  });
}

TEST_F(MachineTest, ProgressReachesTheTotal) {
  Machine machine("machine", topology_, {}, test_routers());
  simulation_.run([&] {
    std::uint64_t calls = 0;
    Progress last;
    run_plan(machine, all_reduce_plan(topology_, 16 << 20), [&](const Progress& p) {
      ++calls;
      EXPECT_GE(p.bytes_delivered, last.bytes_delivered);
      EXPECT_LE(p.bytes_delivered, p.bytes_total);
      last = p;
    });
    EXPECT_GT(calls, 1U);
    EXPECT_EQ(last.cycle, calls * 4096);
    EXPECT_EQ(last.bytes_total, 4ULL * (16 << 20));
  });
}

TEST_F(MachineTest, AStoppedRunIsIncompleteAndTheNextOneIsWhole) {
  std::atomic<bool> stop{false};
  Machine machine("machine", topology_, {.stop = &stop}, test_routers());
  simulation_.run([&] {
    const RunResult stopped = run_plan(machine, all_reduce_plan(topology_, 16 << 20),
                                       [&](const Progress& p) { stop = p.cycle >= 8192; });
    EXPECT_TRUE(stopped.incomplete);
    EXPECT_EQ(stopped.payload, "incomplete");
    EXPECT_EQ(stopped.cycles, 8192U);
    EXPECT_GT(stopped.delivered_bytes, 0U);
    EXPECT_LT(stopped.delivered_bytes, 4ULL * (16 << 20));
    ASSERT_EQ(stopped.parts.size(), 1U);
    EXPECT_TRUE(stopped.parts[0].incomplete);
    EXPECT_EQ(stopped.parts[0].cycles, 8192U);
    EXPECT_GT(stopped.flit_hops, 0U);
    EXPECT_EQ(run_plan(machine, all_reduce_plan(topology_, 1000)).cycles, 0U)
        << "stopped before it starts";
    stop = false;
    const RunResult whole = run_plan(machine, all_reduce_plan(topology_, 1000));
    EXPECT_FALSE(whole.incomplete);
    EXPECT_EQ(whole.payload, "exact");
    EXPECT_EQ(whole.delivered_bytes, 4U * 1000);
  });
}

TEST_F(MachineTest, OneWrongLaneFailsTheRun) {
  int flits = 0;
  Machine machine("machine", topology_, {.lanes = 2},
                  test_routers([&](const Node& node, TestMeshRouter& router) {
                    if (node.name != "r1_0") return;
                    router.corrupt = [&](std::uint32_t* flit) {
                      if (++flits == 100) set_lane(flit, 1, get_lane(flit, 1) ^ 0x8000U);
                    };
                  }));
  simulation_.run([&] {
    const std::string message =
        message_of<RunFailed>([&] { run_plan(machine, all_reduce_plan(topology_, 1 << 20)); });
    EXPECT_NE(message.find("payload wrong at rank"), std::string::npos) << message;
    EXPECT_NE(message.find("lane 1"), std::string::npos) << message;
    // The fault strikes once: after it the machine is as good as new.
    EXPECT_EQ(run_plan(machine, all_reduce_plan(topology_, 1 << 20)).payload, "exact");
  });
}

// Bit 0 of a tag is the packet's index: two packets change places in the count,
// or a flit its packet.
TEST_F(MachineTest, PacketsOutOfOrderAndStrayFlitsAreFound) {
  enum { kWholePacket, kOneFlit } fault = kWholePacket;
  int packets = 0;
  Machine machine("machine", topology_, {},
                  test_routers([&](const Node& node, TestMeshRouter& router) {
                    if (node.name != "r0_0") return;
                    router.corrupt = [&](std::uint32_t* flit) {
                      const FlitHeader h = unpack_header(flit);
                      if (h.head && h.tag >> kStreamShift == 0) ++packets;
                      const bool hit = packets == 3 && h.tag >> kStreamShift == 0;
                      if (hit && (fault == kWholePacket || h.tail)) flit[0] ^= 1;
                    };
                  }));
  simulation_.run([&] {
    const auto run = [&] { run_plan(machine, all_reduce_plan(topology_, 1 << 20)); };
    std::string message = message_of<RunFailed>(run);
    EXPECT_NE(message.find("arrived where packet"), std::string::npos) << message;
    fault = kOneFlit;
    packets = 0;
    message = message_of<RunFailed>(run);
    EXPECT_NE(message.find("a flit of another packet"), std::string::npos) << message;
  });
}

TEST_F(MachineTest, ADeadlockNamesWhatWaitsForWhat) {
  Machine machine("machine", topology_, {},
                  test_routers([&](const Node& node, TestMeshRouter& router) {
                    if (node.name == "r1_1") router.hold = 0x0F;  // no path out to its neighbours
                  }));
  simulation_.run([&] {
    const std::string message =
        message_of<RunFailed>([&] { run_plan(machine, all_reduce_plan(topology_, 1 << 20)); });
    for (const char* part : {"deadlock: no flit has moved for 20000 cycles", "is missing",
                             "no credit from r1_1 port", "r1_1 input", "flits buffered"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    }
  });
}

// Interrupted at once.
TEST_F(MachineTest, AWaveformWithoutACycleSaysWhy) {
  const TemporaryFolder folder;
  Machine machine("machine", topology_, FabricOptions{.wave = {.file = folder.file("w.fst")}});
  Machine searching(
      "searching", topology_,
      FabricOptions{.wave = {.file = folder.file("t.fst"),
                             .trigger = WaveTrigger{WaveTriggerKind::kFailure, 0, 30, 0}}});
  EXPECT_EQ(machine.wave()->why_empty(), "the run ended before its first");
  EXPECT_EQ(searching.wave()->why_empty(), "the run ended before its first");
}

// A trigger's second run, which records, fails as the first one did; a run that fails for another
// cause than the one looked for fails all the same.
class FailureTriggerTest : public MachineTest {
 protected:
  struct Found {
    bool any = false;
    std::uint64_t cycle = 0;  // cycle of the run
    std::int64_t after = 0;   // cycles to the end of the run
    std::string message;
  };
  static constexpr WaveTriggerKind kCauses[] = {
      WaveTriggerKind::kPayload, WaveTriggerKind::kLockstep, WaveTriggerKind::kDeadlock};

  // Findings of a machine's trigger on `kind`. All are built before the first one runs.
  std::vector<Found> search(const std::vector<std::pair<WaveTriggerKind, std::uint64_t>>& timeouts,
                            const SwitchFactory& switches) {
    std::vector<std::unique_ptr<Machine>> machines;
    for (const auto& [kind, timeout] : timeouts) {
      const std::string name = fmt::format("machine{}", machines.size());
      const WaveOptions wave{.file = folder_.file(name + ".fst"),
                             .trigger = WaveTrigger{kind, 0, 30, 0}};
      machines.push_back(std::make_unique<Machine>(
          name.c_str(), topology_, FabricOptions{.timeout_cycles = timeout, .wave = wave},
          switches));
    }
    std::vector<Found> found;
    simulation_.run([&] {
      for (const auto& machine : machines) {
        Found& one = found.emplace_back();
        one.message =
            message_of<RunFailed>([&] { run_plan(*machine, all_reduce_plan(topology_, 1 << 20)); });
        const WaveRecorder& recorder = *machine->wave();
        one.any = recorder.found().has_value();
        EXPECT_EQ(recorder.cycles_recorded(), one.any ? 31U : 0U);
        if (!one.any) continue;
        one.cycle = recorder.found_in_run();
        one.after = static_cast<std::int64_t>(recorder.cycles() - 1 - *recorder.found());
      }
    });
    return found;
  }

  // Found when `cause` or any failure is looked for, and not otherwise; `cause` may be kFailure.
  Found expect_cause(WaveTriggerKind cause, const SwitchFactory& switches,
                     const std::string& message_part) {
    std::vector<std::pair<WaveTriggerKind, std::uint64_t>> searches{{WaveTriggerKind::kFailure, 0}};
    for (const WaveTriggerKind kind : kCauses) searches.emplace_back(kind, 0);
    const std::vector<Found> found = search(searches, switches);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].any, i == 0 || searches[i].first == cause) << i;
      EXPECT_NE(found[i].message.find(message_part), std::string::npos) << found[i].message;
      if (!found[i].any) continue;
      EXPECT_EQ(found[i].cycle, found[0].cycle);
    }
    return found[0];
  }

 private:
  TemporaryFolder folder_;
};

// Flips a sign in the packets numbered 3.
void corrupt_third(std::uint32_t* flit) {
  if ((unpack_header(flit).tag & kIndexMask) == 3) set_lane(flit, 0, get_lane(flit, 0) ^ 0x8000U);
}

TEST_F(FailureTriggerTest, WrongPayload) {
  const Found found = expect_cause(WaveTriggerKind::kPayload,
                                   test_routers([&](const Node& node, TestMeshRouter& router) {
                                     if (node.name == "r1_0") router.corrupt = corrupt_third;
                                   }),
                                   "payload wrong at rank");
  EXPECT_EQ(found.after, 0);
}

TEST_F(FailureTriggerTest, LockstepDifferenceIsInTheCycleOfItsMessage) {
  const auto switches = [&](const Node& node, const SwitchShape& shape) {
    auto twin = std::make_unique<TestMeshRouter>(shape);
    if (node.name == "r1_0") twin->corrupt = corrupt_third;
    return std::make_unique<LockstepSwitch>(std::make_unique<TestMeshRouter>(shape),
                                            std::move(twin), shape, node.name);
  };
  const Found found =
      expect_cause(WaveTriggerKind::kLockstep, switches, "r1_0: lockstep difference in step");
  EXPECT_EQ(found.after, 0);
  EXPECT_EQ(found.message.find(fmt::format("cycle {}: ", found.cycle)), 0U) << found.message;
}

TEST_F(FailureTriggerTest, TimeOutIsInItsCycle) {
  const std::vector<Found> found = search({{WaveTriggerKind::kFailure, 500},
                                           {WaveTriggerKind::kFailure, 507},
                                           {WaveTriggerKind::kDeadlock, 500}},
                                          test_routers());
  for (const Found& one : found) EXPECT_EQ(one.message.find("time-out after 50"), 0U);
  EXPECT_EQ(found[1].cycle, found[0].cycle + 7);
  EXPECT_GE(found[0].cycle, 500U);
  EXPECT_LT(found[0].cycle, 700U) << "the set-up of the routers comes before";
  EXPECT_GT(found[0].after, 0) << "the list of what waits takes register accesses";
  EXPECT_FALSE(found[2].any);
}

TEST_F(FailureTriggerTest, ErrorOfASwitchIsInItsCycle) {
  class Failing final : public TestMeshRouter {
   public:
    using TestMeshRouter::TestMeshRouter;
    void reset() override {
      TestMeshRouter::reset();
      flits_ = 0;
    }
    void step(SwitchPins& pins) override {
      if (pins.in_valid != 0) ++flits_;
      TestMeshRouter::step(pins);
    }
    std::uint32_t error() const override { return flits_ > 20 ? 7 : 0; }

   private:
    int flits_ = 0;
  };
  const Found found = expect_cause(
      WaveTriggerKind::kFailure,
      [](const Node&, const SwitchShape& shape) { return std::make_unique<Failing>(shape); },
      "reports error 7");
  EXPECT_EQ(found.after, 0);
}

TEST_F(FailureTriggerTest, DeadlockIsWhereTheLastFlitLeft) {
  const Found found = expect_cause(WaveTriggerKind::kDeadlock,
                                   test_routers([](const Node& node, TestMeshRouter& router) {
                                     if (node.name == "r1_1") router.hold = 0x0F;
                                   }),
                                   "deadlock");
  EXPECT_GE(found.after, 20'000);
  EXPECT_LT(found.after, 20'100) << "the list of what waits takes register accesses";
}

TEST_F(MachineTest, TimeOutIsReported) {
  Machine machine("machine", topology_, {.timeout_cycles = 500}, test_routers());
  simulation_.run([&] {
    const std::string message =
        message_of<RunFailed>([&] { run_plan(machine, all_reduce_plan(topology_, 1 << 20)); });
    EXPECT_NE(message.find("time-out after 500 cycles"), std::string::npos) << message;
    EXPECT_EQ(run_plan(machine, all_reduce_plan(topology_, 512)).payload, "exact");
  });
}

TEST_F(MachineTest, ASwitchThatCountsWrongDoesNotBalance) {
  class Miscounting final : public TestMeshRouter {
   public:
    using TestMeshRouter::TestMeshRouter;
    void step(SwitchPins& pins) override {
      TestMeshRouter::step(pins);
      if (pins.reg.valid && pins.reg.address == 0x0280 + 2 * kFirstLocal) ++pins.reg_rdata;
    }
  };
  Machine machine("machine", topology_, {}, [](const Node&, const SwitchShape& shape) {
    return std::make_unique<Miscounting>(shape);
  });
  simulation_.run([&] {
    const std::string message =
        message_of<RunFailed>([&] { run_plan(machine, all_reduce_plan(topology_, 4096)); });
    EXPECT_NE(message.find("do not balance"), std::string::npos) << message;
    EXPECT_NE(message.find("flits out at port 4 reads"), std::string::npos) << message;
  });
}

}  // namespace
}  // namespace fredsim::test
