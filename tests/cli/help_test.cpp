// SPDX-License-Identifier: Apache-2.0
// --help: fits a page, and its examples work as they are typed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

const Words kCommands{"run",        "compare", "calibrate", "train", "astra",  "sweep", "optimize",
                      "traffic",    "new",     "import",    "info",  "doctor", "route", "conflicts",
                      "strategies", "report",  "schema",    "trace", "help"};

constexpr std::size_t kExamples = 2;  // examples in --help

// The command lines of a help text, without the program and a file for its output; a line that ends
// in \ goes on.
std::vector<Words> examples_of(const std::string& help) {
  std::vector<Words> examples;
  bool goes_on = false;
  for (const std::string& line : lines_of(help)) {
    std::istringstream stream(line);
    std::string word;
    if (!goes_on && !(line.starts_with("  ") && stream >> word && word == "fredsim")) continue;
    if (!goes_on) examples.emplace_back();
    goes_on = line.ends_with(" \\");
    while (stream >> word && word != ">")
      if (word != "\\") examples.back().push_back(word);
  }
  return examples;
}

Words help_of(const std::string& command, const std::string& option = "--help") {
  return command.empty() ? Words{option} : Words{command, option};
}

// The program, then its commands.
Words all_topics() {
  Words topics{""};
  topics.insert(topics.end(), kCommands.begin(), kCommands.end());
  return topics;
}

// Options that a help text describes, by their first names.
std::set<std::string> options_of(const std::string& help) {
  std::set<std::string> options;
  for (const std::string& line : lines_of(help)) {
    if (!line.starts_with("  -")) continue;
    options.insert(line.substr(2, line.find_first_of(" ,", 2) - 2));
  }
  return options;
}

TEST(Help, LinesEndBeforeTheEdge) {
  for (const char* columns : {"60", "80", "132"}) {
    for (const std::string& command : all_topics()) {
      for (const char* option : {"--help", "--help-all"}) {
        const Outcome help = run_fredsim(help_of(command, option), {.columns = columns});
        EXPECT_EQ(help.exit_code, 0) << help.err;
        const std::size_t limit = std::min<std::size_t>(std::stoul(columns), 100);
        bool is_example = false;  // whole, to be copied
        for (const std::string& line : lines_of(help.out)) {
          is_example = line.starts_with("  fredsim ") || (is_example && line.starts_with("  "));
          EXPECT_LE(display_width(line), is_example ? 80 : limit) << command << ": " << line;
        }
      }
    }
  }
}

TEST(Help, FitsAScreen) {
  constexpr std::size_t kLines = 40;
  for (const std::string& command : all_topics()) {
    const Outcome help = run_fredsim(help_of(command), {.columns = "80"});
    EXPECT_LE(lines_of(help.out).size(), kLines) << help.out;
    EXPECT_LE(examples_of(help.out).size(), kExamples) << help.out;
  }
}

// Options that --help leaves out are in --help-all, which has all options of the reference and of
// the manual page.
TEST(Help, AllHasTheOptionsOfTheReference) {
  const std::string reference = run_fredsim({"help", "--markdown"}).out;
  for (const std::string& command : kCommands) {
    const std::set<std::string> all = options_of(run_fredsim(help_of(command, "--help-all")).out);
    const std::string man = run_fredsim({"help", "--man", command}).out;
    const std::set<std::string> main = options_of(run_fredsim(help_of(command)).out);
    EXPECT_TRUE(std::ranges::includes(all, main)) << command;
    EXPECT_TRUE(all.contains("--help-all") && all.contains("-h")) << command;
    const std::size_t begin = reference.find("\n## fredsim " + command + "\n");
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string section = reference.substr(begin, reference.find("\n## ", begin + 1) - begin);
    std::size_t count = 0;
    for (const std::string& line : lines_of(section))
      count += static_cast<std::size_t>(line.starts_with("| `-"));
    EXPECT_EQ(count, all.size()) << command;
    for (const std::string& option : all) {
      EXPECT_NE(section.find("| `" + option), std::string::npos) << command << option;
      std::string roff;  // with its hyphens
      for (const char c : option) roff += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(man.find(".B " + roff), std::string::npos) << command << option;
    }
  }
}

TEST(Help, AllIsInGroups) {
  const std::string help = run_fredsim({"run", "--help-all"}).out;
  std::size_t at = 0;
  for (const char* group :
       {"Work", "Placement", "Systems", "Model", "Limits", "Output", "Waves", "Machine", "Help"}) {
    const std::size_t found = help.find(std::string("\n\n") + group + ":\n");
    ASSERT_NE(found, std::string::npos) << group << help;
    EXPECT_GT(found, at) << group;
    at = found;
  }
  EXPECT_EQ(run_fredsim({"help", "run", "--all"}).out, help);
}

// Name by which a shell finds it: an installed program by its name, one of a build by its path.
TEST(Help, ExamplesNameTheProgramAsItWasCalled) {
  using Called = std::pair<const char*, const char*>;
  for (const auto& [called, shown] :
       {Called{"fredsim", "fredsim"}, Called{"build/fredsim", "build/fredsim"},
        Called{"./fredsim", "./fredsim"}, Called{"/usr/bin/fredsim", "fredsim"}}) {
    const std::string help = run_fredsim({"run", "--help"}, {.called = called}).out;
    EXPECT_NE(help.find(std::string("\n  ") + shown + " run mesh_2x2 "), std::string::npos) << help;
  }
}

TEST(Help, NamesEveryCommandAndFirstExamples) {
  const std::string help = run_fredsim({"--help"}).out;
  for (const std::string& command : kCommands)
    EXPECT_NE(help.find("\n  " + command + " "), std::string::npos) << command << help;
  EXPECT_EQ(examples_of(help).size(), kExamples) << help;
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
  const std::vector<Words> examples =
      examples_of(run_fredsim(help_of(GetParam(), "--help-all")).out);
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
