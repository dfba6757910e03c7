// SPDX-License-Identifier: Apache-2.0
#include "rtl/cover_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace fredsim {

std::map<std::string, std::set<std::string>> cover_points() {
  static const std::regex kPoint(R"((\w+)\s*:\s*cover\s*\()");
  std::map<std::string, std::set<std::string>> points;
  for (const auto& file : std::filesystem::recursive_directory_iterator("rtl")) {
    if (file.path().extension() != ".sv") continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find("//"));
      std::smatch found;
      if (std::regex_search(line, found, kPoint)) points[file.path().stem()].insert(found[1]);
    }
  }
  return points;
}

std::map<std::string, std::set<std::string>> modules_by_test() {
  std::map<std::string, std::set<std::string>> tests;
  std::ifstream lines("tests/rtl/cover_points.txt");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string test;
    words >> test;
    for (std::string module; words >> module;) tests[test].insert(module);
  }
  return tests;
}

void expect_reached(const std::map<std::string, std::uint64_t>& counts, const std::string& test) {
  const auto points = cover_points();
  const auto tests = modules_by_test();
  ASSERT_TRUE(tests.contains(test)) << test;
  for (const std::string& module : tests.at(test)) {
    ASSERT_TRUE(points.contains(module)) << module;
    for (const std::string& label : points.at(module)) {
      std::string point = module + ".sv ";
      const auto count = counts.find(point.append(label));
      EXPECT_TRUE(count != counts.end() && count->second > 0) << module << ": " << label;
    }
  }
}

}  // namespace fredsim
