// SPDX-License-Identifier: Apache-2.0
// Whole machines on the Verilated switches: all-reduce exact, balanced and
// deterministic, with waves.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>

#include "base/error.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

class RtlMachine : public testing::TestWithParam<const char*> {
 protected:
  Plan all_reduce(std::uint64_t bytes) const {
    std::vector<int> group(topology_.npus.size());
    std::iota(group.begin(), group.end(), 0);
    return make_plan(topology_, Collective::kAllReduce, group, bytes, "auto");
  }

  Simulation simulation_;
  Topology topology_ = load_config(std::string("configs/") + GetParam() + ".yaml").topology;
};

TEST_P(RtlMachine, AllReduceIsExact) {
  Machine machine("machine", topology_, {.model = SwitchModel::kRtl, .seed = 3});
  simulation_.run([&] {
    for (const std::uint64_t bytes : {1, 512, 4096, 5000, 150'000}) {
      const RunResult r = run_plan(machine, all_reduce(bytes));
      EXPECT_EQ(r.payload, "exact");
      EXPECT_EQ(r.model, "rtl");
      EXPECT_GE(r.time_ns, r.bound_ns);
      std::uint64_t in = 0;
      for (const SwitchResult& s : r.switches) in += s.flits_in;
      EXPECT_GT(in, 0U);
    }
  });
}

TEST_P(RtlMachine, LeavingIdleStepsOutIsExact) {
  Machine skipping("skipping", topology_, {.model = SwitchModel::kRtl});
  Machine stepping("stepping", topology_, {.model = SwitchModel::kRtl});
  stepping.fabric().core().set_always_step(true);
  simulation_.run([&] {
    for (const std::uint64_t bytes : {512, 40'000}) {
      const RunResult a = run_plan(skipping, all_reduce(bytes));
      const RunResult b = run_plan(stepping, all_reduce(bytes));
      EXPECT_EQ(a.cycles, b.cycles);
      EXPECT_EQ(a.link_bytes, b.link_bytes);
      for (std::size_t i = 0; i < a.switches.size(); ++i) {
        EXPECT_EQ(a.switches[i].stall_cycles, b.switches[i].stall_cycles) << a.switches[i].name;
        EXPECT_EQ(a.switches[i].phase_changes, b.switches[i].phase_changes) << a.switches[i].name;
      }
    }
  });
}

TEST_P(RtlMachine, WavesHoldTheMatchingInstancesOnly) {
  const TemporaryFolder folder;
  const std::string file = folder.file("w.fst");
  {
    Machine machine("machine", topology_, {.wave = {.file = file}});
    simulation_.run([&] { run_plan(machine, all_reduce(2000)); });
  }
  EXPECT_GT(std::filesystem::file_size(file), 1000U);
  std::filesystem::remove(file);
  Simulation again;
  EXPECT_THROW(Machine("machine", topology_, {.wave = {.file = file, .scope = "no_such_switch*"}}),
               BadInput);
  EXPECT_FALSE(std::filesystem::exists(file));
}

INSTANTIATE_TEST_SUITE_P(Configs, RtlMachine, testing::Values("fred_small", "mesh_2x2"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace fredsim::test
