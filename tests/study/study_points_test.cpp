// SPDX-License-Identifier: Apache-2.0
#include "study/study_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "study/studies.h"
#include "support/random_range.h"
#include "topology/support.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

Words points_of(const std::string& text) { return lines_of(StudyFile(text).read()); }

TEST(StudyPoints, AreTheProductInOrder) {
  EXPECT_EQ(points_of("machines: [a, b]\nrun: {collective: reduce, size: [1, 2]}\nseeds: [3, 4]\n"),
            (Words{"run a --collective=reduce --size=1 --seed=3",
                   "run a --collective=reduce --size=1 --seed=4",
                   "run a --collective=reduce --size=2 --seed=3",
                   "run a --collective=reduce --size=2 --seed=4",
                   "run b --collective=reduce --size=1 --seed=3",
                   "run b --collective=reduce --size=1 --seed=4",
                   "run b --collective=reduce --size=2 --seed=3",
                   "run b --collective=reduce --size=2 --seed=4"}));
}

TEST(StudyPoints, WorksComeOneAfterTheOther) {
  EXPECT_EQ(
      points_of("machines: [a]\ntraffic: {rate: 0.1}\nrun:\n- size: [1, 2]\n- work: w.yaml\n"),
      (Words{"traffic a --rate=0.1", "run a --size=1", "run a --size=2", "run a --work=w.yaml"}));
}

TEST(StudyPoints, SettingsOfAMachineTakeThePlaceOfThoseOfAll) {
  EXPECT_EQ(points_of("machines:\n- a\n- {file: b, settings: {npu.count: [2, 3], io.count: 1}}\n"
                      "settings: {npu.count: 4, switch.kind: fred}\nrun:\n"),
            (Words{"run a --set npu.count=4 --set switch.kind=fred",
                   "run b --set switch.kind=fred --set npu.count=2 --set io.count=1",
                   "run b --set switch.kind=fred --set npu.count=3 --set io.count=1"}));
}

TEST(StudyPoints, FlagsAndRepeatedOptions) {
  EXPECT_EQ(points_of("machines: [a]\nrun: {no-skip: [true, false], group: [[0-1, 2-3], all]}\n"),
            (Words{"run a --no-skip --group=0-1 --group=2-3", "run a --no-skip --group=all",
                   "run a --group=0-1 --group=2-3", "run a --group=all"}));
}

TEST(StudyPoints, ZippedAxesGoTogether) {
  EXPECT_EQ(
      points_of("machines: [a]\nrun: {size: [1, 2], lanes: [3, 4], collective: [x, y]}\n"
                "zip: [[collective, size]]\n"),
      (Words{"run a --size=1 --collective=x --lanes=3", "run a --size=1 --collective=x --lanes=4",
             "run a --size=2 --collective=y --lanes=3",
             "run a --size=2 --collective=y --lanes=4"}));
  EXPECT_EQ(points_of("machines: [a]\nrun: {size: [1, 2]}\ntraffic: {rate: 1}\nseeds: [3, 4]\n"
                      "settings: {npu.count: [5, 6]}\nzip: [[seed, npu.count]]\n")
                .size(),
            6U);
  expect_parts(
      refused_points("machines: [a]\nrun: {size: [1, 2], lanes: 3}\nzip: [[size, lanes]]\n"),
      {":3: zip: found 2 values of size and 1 of lanes; allowed: as many of each"});
  expect_parts(
      refused_points(
          "machines: [a]\nrun:\n- {size: 1, lanes: 2}\n- {size: 1}\nzip: [[size, lanes]]\n"),
      {":5: zip: found no axis lanes for run on a"});
}

TEST(StudyPoints, ExclusionsLeaveOut) {
  EXPECT_EQ(points_of("machines: [a, b]\nrun: {size: [1, 2, 3]}\ntraffic: {rate: 1}\n"
                      "exclude:\n- {machine: a, size: [2, 3]}\n- {command: traffic, machine: b}\n"),
            (Words{"run a --size=1", "run b --size=1", "run b --size=2", "run b --size=3",
                   "traffic a --rate=1"}));
  expect_parts(refused_points("machines: [a]\nrun: {size: [1, 2]}\nexclude: [{machine: a}]\n"),
               {":3: exclude: found that all 2 points are left out"});
}

