// SPDX-License-Identifier: Apache-2.0
// `fredsim import`: files of other tools become machine files that run; `info --dot`.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "support/program.h"

namespace fredsim {
namespace {

const std::string kFiles = "configs/systems/files/";

class Import : public FolderTest {
 protected:
  static std::uint64_t cycles_of(const std::string& machine) {
    const Outcome run = run_fredsim({"run", machine, "--size", "64KiB", "--json", "-"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    if (run.exit_code != 0) return 0;
    EXPECT_EQ(run.json()["runs"][0]["payload"], "exact");
    return run.json()["runs"][0]["cycles"];
  }
};

TEST_F(Import, ExamplesOfAllFormatsRun) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kExamples{
      {{"nccl", "nccl_box.xml"},
       {"nvidia_smi", "nvidia_smi_box.txt"},
       {"booksim", "booksim_mesh.txt"},
       {"ns3", "ns3_ring.txt"},
       {"floogen", "floogen_mesh.yml"},
       {"noxim", "noxim_mesh.yaml"}}};
  for (const auto& [format, file] : kExamples) {
    SCOPED_TRACE(format);
    const Outcome made = run_fredsim({"import", format, kFiles + file});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.out.find(std::string("# Made from ") + file), 0U) << made.out;
    EXPECT_GT(cycles_of(write("my.yaml", made.out)), 0U);
  }
}

TEST_F(Import, RingHasTheCyclesOfOurOwn) {
  const std::string file = path("ring.yaml");
  const Outcome made = run_fredsim({"import", "ns3", kFiles + "ns3_ring.txt", "-o", file});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, "");
  std::string own =
      "name: own\nclock: auto\nfabric:\n  type: graph\n  nodes: [{name: n, kind: npu, count: 8}]\n"
      "  links:\n";
  for (int i = 0; i < 8; ++i)
    own += "  - {from: n" + std::to_string(i) + ", to: n" + std::to_string((i + 1) % 8) +
           ", bandwidth: 50 GB/s, latency: 500 ns}\n";
  EXPECT_EQ(cycles_of(file), cycles_of(write("own.yaml", own)));
}

TEST_F(Import, SaysWhatHasNoEffect) {
  const Outcome made = run_fredsim({"import", "nccl", kFiles + "nccl_box.xml"});
  EXPECT_NE(made.err.find("fredsim: nic: NICs, 1 here, are left out"), std::string::npos)
      << made.err;
  EXPECT_NE(made.out.find("#   nic: NICs, 1 here, are left out"), std::string::npos) << made.out;
}

TEST_F(Import, RefusesWithoutAFile) {
  const std::string file = path("no.yaml");
  const std::string cut = write("cut.xml", "<system>\n<cpu>\n");
  expect_refused(run_fredsim({"import", "nccl", cut, "-o", file}),
                 {"cut.xml:2", "found", "allowed"});
  EXPECT_FALSE(std::filesystem::exists(file));
  expect_refused(run_fredsim({"import", "nccl", "none.xml"}), {"none.xml", "allowed"});
  expect_refused(run_fredsim({"import", "rccl", cut}), {"FORMAT", "'rccl'", "nccl"});
}

TEST_F(Import, DotHasNodesAndLinks) {
  const Outcome dot = run_fredsim({"info", "configs/systems/own_box.yaml", "--dot", "-"});
  ASSERT_EQ(dot.exit_code, 0) << dot.err;
  EXPECT_EQ(dot.out.find("digraph \"own_box\" {\n"), 0U) << dot.out;
  EXPECT_NE(dot.out.find("  \"npu7\" [label=\"npu7\", shape=box];\n"), std::string::npos);
  EXPECT_NE(dot.out.find("  \"npu0\" -> \"sw\" [dir=none, label=\"450 GB/s\"];\n"),
            std::string::npos)
      << dot.out;
  expect_refused(run_fredsim({"info", "fred_d", "--dot", "-", "--parts"}), {"--dot", "--parts"});
}

}  // namespace
}  // namespace fredsim
