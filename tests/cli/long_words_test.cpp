// SPDX-License-Identifier: Apache-2.0
// Words of 70 KB, in options, keys, values and files: no message repeats more than 200 characters
// of one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

constexpr std::size_t kLength = 70'000;
constexpr std::size_t kMaxRepeated = 200;

// Long words without blanks: of words, of digits, a list, with characters that are special in YAML
// and JSON.
std::vector<std::string> long_words() {
  std::string text, list;
  for (int i = 0; text.size() < kLength; ++i) text += "word" + std::to_string(i) + " ";
  for (int i = 0; list.size() < kLength; ++i) list += std::to_string(1'000'000 + i) + ",";
  return {std::string(kLength, 'x'), text, std::string(kLength, '7'), list + "0"};
}

class LongWordsTest : public FolderTest {
 protected:
  static void expect_short(const std::vector<std::string>& arguments, const std::string& word) {
    const Outcome outcome = run_fredsim(arguments);
    const std::string place = arguments[0] + " " + arguments[arguments.size() > 2 ? 2 : 0];
    EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << place.substr(0, 100);
    for (std::size_t at = 0; at + kMaxRepeated + 1 <= word.size(); at += 50) {
      if (outcome.err.find(word.substr(at, kMaxRepeated + 1)) == std::string::npos) continue;
      ADD_FAILURE() << place.substr(0, 100) << ": " << outcome.err.substr(0, 400);
      return;
    }
    EXPECT_LT(outcome.err.size(), 4000U) << place.substr(0, 100);
  }
};

TEST_F(LongWordsTest, OfTheCommandLine) {
  const std::string mesh = "configs/mesh_2x2.yaml";
  for (const std::string& word : long_words()) {
    expect_short({word}, word);
    expect_short({"run", word}, word);
    expect_short({"run", mesh, "--" + word, "1"}, word);
    expect_short({"run", fmt::format("{}@{}", mesh, word)}, word);
    expect_short({"run", fmt::format("{}@name={}", mesh, word)}, word);
    expect_short({"report", word}, word);
    for (const char* option :
         {"--collective",   "--size",          "-b",          "--group",          "--algorithm",
          "--model",        "--lanes",         "--seed",      "--threads",        "--set",
          "--fault",        "--json",          "--timeline",  "--timeline-level", "--work",
          "--placement",    "--strategy",      "--dimension", "--wave",           "--wave-window",
          "--wave-trigger", "--rtl-instances", "--format",    "--trace-packets",  "--priority",
          "--on-conflict",  "--packet-order"}) {
      expect_short({"run", mesh, option, word, "--quiet"}, word);
    }
    expect_short({"run", mesh, "--collective", "all_to_all_v", "--matrix", word}, word);
    expect_short({"run", mesh, "--wave", path("w.fst"), "--wave-scope", word}, word);
    for (const char* key : {word.c_str(), "fabric", "fabric.width", "switch.kind", "clock"}) {
      expect_short({"info", mesh, "--set", std::string(key) + "=" + word}, word);
      expect_short({"info", mesh, "--set", "fabric." + std::string(key) + "=[" + word + "]"}, word);
    }
    for (const char* option : {"--workload", "--trace", "--mp", "--gradients", "--fit",
                               "--compute-rate", "--phase", "--export-et", "--placement"}) {
      expect_short({"train", mesh, option, word}, word);
    }
    for (const char* option : {"--pattern", "--rate", "--cycles"})
      expect_short({"traffic", mesh, option, word}, word);
    expect_short({"route", "--ports", "8", "--middle", "3", word}, word);
    expect_short({"conflicts", "--ports", word, "--middle", "3", "--flows", "2"}, word);
    expect_short({"strategies", "configs/fred_small.yaml", "--middle", word}, word);
  }
}

TEST_F(LongWordsTest, OfFiles) {
  const std::string mesh = "configs/mesh_2x2.yaml";
  for (const std::string& word : long_words()) {
    const std::string quoted = "\"" + word + "\"";
    for (const std::string& text :
         {word, quoted + ": 1\n", "name: " + quoted + "\n", "name: m\nclock: " + quoted + "\n",
          "name: m\nfabric: {type: " + quoted + "}\n", "name: m\nfaults: [" + quoted + "]\n",
          "name: [" + quoted}) {
      const std::string file = write("m.yaml", text);
      expect_short({"info", file}, word);
      expect_short({"train", mesh, "--workload", file}, word);
      expect_short({"run", mesh, "--work", file}, word);
      expect_short({"run", mesh, "--placement", file}, word);
      expect_short({"run", mesh, "--collective", "all_to_all_v", "--matrix", file}, word);
    }
    for (const char* key : {"collective", "size", "groups", "name", "after", "priority", "repeat"})
      expect_short({"run", mesh, "--work",
                    write("w.yaml", "- {" + std::string(key) + ": " + quoted + "}\n")},
                   word);
    expect_short({"run", mesh, "--collective", "all_to_all_v", "--matrix",
                  write("m.json", "[[" + quoted + "]]")},
                 word);
    expect_short({"train", mesh, "--workload", write("w.txt", fmt::format("{0}\n1\n{0}\n", word))},
                 word);
    expect_short({"report", write("r.json", "{" + quoted + ": 1}")}, word);
    expect_short({"report", write("r.json", R"({"runs": [{"config": )" + quoted + "}]}")}, word);
  }
}

}  // namespace
}  // namespace fredsim
