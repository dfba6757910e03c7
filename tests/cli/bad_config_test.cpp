// SPDX-License-Identifier: Apache-2.0
// Bad machine files: a good one with one error. Each is refused with exit code 2 and one line with
// the file, the value found and the allowed values.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "base/shell.h"
#include "support/program.h"

namespace fredsim {
namespace {

struct BadConfig {
  const char* name;
  const char* good;  // file in configs/
  std::string from;  // text in it, replaced by `to`
  std::string to;
  std::vector<std::string> words;  // words in the message
};

void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.name; }

class BadConfigTest : public FolderTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigTest, IsRefused) {
  const BadConfig& bad = GetParam();
  std::string text = read_text(std::string("configs/") + bad.good);
  const std::size_t place = text.find(bad.from);
  ASSERT_NE(place, std::string::npos) << "configs/" << bad.good << " has no '" << bad.from << "'";
  text.replace(place, bad.from.size(), bad.to);
  const std::string file = write("bad.yaml", text);
  std::vector<std::string> words = bad.words;
  words.push_back(file);
  expect_refused(run_fredsim({"run", file, "--json", path("r.json")}), words);
  expect_refused(run_fredsim({"info", file}), words);
  EXPECT_EQ(files(), std::vector<std::string>{"bad.yaml"}) << "no result file";
}

const std::vector<BadConfig>& bad_configs() {
  static const std::vector<BadConfig> kCases{
      {"BrokenYaml", "mesh_2x2.yaml", "fabric:\n", "fabric: [\n", {}},
      {"MisspeltKey",
       "mesh_2x2.yaml",
       "link_bandwidth",
       "link_bandwith",
       {"link_bandwith", "'link_bandwidth'"}},
      {"MisspeltSection", "mesh_2x2.yaml", "fabric:\n", "fabrik:\n", {"fabrik", "'fabric'"}},
      {"UnitMissing", "mesh_2x2.yaml", "750 GB/s", "750", {"link_bandwidth", "750", "GB/s"}},
      {"UnitUnknown", "mesh_2x2.yaml", "750 GB/s", "750 GX/s", {"link_bandwidth", "GX/s"}},
      {"UnitOfAnotherQuantity", "mesh_2x2.yaml", "20 ns", "20 GB/s", {"link_latency", "GB/s"}},
      {"BufferZero", "mesh_2x2.yaml", "40 KiB", "0 KiB", {"input_buffer", "0 KiB"}},
      {"BufferNegative", "mesh_2x2.yaml", "40 KiB", "-4 KiB", {"input_buffer", "-4 KiB"}},
      {"BufferAbsurd", "mesh_2x2.yaml", "40 KiB", "40 GB", {"input_buffer", "65535 flits"}},
      {"BandwidthZero", "mesh_2x2.yaml", "750 GB/s", "0 GB/s", {"link_bandwidth"}},
      {"LatencyAbsurd", "mesh_2x2.yaml", "20 ns", "20000 us", {"link_latency"}},
      {"ClockNegative", "mesh_2x2.yaml", "1.5 GHz", "-1.5 GHz", {"clock"}},
      {"WidthZero", "mesh_2x2.yaml", "width: 2", "width: 0", {"width", "0"}},
      {"WidthIsText", "mesh_2x2.yaml", "width: 2", "width: two", {"width", "two"}},
      {"NpusDoNotMatchTheMesh", "mesh_2x2.yaml", "count: 4", "count: 5", {"count", "5", "4"}},
      {"NpusNegative", "mesh_2x2.yaml", "count: 4", "count: -4", {"count", "-4"}},
      {"IoControllersDoNotMatchTheFaces", "mesh_2x2.yaml", "count: 8", "count: 7", {"count", "7"}},
      {"TypeUnknown", "mesh_2x2.yaml", "mesh2d", "mesh3d", {"mesh3d", "mesh2d"}},
      {"KeyTwice", "mesh_2x2.yaml", "width: 2", "width: 2\n  width: 2", {"width"}},
      {"KeyMissing", "mesh_2x2.yaml", "  height: 2\n", "", {"height"}},
      {"MiddleTooSmall", "fred_small.yaml", "middle: 3", "middle: 1", {"middle", "1", "2", "4"}},
      {"MiddleTooLarge", "fred_small.yaml", "middle: 3", "middle: 5", {"middle", "5", "2", "4"}},
      {"PortsOutOfRange",
       "fred_small.yaml",
       "npus_per_l1: 2",
       "npus_per_l1: 40",
       {"npus_per_l1", "40"}},
      {"NpusDoNotMatchTheTree", "fred_small.yaml", "count: 4", "count: 6", {"count", "6"}},
  };
  return kCases;
}

