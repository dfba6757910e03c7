// SPDX-License-Identifier: Apache-2.0
// Waveform of every testbench: the committed save file fits it, and its values match the output of
// the testbench.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>

#include "base/shell.h"
#include "support/gtkwave_save_file.h"
#include "support/temporary_folder.h"
#include "support/vcd.h"

namespace fredsim {
namespace {

using OnTime = std::function<void(std::uint64_t, const VcdState&)>;

class Waves : public testing::Test {
 protected:
  // Runs a program with waveform wave(); returns its output.
  static std::string run(const std::string& command, int exit_code = 0) {
    const std::string line = shell_quoted(FREDSIM_PROGRAMS) + "/" + command + " 2>&1";
    std::FILE* pipe = ::popen(line.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), exit_code) << line << "\n" << text;
    return text;
  }
  std::string wave() const { return folder_.file("w.fst"); }

  // Reads the waveform and holds the save file of the testbench against it.
  void read(const std::string& testbench, const OnTime& on_time) const {
    const std::string text = run_fst2vcd(wave());
    std::istringstream vcd(text);
    read_vcd(vcd, on_time);
    const std::string save = "testbenches/" + testbench + "/" + testbench + ".gtkw";
    for (const std::string& problem : problems_of_committed(save, vcd_names(text))) {
      ADD_FAILURE() << save << ": " << problem;
    }
  }

  TemporaryFolder folder_;
};

// The number before `what` in a line that a testbench printed.
std::uint64_t said(const std::string& text, const std::string& what) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("(\\d+) " + what))) {
    ADD_FAILURE() << "no number of '" << what << "' in: " << text;
    return ~std::uint64_t{0};
  }
  return std::stoull(found[1]);
}

std::uint64_t ones(const VcdState& values, const std::string& path) {
  return static_cast<std::uint64_t>(std::popcount(values.at(path)));
}

TEST_F(Waves, FpAdd) {
  const std::string text = run("tb_fp_add --wave " + shell_quoted(wave()));
  std::uint64_t pairs = 0;
  std::uint64_t disabled = 0;
  read("tb_fp_add", [&](std::uint64_t time, const VcdState& v) {
    if (time == 0) {
      EXPECT_EQ(v.at("dut/a_i"), 0x3C00U);
      EXPECT_EQ(v.at("dut/b_i"), 0x3C00U);
      EXPECT_EQ(v.at("dut/sum_o"), 0x4000U) << "1 + 1";
    }
    if (v.at("dut/en_i") == 0) {
      EXPECT_EQ(v.at("dut/sum_o"), 0U);
      ++disabled;
    }
    ++pairs;
  });
  EXPECT_EQ(pairs, said(text, "pairs"));
  EXPECT_EQ(disabled, 1U);
}

TEST_F(Waves, FredInterconnect) {
  const std::string text = run("tb_fred_interconnect --wave " + shell_quoted(wave()));
  std::uint64_t cycles = 0;
  std::uint64_t loads = 0;
  std::uint64_t flits = 0;
  read("tb_fred_interconnect", [&](std::uint64_t, const VcdState& v) {
    if (v.at("dut/clk_i") == 0) return;
    ++cycles;
    flits += ones(v, "dut/out_valid_o");
    if (v.at("dut/rst_ni") == 1) loads += v.at("dut/load_i");
  });
  EXPECT_EQ(cycles, said(text, "cycles"));
  EXPECT_EQ(loads, said(text, "configurations loaded"));
  EXPECT_EQ(flits, said(text, "flits out"));
  EXPECT_GT(flits, 100U);
}

// Contents of the wave of a switch that is the instance "dut": cycles, flits in, flits out; which
// stages there were.
struct SwitchWave {
  std::uint64_t cycles = 0, in = 0, out = 0, stages = 0;
  void add(const VcdState& v) {
    EXPECT_EQ(v.at("tb/cycle"), cycles);
    ++cycles;
    in += ones(v, "dut/in_valid_i");
    out += ones(v, "dut/out_valid_o");
    stages |= 1U << v.at("tb/stage");
  }
  void expect(const std::string& text) const {
    EXPECT_EQ(cycles, said(text, "cycles"));
    EXPECT_EQ(in, said(text, "flits in"));
    EXPECT_EQ(out, said(text, "flits out"));
    EXPECT_GT(out, 100U);
    EXPECT_EQ(stages, 0x1FU);
  }
};