TEST(StudyPoints, AMillionAreAllowedAndNotOneMore) {
  const std::string thousand = [] {
    std::string list;
    for (int i = 0; i < 1000; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
    return list;
  }();
  const std::string text =
      "machines: [a]\nrun:\n  size: [" + thousand + "]\n  lanes: [" + thousand + "]\n";
  const StudyFile file(text);
  const Study study = file.read();
  const StudyPoints points(study);
  EXPECT_EQ(points.size(), 1'000'000U);
  EXPECT_EQ(line_of(points[999'999]), "run a --size=999 --lanes=999");
  expect_parts(refused_points(text + "traffic:\n"),
               {":5: traffic: found a product of more than 1000000 points, with those before it"});
  const std::string huge = text + "  work: [" + thousand + "]\n  collective: [" + thousand +
                           "]\n  trace: [" + thousand + "]\n  group: [" + thousand +
                           "]\nseeds: 1:1000\n";
  expect_parts(refused_points(huge), {":2: run: found a product of more than 1000000 points"});
  expect_parts(refused_points(text + "seeds: [1, 2]\nexclude: [{seed: 2}]\n"),
               {":2: run: found a product"});
}

using Assignment = std::map<std::string, std::string>;

// The axes of a random study of one work, and all that a point of it may be, by counting in another
// way than the product does.
struct RandomStudy {
  std::string text = "machines: [a]\n";
  std::vector<std::pair<std::string, int>> axes;  // name and number of values
  std::vector<std::string> zipped;
  std::vector<Assignment> excluded;

  explicit RandomStudy(Random& random) {
    using test::random_between;
    const int zip_length = random_between(random, 1, 3);
    std::string settings, options;
    const auto values = [&](const std::string& name, bool may_zip) {
      const bool is_zipped = may_zip && random.below(3) == 0;
      const int number = is_zipped ? zip_length : random_between(random, 1, 3);
      if (is_zipped) zipped.push_back(name);
      axes.emplace_back(name, number);
      std::string list;
      for (int i = 0; i < number; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
      return list;
    };
    for (const char* name : {"npu.count", "io.count", "fabric.width"})
      if (random.below(2) == 0) settings += std::string(name) + ": [" + values(name, true) + "], ";
    for (const char* name : {"size", "lanes", "collective"})
      options += std::string(name) + ": [" + values(name, true) + "], ";
    if (!settings.empty()) text += "settings: {" + settings + "}\n";
    text += "run: {" + options + "}\n";
    if (random.below(2) == 0) text += "seeds: [" + values("seed", true) + "]\n";
    if (zipped.size() == 1) {  // a zip has two axes or more
      zipped.clear();
    }
    if (!zipped.empty()) {
      text += "zip: [[";
      for (const std::string& name : zipped) text += (name == zipped.front() ? "" : ", ") + name;
      text += "]]\n";
    }
    for (int n = random_between(random, 0, 2); n > 0; --n) {
      Assignment& one = excluded.emplace_back();
      for (const auto& [name, number] : axes)
        if (random.below(2) == 0) one[name] = std::to_string(random_between(random, 0, number - 1));
      if (one.empty()) excluded.pop_back();
    }
    if (excluded.empty()) return;
    text += "exclude:\n";
    for (const Assignment& one : excluded) {
      text += "- {";
      for (const auto& [name, value] : one) text += name + ": " + value + ", ";
      text += "}\n";
    }
  }

  bool is_zipped(const std::string& name) const {
    return std::ranges::find(zipped, name) != zipped.end();
  }

  std::vector<Assignment> expected() const {
    std::vector<Assignment> all{{}};
    for (const auto& [name, number] : axes) {
      std::vector<Assignment> longer;
      for (const Assignment& one : all) {
        for (int i = 0; i < number; ++i) {
          longer.push_back(one);
          longer.back()[name] = std::to_string(i);
        }
      }
      all = std::move(longer);
    }
    std::erase_if(all, [&](const Assignment& one) {
      const bool goes_together = std::ranges::all_of(
          zipped, [&](const std::string& name) { return one.at(name) == one.at(zipped.front()); });
      return !goes_together || std::ranges::any_of(excluded, [&](const Assignment& left_out) {
        return std::ranges::all_of(
            left_out, [&](const auto& part) { return one.at(part.first) == part.second; });
      });
    });
    return all;
  }
};

TEST(StudyPoints, AreThoseThatCountingFinds) {
  int with_points = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const RandomStudy random_study(random);
    std::vector<Assignment> expected = random_study.expected();
    const StudyFile file(random_study.text);
    if (expected.empty()) {
      expect_parts(refused_points(random_study.text), {"all ", " points are left out"});
      continue;
    }
    ++with_points;
    const Study study = file.read();
    const StudyPoints points(study);
    std::vector<Assignment> found;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Assignment& one = found.emplace_back();
      for (const auto& [name, number] : random_study.axes) one[name] = *value_of(points[i], name);
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << "seed " << seed << "\n" << random_study.text;
  }
  EXPECT_GT(with_points, 250);
}

}  // namespace
}  // namespace fredsim
