// SPDX-License-Identifier: Apache-2.0
#include "study/point_hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "study/studies.h"
#include "topology/support.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kMesh = "configs/mesh_2x2.yaml";

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Words hashes(const std::string& text, const std::string& version = "1") {
  const StudyFile file(text);
  const Study study = file.read();
  const StudyPoints points(study);
  return hashes_of(points, version);
}

// The hash of a study of one point.
std::string hash_of(const std::string& machine, const std::string& rest,
                    const std::string& version = "1") {
  const Words all = hashes("machines: [" + machine + "]\n" + rest + "\n", version);
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}

std::string refused_hashes(const std::string& text) {
  return refusal([&] { hashes(text); });
}

TEST(PointHash, DoesNotDependOnTheWriting) {
  const TemporaryFolder folder;
  const std::string other = folder.file("other.yaml");
  std::ofstream(other) << "# a comment\n" << text_of(kMesh) << "\n";
  const std::string hash = hash_of(kMesh, "run: {size: 4KiB, collective: reduce}\nseeds: 7");
  EXPECT_EQ(hash.size(), 32U);
  EXPECT_EQ(hash_of(other, "run: {size: 4KiB, collective: reduce}\nseeds: 7"), hash)
      << "path and comments";
  EXPECT_EQ(hash_of(kMesh, "seeds: [07]\nrun:\n- collective: [reduce]\n  size: 4096\n"), hash)
      << "order, lists and units";
  EXPECT_EQ(hash_of(kMesh,
                    "name: x\nsettings: {fabric.packet: 4096 B}\nrun: {size: 4K, collective: "
                    "reduce}\nseeds: 7"),
            hash)
      << "a setting to the default";
  EXPECT_EQ(hash_of(kMesh, "run: {size: 4KiB, collective: reduce, no-skip: false}\nseeds: 7"),
            hash);
}

TEST(PointHash, DependsOnMachineWorkSeedAndVersion) {
  const std::string work = "run: {size: 4KiB}\n";
  std::set<std::string> all{hash_of(kMesh, work),
                            hash_of(kMesh, work, "2"),
                            hash_of(kMesh, work + "seeds: 1"),
                            hash_of(kMesh, work + "seeds: 2"),
                            hash_of(kMesh, "run: {size: 8KiB}"),
                            hash_of(kMesh, "run: {lanes: 4096}"),
                            hash_of(kMesh, "run: {size: 4KiB, no-skip: true}"),
                            hash_of(kMesh, "run: {size: 4KiB, group: [[0, 1]]}"),
                            hash_of(kMesh, "run: {size: 4KiB, group: ['0,1']}"),
                            hash_of(kMesh, "traffic: {rate: 0.1}"),
                            hash_of(kMesh, "settings: {npu.bandwidth: 10 GB/s}\n" + work),
                            hash_of(kMesh, "settings: {npu.bandwidth: 11 GB/s}\n" + work),
                            hash_of(kMesh, "settings: {switch.kind: mesh_reducing}\n" + work),
                            hash_of("configs/fred_small.yaml", work)};
  EXPECT_EQ(all.size(), 14U);
}

TEST(PointHash, FilesCountByTheirContents) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  };
  const auto work = [&](const std::string& path) {
    return hash_of(kMesh, "run: {work: " + path + "}");
  };
  const std::string a = work(write("a.yaml", "- one\n"));
  EXPECT_EQ(work(write("b.yaml", "- one\n")), a);
  EXPECT_NE(work(write("b.txt", "- one\n")), a) << "the ending says what it is";
  EXPECT_NE(work(write("a.yaml", "- two\n")), a);
  EXPECT_NE(work(folder.file("none.yaml")), a);
  const auto traces = [&] { return hash_of(kMesh, "run: {trace: " + folder.file("t") + "}"); };
  write("t.0.et", "0");
  const std::string one = traces();
  write("t.1.et", "1");
  const std::string two = traces();
  write("t.3.et", "3");
  EXPECT_NE(one, two);
  EXPECT_EQ(traces(), two) << "rank 2 is missing: not read";
  write("t.1.et", "2");
  EXPECT_NE(traces(), two);
}

TEST(PointHash, TwoPointsOfOneHashAreRefusedAtTheSecondOne) {
  expect_parts(
      refused_hashes(
          "machines: [configs/mesh_2x2.yaml]\nrun:\n  size:\n  - 4KiB\n  - 8KiB\n  - 4096\n"),
      {"study.yaml:6: found two points of one hash, ",
       "'run configs/mesh_2x2.yaml --size=4KiB' and 'run configs/mesh_2x2.yaml --size=4096'; "
       "allowed: points"});
  expect_parts(
      refused_hashes("machines:\n- configs/mesh_2x2.yaml\n- configs/mesh_2x2.yaml\nrun:\n"),
      {"study.yaml:3: found two points"});
  expect_parts(
      refused_hashes("machines: [configs/mesh_2x2.yaml]\nrun:\n- size: 1KiB\n- size: 1KiB\n"),
      {"study.yaml:4: found two points"});
  expect_parts(refused_hashes("machines: [configs/mesh_2x2.yaml]\nrun:\nseeds:\n- 1\n- 2\n- 1\n"),
               {"study.yaml:6: found two points"});
  expect_parts(
      refused_hashes("machines: [configs/mesh_2x2.yaml]\nrun:\nsettings:\n  fabric.packet:\n  - "
                     "4KiB\n  - 4 KiB\n"),
      {"study.yaml:6: found two points"});
}

TEST(PointHash, MachinesThatCannotBeReadAreRefused) {
  expect_parts(refused_hashes("machines:\n- configs/mesh_2x2.yaml\n- none.yaml\nrun:\n"),
               {"study.yaml:3: machines: none.yaml: cannot be read: No such file"});
}

TEST(PointHash, SettingsWithoutAKeyAreRefused) {
  const std::string machine = "machines: [configs/mesh_2x2.yaml]\nrun:\n";
  expect_parts(
      refused_hashes(machine + "settings: {switch.inputbuffer: 1 KiB}\n"),
      {"study.yaml:3: settings: found 'switch.inputbuffer', which is no key of machine files",
       "did you mean 'input_buffer'?"});
  expect_parts(refused_hashes(machine + "settings:\n  fabric.middle: 2\n"),
               {"study.yaml:4: settings: found 'fabric.middle', which configs/mesh_2x2.yaml has no "
                "key for; allowed:"});
  expect_parts(
      refused_hashes("machines:\n- configs/fred_small.yaml\n- configs/mesh_2x2.yaml\nrun:\n"
                     "settings: {fabric.middle: [2, 3]}\n"),
      {"study.yaml:5: settings: found 'fabric.middle', which configs/mesh_2x2.yaml has no"});
  expect_parts(refused_hashes(machine + "settings: {npu..count: 3}\n"),
               {"study.yaml:3: settings:", "key.path=value is wanted"});
}

TEST(PointHash, ValuesThatAMachineRefusesAreLeftToTheRun) {
  const std::string rest = "run:\nsettings: {npu.count: ";
  const std::string word = hash_of(kMesh, rest + "many}");
  EXPECT_NE(hash_of(kMesh, rest + "99999999999999999999}"), word);
  EXPECT_EQ(hash_of(kMesh, rest + "many}"), word);
  const std::string type = "run:\nsettings: {fabric.type: ring}";
  EXPECT_NE(hash_of(kMesh, type), word);
}

}  // namespace
}  // namespace fredsim
