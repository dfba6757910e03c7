// SPDX-License-Identifier: Apache-2.0
// Names of machines in a table, at random: no name stands for two machines that a reader named
// differently.
#include "report/machine_labels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/setting.h"

namespace fredsim {
namespace {

ReportedRun labelled_run(const std::string& config, const std::string& fabric,
                         std::vector<Setting> own) {
  ReportedRun run;
  run.result.config = config;
  run.result.fabric = fabric;
  run.result.settings.own = std::move(own);
  return run;
}

TEST(MachineLabels, TellMachinesApartAndKeepToTheirWidth) {
  const std::vector<std::vector<Setting>> settings{
      {},
      {},
      {{"fabric.middle", "2"}},
      {{"npu.count", "8"}},
      {{"switch.input_buffer", "48KiB"}, {"fabric.middle", "2"}}};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<ReportedRun> runs;
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n) {
      const std::string file = fmt::format("f{}.yaml", random.below(3));
      // A file has one name, names may be of several files.
      const std::string fabric = file == "f2.yaml" ? "mesh" : "fred_d";
      runs.push_back(labelled_run(file, fabric, settings[random.below(settings.size())]));
    }
    const MachineLabels labels = machine_labels(runs);
    ASSERT_EQ(labels.labels.size(), runs.size());
    std::size_t numbered = 0;
    bool is_long = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunResult& r = runs[i].result;
      const std::string& label = labels.labels[i];
      SCOPED_TRACE(fmt::format("seed {}, machine {}: {}", seed, i, label));
      EXPECT_TRUE(label.starts_with(r.fabric) || label.starts_with(r.config));
      for (std::size_t k = 0; k < i; ++k) {
        const RunResult& other = runs[k].result;
        const bool is_same = other.config == r.config && other.settings.own == r.settings.own;
        if (!is_same) {
          EXPECT_NE(label, labels.labels[k]);
        }
      }
      is_long = is_long || (!r.settings.own.empty() && label.size() > 28);
      if (label.find(" [") == std::string::npos) continue;
      ++numbered;
      EXPECT_TRUE(label.ends_with(fmt::format(" [{}]", numbered)));
      ASSERT_GE(labels.notes.size(), numbered);
      const std::string& note = labels.notes[numbered - 1];
      EXPECT_TRUE(note.starts_with(label + ": ")) << note;
      for (const Setting& setting : r.settings.own)
        EXPECT_NE(note.find(setting.key + "=" + setting.value), std::string::npos) << note;
    }
    EXPECT_EQ(labels.notes.size(), numbered);
    EXPECT_FALSE(is_long) << "seed " << seed;
  }
}

TEST(MachineLabels, OfMachinesWithoutSettingsAreTheirNamesHoweverLong) {
  const std::string name(60, 'm');
  const MachineLabels labels = machine_labels(std::vector{labelled_run("a.yaml", name, {})});
  EXPECT_EQ(labels.labels, std::vector{name});
  EXPECT_TRUE(labels.notes.empty());
  // Settings of other machines are not added behind a number either.
  const MachineLabels both = machine_labels(std::vector{
      labelled_run("a.yaml", name, {}), labelled_run("b.yaml", "fred", {{"npu.count", "8"}})});
  EXPECT_EQ(both.labels, (std::vector<std::string>{name, "fred@npu.count=8"}));
  EXPECT_TRUE(both.notes.empty());
}

}  // namespace
}  // namespace fredsim
