// SPDX-License-Identifier: Apache-2.0
#include "study/study.h"

#include <gtest/gtest.h>

#include "study/studies.h"
#include "topology/support.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kSmall = "machines: [configs/mesh_2x2.yaml]\nrun: {size: [1KiB, 2KiB]}\n";

TEST(Study, HasItsNameAndAxes) {
  const StudyFile file(
      "machines:\n- a.yaml\n- file: b.yaml\n  settings: {npu.count: [2, 4]}\n"
      "settings: {switch.input_buffer: 16 KiB, switch.vc_order: [[mp, pp, dp, control]]}\n"
      "run:\n- {size: 1KiB, group: [all, [0-1, 2-3]], no-skip: [true, false]}\n- {work: w.yaml}\n"
      "traffic:\nseeds: [7, 1:3]\n");
  const Study study = file.read();
  EXPECT_EQ(study.name, "study");
  ASSERT_EQ(study.machines.size(), 2U);
  EXPECT_EQ(study.machines[1].file, "b.yaml");
  EXPECT_EQ(study.machines[1].where, file.path() + ":3");
  EXPECT_EQ(study.machines[1].settings.front().values[1].text, "4");
  ASSERT_EQ(study.settings.size(), 2U);
  EXPECT_EQ(study.settings[0].values.front().words, Words{"16 KiB"});
  ASSERT_EQ(study.settings[1].values.size(), 1U) << "a list in a list is one value";
  EXPECT_EQ(study.settings[1].values.front().text, "[mp, pp, dp, control]");
  ASSERT_EQ(study.works.size(), 3U);
  const StudyAxis& group = study.works[0].options[1];
  ASSERT_EQ(group.values.size(), 2U);
  EXPECT_EQ(group.values[1].words, (Words{"0-1", "2-3"}));
  EXPECT_EQ(group.values[1].text, "[0-1, 2-3]");
  EXPECT_EQ(study.works[2].command, "traffic");
  EXPECT_TRUE(study.works[2].options.empty());
  ASSERT_TRUE(study.seeds);
  Words seeds;
  for (const StudyValue& seed : study.seeds->values) seeds.push_back(seed.text);
  EXPECT_EQ(seeds, (Words{"7", "1", "2", "3"}));
}

TEST(Study, NamesItself) {
  EXPECT_EQ(StudyFile(std::string("name: mine\n") + kSmall).read().name, "mine");
  expect_parts(refused_points(std::string("name: a/b\n") + kSmall),
               {"study.yaml:1: name: found 'a/b'; allowed: a name, without '/'"});
}

TEST(Study, UnknownKeysNameFileLineAndTheNearestOne) {
  expect_parts(refused_points(std::string(kSmall) + "seed: 1\n"),
               {"study.yaml:3: a study: found the key 'seed'", "did you mean 'seeds'?"});
  expect_parts(refused_points("machines: [a]\nrun:\n  sice: 1KiB\n"),
               {"study.yaml:3: run: found the key 'sice'", "did you mean 'size'?"});
  expect_parts(refused_points("machines:\n- {fil: a}\nrun:\n"),
               {"study.yaml:2: a machine: found the key 'fil'; did you mean 'file'?"});
}

TEST(Study, RefusesWhatItCannotRead) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"run:\n", "found no key 'machines'; allowed: a list of machine files"},
      {"machines: [a]\n", "found no work; allowed: one or more of run and traffic"},
      {"machines: []\nrun:\n", ":1: machines: found a list; allowed: a list of machine files"},
      {"machines: [[a]]\nrun:\n", ":1: machines: found a list; allowed: a machine file"},
      {"machines:\n- {settings: {npu.count: 2}}\nrun:\n", ":2: machines: found no key 'file'"},
      {"machines: [a]\nrun: 5\n", ":2: run: found '5'; allowed: options of run"},
      {"machines: [a]\nrun: {size: []}\n", ":2: size: found a list; allowed: a value"},
      {"machines: [a]\nrun: {size: }\n", ":2: size: found nothing; allowed: SIZE"},
      {"machines: [a]\nrun: {size: [[1KiB]]}\n", ":2: size: found a list; allowed: SIZE"},
      {"machines: [a]\nrun: {no-skip: yes}\n", ":2: no-skip: found 'yes'; allowed: true or false"},
      {"machines: [a]\nsettings: [b]\nrun:\n", ":2: settings: found a list; allowed: keys of"},
      {"machines: [a]\nsettings: {npu.count: }\nrun:\n", ":2: npu.count: found nothing"},
      {"machines: [a]\nseeds: x\nrun:\n", ":2: seeds: found 'x'; allowed: whole numbers"},
      {"machines: [a]\nseeds: 5:1\nrun:\n", ":2: seeds: found '5:1'; allowed: a range that"},
      {"machines: [a]\nseeds: 1:2:3\nrun:\n", ":2: seeds: found '1:2:3'; allowed: whole numbers"},
      {"machines: [a]\nseeds: [1, -1]\nrun:\n", ":2: seeds: found '-1'"},
      {"machines: [a]\nrun: {size: [1, 2]}\nzip: [[size]]\n", ":3: zip: found a list; allowed:"},
      {"machines: [a]\nrun: {size: [1, 2]}\nzip: [[size, size]]\n", ":3: zip: found 'size' twice"},
      {"machines: [a]\nrun: {size: 1}\nzip: [[size, machine]]\n",
       ":3: zip: found 'machine', which is no axis of the study; allowed: size"},
      {"machines: [a]\nrun: {size: 1}\nexclude: [{sice: 1}]\n",
       ":3: exclude: found 'sice', which is no axis of the study; did you mean 'size'?"},
      {"machines: [a]\nrun: {size: [1KiB, 2KiB]}\nexclude: [{size: 3KiB}]\n",
       ":3: exclude: size: found '3KiB', which is no value of it; did you mean '1KiB'?"},
      {"machines: [a]\nrun: {size: 1}\nexclude: {size: 1}\n", ":3: exclude: found keys; allowed:"}};
  for (const auto& [text, message] : cases)
    expect_parts(refused_points(text), {"study.yaml", message});
}

TEST(Study, ALongRangeIsRefusedBeforeItIsWrittenOut) {
  expect_parts(refused_points("machines: [a]\nseeds: 1:1000001\nrun:\n"),
               {":2: seeds: found more than 1000000 with '1:1000001'; allowed: 1000000 points"});
  expect_parts(refused_points("machines: [a]\nseeds: 0:18446744073709551615\nrun:\n"),
               {":2: seeds:"});
}

}  // namespace
}  // namespace fredsim
