// SPDX-License-Identifier: Apache-2.0
// Every target of the fuzzers: its seeds are accepted, mutated ones do no harm, and so do inputs
// that once did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "targets.h"

namespace fredsim::fuzz {
namespace {

struct Outcome {
  bool accepted = false;
  std::string fault{};  // empty: none
};

// Help and the reports of switches and machines go to standard output.
Outcome give(const Target& target, const std::string& input) {
  testing::internal::CaptureStdout();
  Outcome outcome;
  try {
    outcome.accepted = target.accepts(input);
  } catch (const std::exception& error) {
    outcome.fault = error.what();
  }
  testing::internal::GetCapturedStdout();
  return outcome;
}

class Targets : public testing::TestWithParam<Target> {};

// Changes, removes, doubles or replaces some bytes by characters that end numbers and words.
std::string mutated(std::string text, Random& random) {
  static const std::vector<std::string> kWords = {"0",
                                                  "-1",
                                                  "18446744073709551616",
                                                  "1e999",
                                                  "nan",
                                                  "\xff",
                                                  std::string(1, '\0'),
                                                  "[",
                                                  "{",
                                                  "\n",
                                                  ": ",
                                                  "é"};
  for (std::uint64_t changes = 1 + random.below(4); changes != 0; --changes) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t size = std::min<std::size_t>(random.below(8), text.size() - at);
    switch (random.below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(at, size));
        break;
      default:
        text.replace(at, size, kWords[random.below(kWords.size())]);
    }
  }
  return text;
}

TEST_P(Targets, AcceptsItsSeeds) {
  const std::vector<std::string> seeds = GetParam().seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) {
    const Outcome outcome = give(GetParam(), seed);
    EXPECT_TRUE(outcome.accepted) << outcome.fault << "\n" << seed;
  }
}

TEST_P(Targets, AreNotHarmedByMutatedSeeds) {
  constexpr int kTimes = 300;
  for (std::uint64_t seed = 1; seed <= kTimes; ++seed) {
    Random random(seed);
    const std::vector<std::string> seeds = GetParam().seeds();
    const std::string text = mutated(seeds[random.below(seeds.size())], random);
    EXPECT_EQ(give(GetParam(), text).fault, "") << "seed " << seed << ":\n" << text;
  }
}

// tests/fuzz/found/TARGET/*: inputs that a fuzzer found, fixed since.
TEST(Found, DoesNoHarmAnyMore) {
  int found = 0;
  for (const Target& target : targets()) {
    const std::filesystem::path folder = std::filesystem::path("tests/fuzz/found") / target.name;
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      std::ostringstream text;
      text << std::ifstream(file.path(), std::ios::binary).rdbuf();
      EXPECT_EQ(give(target, text.str()).fault, "") << file.path();
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Targets, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace fredsim::fuzz
