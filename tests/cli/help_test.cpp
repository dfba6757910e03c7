// SPDX-License-Identifier: Apache-2.0
// --help: fits a page, and its examples work as they are typed.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

const Words kCommands{"run",       "compare",    "calibrate", "train",  "optimize",
                      "traffic",   "new",        "info",      "doctor", "route",
                      "conflicts", "strategies", "report",    "schema", "help"};

// The command lines of a help text, without the program and a file for its output; a line that ends in \ goes on.
std::vector<Words> examples_of(const std::string& help) {
  std::vector<Words> examples;
  bool goes_on = false;
  for (const std::string& line : lines_of(help)) {
    std::istringstream stream(line);
    std::string word;
    if (!goes_on && !(stream >> word && word == "build/fredsim")) continue;
    if (!goes_on) examples.emplace_back();
    goes_on = line.ends_with(" \\");
    while (stream >> word && word != ">")
      if (word != "\\") examples.back().push_back(word);
  }
  return examples;
}

Words help_of(const std::string& command) {
  return command.empty() ? Words{"--help"} : Words{command, "--help"};
}

TEST(Help, LinesEndBeforeTheEdge) {
  for (const char* columns : {"60", "80", "132"}) {
    for (const std::string command :
         {"", "run", "compare", "train", "optimize", "traffic", "new", "info", "doctor", "route",
          "conflicts", "strategies", "report", "schema"}) {
      const Outcome help = run_fredsim(help_of(command), {.columns = columns});
      EXPECT_EQ(help.exit_code, 0) << help.err;
      const std::size_t limit = std::min<std::size_t>(std::stoul(columns), 100);
      bool is_example = false;  // whole, to be copied
      for (const std::string& line : lines_of(help.out)) {
        is_example = line.starts_with("  build/fredsim ") || (is_example && line.starts_with("  "));
        EXPECT_LE(display_width(line), is_example ? 80 : limit) << command << ": " << line;
      }
    }
  }
}

TEST(Help, NamesEveryCommandAndAFirstExample) {
  const std::string help = run_fredsim({"--help"}).out;
  for (const std::string& command : kCommands)
    EXPECT_NE(help.find("\n  " + command + " "), std::string::npos) << command << help;
  EXPECT_EQ(examples_of(help).size(), 1U) << help;
}

class HelpExamples : public FolderTest, public testing::WithParamInterface<std::string> {
 protected:
  HelpExamples() : top_(std::filesystem::current_path()) {
    std::filesystem::create_directory_symlink(top_ / "configs", folder_ / "configs");
    std::filesystem::current_path(folder_);  // folder for files that they write
  }
  ~HelpExamples() override { std::filesystem::current_path(top_); }

 private:
  std::filesystem::path top_;
};

TEST_P(HelpExamples, WorkAsTheyAreTyped) {
  const std::vector<Words> examples = examples_of(run_fredsim({GetParam(), "--help"}).out);
  ASSERT_FALSE(examples.empty());
  EXPECT_EQ(examples.back().front(), GetParam());
  for (const Words& words : examples) {
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << testing::PrintToString(words) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpExamples, testing::ValuesIn(kCommands),
                         [](const auto& command) { return command.param; });

}  // namespace
}  // namespace fredsim