INSTANTIATE_TEST_SUITE_P(Machine, BadConfigTest, testing::ValuesIn(bad_configs()),
                         [](const auto& one) { return std::string(one.param.name); });

class BadFileTest : public FolderTest {};

TEST_F(BadFileTest, MissingFile) {
  expect_refused(run_fredsim({"run", path("no.yaml")}), {path("no.yaml"), "No such file"});
  expect_refused(run_fredsim({"compare", "configs/mesh_2x2.yaml", path("no.yaml")}),
                 {path("no.yaml"), "No such file"});
}

TEST_F(BadFileTest, FolderInPlaceOfAFile) {
  expect_refused(run_fredsim({"run", folder_.string()}), {folder_.string()});
}

TEST_F(BadFileTest, EmptyFile) {
  expect_refused(run_fredsim({"run", write("empty.yaml", "")}), {"empty.yaml"});
}

TEST_F(BadFileTest, BinaryFile) {
  expect_refused(run_fredsim({"run", FREDSIM_PROGRAM}), {FREDSIM_PROGRAM});
}

TEST_F(BadFileTest, SwitchSizeThatWasNotBuilt) {
  std::string text = read_text("configs/fred_small.yaml");
  text.replace(text.find("output_buffer: 12 KiB"), 21, "output_buffer: 19 KiB");
  const std::string config = write("odd.yaml", text);
  EXPECT_EQ(run_fredsim({"run", config}).exit_code, 0) << "a twin takes any size";
  const Outcome outcome = run_fredsim({"run", config, "--model", "rtl", "--rtl-build", "never"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* word : {"fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=38 FORMAT=0",
                           "-DFREDSIM_EXTRA_SWITCHES="}) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " in " << outcome.err;
  }
}

// The words that a shell makes of a line: one per line.
std::string words_of(const std::string& line) {
  const std::string script = "cmake() { printf '%s\\n' \"$@\"; }\n" + line + "\n";
  std::FILE* pipe = ::popen(("sh -c " + shell_quoted(script)).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0);
  return text;
}

TEST_F(BadFileTest, AllSizesThatTheMachinesLackAreInOneMessage) {
  const Outcome outcome =
      run_fredsim({"compare", "configs/mesh_2x2.yaml", "configs/fred_64.yaml",
                   "configs/fred_small.yaml", "--group", "0-3", "--model", "rtl", "--rtl-build",
                   "never", "--set", "switch.control_buffer=17 KiB", "--json", path("out.json")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "") << "before the first run";
  EXPECT_TRUE(files().empty());
  const std::vector<std::string> sizes{
      "mesh NUM_LOCAL=4 NUM_IO=2 LANES=1 VC_DEPTH=80 CTRL_DEPTH=34",
      "fred P=8 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=34 OUT_DEPTH=24 FORMAT=0",
      "fred P=12 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=34 OUT_DEPTH=24 FORMAT=0",
      "fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=34 OUT_DEPTH=24 FORMAT=0"};
  for (const std::string& size : sizes) {
    EXPECT_NE(outcome.err.find("\n  " + size + "  ("), std::string::npos)
        << size << " in " << outcome.err;
  }
  const std::size_t line = outcome.err.find("  cmake ");
  ASSERT_NE(line, std::string::npos) << outcome.err;
  const std::string words = words_of(outcome.err.substr(line, outcome.err.find('\n', line) - line));
  EXPECT_NE(words.find("\n-DFREDSIM_EXTRA_SWITCHES="), std::string::npos) << words;
  EXPECT_NE(words.find(fmt::format("{}\n--build\n", fmt::join(sizes, ";"))), std::string::npos)
      << words;
}

}  // namespace
}  // namespace fredsim
