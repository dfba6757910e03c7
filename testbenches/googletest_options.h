// GoogleTest's own options, --gtest_…, on the command line of a testbench that has options, too.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/program_options.h"

namespace fredsim {

inline constexpr const char* kGoogleTestMeaning =
    "GoogleTest's options are passed on: --gtest_list_tests, --gtest_filter=PATTERN,\n"
    "--gtest_repeat=N, --gtest_brief=1 and so on; --gtest_help lists them.";

// As ProgramOptions::parse, after GoogleTest has taken its own ones out.
inline std::optional<int> parse_with_googletest(ProgramOptions& options, int argc, char** argv) {
  std::vector<char*> ours;
  std::vector<char*> theirs{argv[0]};
  for (int i = 1; i < argc; ++i) {
    (std::string_view(argv[i]).starts_with("--gtest_") ? theirs : ours).push_back(argv[i]);
  }
  if (const std::optional<int> end = options.parse(ours)) return end;
  const bool asks_for_help =
      std::ranges::find(theirs, std::string_view("--gtest_help")) != theirs.end();
  int count = static_cast<int>(theirs.size());
  theirs.push_back(nullptr);
  testing::InitGoogleTest(&count, theirs.data());
  if (count > 1 && !asks_for_help) {
    fmt::print(stderr,
               "{}: found '{}'; allowed: an option of GoogleTest (--gtest_help lists them)\n",
               options.name(), theirs[1]);
    return 2;
  }
  return std::nullopt;
}

}  // namespace fredsim
