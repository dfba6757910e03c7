// SPDX-License-Identifier: Apache-2.0
// Command lines of the programs in testbenches/: text of --help, and refused input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

const std::vector<std::string> kPrograms{FREDSIM_TESTBENCHES};

Outcome run(const std::string& program, const std::vector<std::string>& arguments) {
  return RunningProgram(arguments, {.program = program}).wait();
}

// SystemC says who it is on standard error.
std::string last_line(const std::string& text) {
  const std::size_t begin = text.rfind('\n', text.size() - 2);
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

class Testbench : public testing::TestWithParam<std::string> {};

TEST_P(Testbench, HelpSaysWhatItTakesAndFitsAPage) {
  for (const char* option : {"--help", "-h"}) {
    const Outcome help = run(GetParam(), {option});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_NE(help.out.find("Usage: " + GetParam() + " [OPTIONS]"), std::string::npos) << help.out;
    const std::string heading = "Examples, at the top of a checkout:\n  ";
    const std::size_t examples = help.out.find(heading);
    ASSERT_NE(examples, std::string::npos) << help.out;
    const std::string first = help.out.substr(examples + heading.size());
    std::string program;
    std::istringstream(first) >> program;
    EXPECT_EQ(std::filesystem::path(program).filename(), GetParam()) << first;
    EXPECT_NE(help.out.find("default"), std::string::npos) << help.out;
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) {
      const auto width = std::ranges::count_if(
          line, [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; });  // UTF-8
      EXPECT_LE(width, 100) << line;
    }
  }
}

TEST_P(Testbench, WhatItDoesNotKnowIsRefusedWithWhatItDoes) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--hepl"}, {"--help", "--no-such-option"}}) {
    const Outcome outcome = run(GetParam(), arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const std::string message = last_line(outcome.err);
    EXPECT_TRUE(message.starts_with(GetParam() + ": option of ")) << message;
    EXPECT_NE(
        message.find(arguments.front() == "--hepl" ? "; did you mean '--help'?" : "; allowed: -h"),
        std::string::npos)
        << message;
  }
}

TEST_P(Testbench, AFlagTakesNoValue) {
  const Outcome outcome = run(GetParam(), {"--help=3"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(last_line(outcome.err),
            GetParam() + ": --help: found '=3'; allowed: --help alone, it takes no value\n");
}

INSTANTIATE_TEST_SUITE_P(All, Testbench, testing::ValuesIn(kPrograms),
                         [](const auto& program) { return program.param; });

TEST(Testbenches, AreAllHere) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator("testbenches")) {
    const std::string name = entry.path().filename();
    // The first has no program, the second fredsim with one kind more.
    if (name == "tb_custom_switch" || name == "tb_bus_switch") continue;
    if (name.starts_with("tb_")) folders.insert(name);
  }
  EXPECT_EQ(std::set<std::string>(kPrograms.begin(), kPrograms.end()), folders);
}

void expect_message(const std::string& program, const std::vector<std::string>& arguments,
                    const std::string& message) {
  const Outcome outcome = run(program, arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(last_line(outcome.err), program + ": " + message + "\n");
}

TEST(Testbenches, ValuesThatAreNotAllowedAreRefused) {
  expect_message("tb_fp_add", {"--format", "fp8"}, "--format: found 'fp8'; allowed: fp16 or bf16");
  expect_message("tb_fp_add", {"--pairs", "-1"},
                 "--pairs: found '-1'; allowed: a whole number, 0 to 18446744073709551615");
  expect_message("tb_fp_add", {"bf16"}, "found 'bf16', which it does not take (tb_fp_add --help)");
  expect_message("tb_fp_add", {"--wave"}, "--wave: found no value after it; allowed: FILE.fst");
  expect_message("tb_fp_add", {"--wave", ""},
                 "--wave: found no value after it but ''; allowed: FILE.fst");
  expect_message("tb_fred_interconnect", {"--size", "1"},
                 "--size: found '1'; allowed: one of those that --list prints");
  expect_message("tb_flow_speed", {"--only", "x"},
                 "--only: found 'x'; allowed: a part of the name of a load, as without it");
  expect_message(
      "tb_fred_switch", {"--lockstep", "x"},
      "--lockstep CYCLES: found 'x'; allowed: a whole number, 1 to 18446744073709551615");
  expect_message(
      "tb_mesh_router", {"--lockstep", "0"},
      "--lockstep CYCLES: found '0'; allowed: a whole number, 1 to 18446744073709551615");
  expect_message("tb_mesh_router", {"--lockstep", "9", "8", "7"},
                 "--lockstep: found 3 values; allowed: 1 to 2 (tb_mesh_router --help)");
  expect_message(
      "tb_mesh_router", {"--bench", "--wave", "w.fst"},
      "--bench: found together with --wave; allowed: one of them (tb_mesh_router --help)");
  expect_message("tb_mesh_scaling", {"0"},
                 "CYCLES: found '0'; allowed: a whole number, 1 to 2147483647");
  expect_message("tb_plan_time", {"none.yaml"},
                 "none.yaml: cannot be read: No such file or directory");
  expect_message("tb_rounding", {},
                 "found no CONFIG:ALGORITHM; allowed: 1 or more (tb_rounding --help)");
  expect_message("tb_rounding", {"m.yaml:ring", "--seed", "1", "--seed", "2"},
                 "--seed: found 2 values; allowed: one (tb_rounding --help)");
  expect_message("tb_own_npu", {"--model", "verilog"},
                 "--model: found 'verilog'; did you mean 'rtl'?");
}

TEST(Testbenches, WorkOnASwitchIsNamed) {
  expect_message(
      "tb_fred_switch", {},
      "found no option; allowed: --lockstep, --online or --wave (tb_fred_switch --help)");
  expect_message("tb_mesh_router", {},
                 "found no option; allowed: --lockstep, --bench or --wave (tb_mesh_router --help)");
  expect_message("tb_voq_crossbar", {},
                 "found no option; allowed: --lockstep or --uniform (tb_voq_crossbar --help)");
  for (const char* program : {"tb_fred_switch", "tb_mesh_router", "tb_voq_crossbar"})
    EXPECT_EQ(run(program, {"--lockstep", "1", "3"}).exit_code, 0);
}

}  // namespace
}  // namespace fredsim
