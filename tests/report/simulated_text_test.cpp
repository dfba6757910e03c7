// SPDX-License-Identifier: Apache-2.0
#include "report/simulated_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/sample_run.h"

namespace fredsim {
namespace {

RunResult run_of(std::uint64_t flit_hops) {
  RunResult run =
      sample_run();  // 300 cycles, 31 idle, 32 repeated with 33 flit-hops; 34 of equal slices
  run.flit_hops = flit_hops;
  return run;
}

TableOutput table_output() { return {TableFormat::kTable, {.columns = 80}}; }

TEST(SimulatedText, OneRunIsALineWithWhatIsLeftAfterWhatWasSkipped) {
  RunResult run = run_of(1000);
  TableOutput output = table_output();
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"mesh", {&run}}}, output),
            "simulated: 237 of 300 cycles, 933 of 1000 flit-hops\n");
  run.slices = 5;
  run.slices_simulated = 2;
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"", {&run}}}, output),
            "\nsimulated: 237 of 300 cycles, 933 of 1000 flit-hops, 2 of 5 slices\n");
  run.slices_simulated = 5;  // all of them: nothing to say
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"", {&run}}}, output),
            "\nsimulated: 237 of 300 cycles, 933 of 1000 flit-hops\n");
}

TEST(SimulatedText, SeveralRunsAreALineEachWithinTheWidth) {
  const RunResult first = run_of(100), second = run_of(123'456'789'012'345);
  TableOutput output = table_output();
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"mesh", {&first}},
                                                    {"configs/paper/a_long_path.yaml", {&second}}},
                           output),
            "simulated\n"
            "  mesh: 237 of 300 cycles, 33 of 100 flit-hops\n"
            "  configs/paper/a_long_path.yaml: 237 of 300 cycles, 123456789012278 of\n"
            "    123456789012345 flit-hops\n");
}

TEST(SimulatedText, RunsOfAMachineAreAddedUp) {
  RunResult first = run_of(100), second = run_of(200);
  first.slices = second.slices = 5;
  first.slices_simulated = 1;
  second.slices_simulated = 3;
  TableOutput output = table_output();
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"", {&first, &second}}}, output),
            "simulated: 474 of 600 cycles, 166 of 300 flit-hops, 1 to 3 of 5 slices\n");
}

TEST(SimulatedText, NothingInCsv) {
  const RunResult run = run_of(100);
  TableOutput output(TableFormat::kCsv, {});
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"", {&run}}}, output), "");
  EXPECT_EQ(simulated_text(std::vector<MachineRuns>{{"a", {&run}}, {"b", {&run}}}, output), "");
}

TEST(SimulatedText, MachinesAndCyclesInLockstep) {
  RunResult mesh = run_of(100), fred = run_of(100);
  mesh.model = fred.model = "lockstep";
  mesh.config = "mesh.yaml";
  fred.config = "fred.yaml";
  TableOutput output = table_output();
  const std::vector<MachineRuns> two{{"mesh", {&mesh}}, {"best", {&mesh}}, {"fred", {&fred}}};
  EXPECT_EQ(lockstep_text(two, output), "RTL equals twin on 2 machines, 711 cycles\n");
  EXPECT_EQ(lockstep_text(std::vector<MachineRuns>{{"", {&fred, &fred}}}, output),
            "\nRTL equals twin on 1 machine, 474 cycles\n");
  RunResult other = mesh;
  other.settings.own = {{"npu.count", "4"}};
  EXPECT_EQ(lockstep_text(std::vector<MachineRuns>{{"a", {&mesh}}, {"b", {&other}}}, output),
            "\nRTL equals twin on 2 machines, 474 cycles\n");
  fred.incomplete = true;
  EXPECT_EQ(lockstep_text(two, output), "");
  fred.incomplete = false;
  mesh.model = "lockstep+tlm";  // some switches alone
  EXPECT_EQ(lockstep_text(two, output), "");
  EXPECT_EQ(lockstep_text({}, output), "");
}

TEST(SimulatedText, OperationsOfThoseThatHaveAny) {
  RunResult run = run_of(100);
  TableOutput output = table_output();
  EXPECT_EQ(operations_text(std::vector<MachineRuns>{{"", {&run}}}, output), "");
  run.operations = OperationsResult{
      .complete = 7,
      .rows = {.preloaded = 1, .loaded = 2, .found = 3, .evicted = 4, .words_written = 5},
      .waited_for_rows = 60,
      .waited_for_others = 70};
  const RunResult other = run_of(100);
  EXPECT_EQ(operations_text(std::vector<MachineRuns>{{"a", {&other}}, {"b", {&other, &run, &run}}},
                            output),
            "operations: 14; phases preloaded 2, loaded 4, found 6; cycles waited for phases\n"
            "120, for others 140\n");
}

}  // namespace
}  // namespace fredsim