TEST_F(Waves, FredSwitch) {
  const std::string text = run("tb_fred_switch --wave " + shell_quoted(wave()));
  SwitchWave wave;
  std::uint64_t additions = 0;
  std::uint64_t phase_changes = 0;
  std::map<std::uint64_t, std::uint64_t> stalls;  // by stage
  std::uint64_t online = 0;
  read("tb_fred_switch", [&](std::uint64_t, const VcdState& v) {
    wave.add(v);
    additions += v.at("dut/fred_switch/i_phased/reductions");
    phase_changes += v.at("dut/fred_switch/load");
    stalls[v.at("tb/stage")] += v.at("dut/fred_switch/i_phased/stall_credit");
    online += ones(v, "dut/fred_switch/i_phased/online_pop");
  });
  wave.expect(text);
  EXPECT_EQ(additions, said(text, "additions"));
  EXPECT_EQ(phase_changes, said(text, "phase changes"));
  EXPECT_GE(phase_changes, 3U) << "first phase, pre-emption and back";
  EXPECT_GT(online, 0U);
  EXPECT_EQ(stalls[1], 0U);
  EXPECT_GT(stalls[4], 0U);
}

TEST_F(Waves, MeshRouter) {
  const std::string text = run("tb_mesh_router --wave " + shell_quoted(wave()));
  SwitchWave wave;
  std::map<std::uint64_t, std::uint64_t> arbiter;  // by stage
  read("tb_mesh_router", [&](std::uint64_t, const VcdState& v) {
    wave.add(v);
    arbiter[v.at("tb/stage")] += v.at("dut/mesh_router/stall_arbiter");
  });
  wave.expect(text);
  EXPECT_EQ(arbiter[1], 0U);
  EXPECT_GT(arbiter[2], 0U);
}

TEST_F(Waves, OwnNpu) {
  run("tb_own_npu --wave " + shell_quoted(wave()) + " configs/mesh_2x2.yaml");
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  read("tb_own_npu", [&](std::uint64_t, const VcdState& v) {
    for (const auto& [path, value] : v.values) {
      if (path.starts_with("links/npu0") && path.ends_with("/valid")) sent += value;
      if (path.find("__npu3_") != std::string::npos && path.ends_with("/arrive")) received += value;
    }
  });
  EXPECT_EQ(sent, 1U + 8 + 80) << "flits of its three messages";
  EXPECT_EQ(received, sent);
}

TEST_F(Waves, CustomSwitch) {
  run("tested/fredsim run configs/fred_small.yaml --size 4KiB --quiet --set "
      "switch.rtl_top=custom_switch --wave " +
      shell_quoted(wave()));
  std::uint64_t flits = 0;
  read("tb_custom_switch", [&](std::uint64_t, const VcdState& v) {
    EXPECT_EQ(v.at("l1_0.s0/custom_switch/valid_q"), v.at("l1_0.s0/in_valid_i"))
        << "what an edge found at the input is in the register after it";
    flits += ones(v, "l1_0.s0/custom_switch/valid_q");
  });
  EXPECT_GT(flits, 0U);
}

TEST_F(Waves, SaveFilesThatDoNotFitAreSeen) {
  const std::string save = folder_.file("w.gtkw");
  std::ofstream(save)
      << "[*] a comment\n@800200\n-group\n@28\ndut.gone\ndut.port[0].wide[3:0]\n"
         "+{bit} (0)dut.port[0].wide[2:0]\n#{both} (0)dut.also_gone[1:0] dut.there\n"
         "^1 no/such.filter\ndut.there\n";
  const std::vector<std::string> problems =
      problems_of_committed(save, {{"dut/there", "", 1}, {"dut/port[0]/wide", "[2:0]", 3}});
  const std::vector<std::string> want{"no signal dut.gone", "dut.port[0].wide has 3 bits, not 4",
                                      "no signal dut.also_gone", "no filter file no/such.filter",
                                      "open group group"};
  EXPECT_EQ(problems, want);
}

TEST_F(Waves, WhatCannotBeWrittenIsRefused) {
  for (const std::string program :
       {"tb_fp_add", "tb_fred_interconnect", "tb_fred_switch", "tb_mesh_router", "tb_own_npu"}) {
    for (const std::string arguments : {"", " /no/such/folder/w.fst"}) {
      const std::string text = run(fmt::format("{} --wave{}", program, arguments), 2);
      EXPECT_NE(text.find(arguments.empty() ? "FILE.fst" : "cannot be written"), std::string::npos)
          << text;
    }
  }
}

}  // namespace
}  // namespace fredsim
