// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/member.h"

namespace fredsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kProgram = "fredsim 1 (commit abc)";

CalibratedMachine mesh() {
  const std::vector<MachineKey> keys{{"npu.count", std::int64_t{4}}, {"fabric.type", "mesh2d"}};
  return calibrated_machine("mesh", keys);
}

CalibratedWork two_parts() {
  return {{.algorithm = "ring", .group = {0, 1, io_member(2)}},
          {.collective = Collective::kReduce,
           .algorithm = "in_switch",
           .group = {3, 2},
           .root = 1,
           .vc = kPp,
           .proportion = 3,
           .start = 700}};
}

Calibrator::Calibrations calibrations() {
  Calibration calibration;
  calibration.add_point(kMiB, {0.1, -7});
  calibration.add_point(2 * kMiB, {1.0 / 3, 1e9});
  calibration.add_check(3 * kMiB / 2, Calibration::Checked{1234, 1235});
  return {{two_parts(), calibration}};
}

std::string text() {
  CalibrationFile file(kProgram);
  file.add(mesh(), calibrations());
  return file.text();
}

std::string error_of(const std::string& text, const std::string& program = kProgram,
                     const CalibratedMachine& machine = mesh()) {
  try {
    CalibrationFile(text, "c.json", program).of(machine);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(CalibrationFile, ComesBackAsItWas) {
  const CalibrationFile file(text(), "c.json", kProgram);
  EXPECT_EQ(file.of(mesh()), calibrations());
  EXPECT_EQ(file.text(), text());
}

TEST(CalibrationFile, KeepsWhatItHas) {
  CalibrationFile file(text(), "c.json", kProgram);
  Calibration more;
  more.add_point(4 * kMiB, {1, 2});
  CalibratedWork other_parts = two_parts();
  other_parts.front().algorithm = "tree";
  file.add(mesh(), {{two_parts(), more}, {other_parts, more}});
  file.add({"other", "12"}, {{two_parts(), more}});
  const CalibrationFile again(file.text(), "c.json", kProgram);
  EXPECT_EQ(again.of(mesh()).size(), 2U);
  EXPECT_EQ(again.of(mesh()).at(two_parts()).points().size(), 3U);
  EXPECT_EQ(again.of({"other", "12"}).at(two_parts()), more);
}

TEST(CalibrationFile, RefusesAnotherProgramAndMachine) {
  EXPECT_EQ(error_of(text()), "");
  EXPECT_EQ(error_of(text(), "fredsim 1 (commit abd)"),
            "c.json: found calibrations by fredsim 1 (commit abc); allowed: by this program, "
            "fredsim 1 (commit abd)");
  const std::vector<MachineKey> keys{{"npu.count", std::int64_t{5}}, {"fabric.type", "mesh2d"}};
  const std::string other = error_of(text(), kProgram, calibrated_machine("mesh", keys));
  EXPECT_THAT(other, HasSubstr("found calibrations of mesh (" + mesh().sha256.substr(0, 12) + ")"));
  EXPECT_THAT(other, HasSubstr("allowed: of mesh ("));
  EXPECT_THAT(error_of(text(), kProgram, {"torus", mesh().sha256}), HasSubstr("of torus ("));
}

TEST(CalibrationFile, NamesWhatIsDamaged) {
  EXPECT_THAT(error_of(text().substr(0, text().size() / 2)),
              testing::MatchesRegex("c.json:[0-9]+: found no JSON; allowed: a file that .*"));
  EXPECT_THAT(error_of(""), HasSubstr("c.json:1: found no JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("c.json: the whole file: found []; allowed: an object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("c.json: fredsim_calibration: found nothing"));
  struct Damage {
    const char* place;
    json value;
    const char* message;
  };
  const std::string work = "/machines/0/works/0";
  for (const auto& [place, value, message] : std::vector<Damage>{
           {"/parts/0/collective", "all",
            "parts[0].collective: found \"all\"; did you mean 'all_to_all'?"},
           {"/parts/0/algorithm", "rings",
            "parts[0].algorithm: found \"rings\"; did you mean 'ring'?"},
           {"/parts/1/priority", 3, "parts[1].priority: found 3; allowed: a text"},
           {"/parts/1/root", -1, "parts[1].root: found -1; allowed: a whole number, 0 to"},
           {"/parts/0/group/2", "io02", "parts[0].group[2]: found \"io02\"; allowed: a number, or"},
           {"/parts/0/group/0", 0.5, "parts[0].group[0]: found 0.5; allowed: a whole number"},
           {"/parts/0/proportion", 65, "parts[0].proportion: found 65; allowed: a whole number, 1"},
           {"/parts/0/start", -1, "parts[0].start: found -1; allowed: a whole number, 0"},
           {"/parts/0/proportion", 63, "one at least with the proportion 64"},
           {"/points/0/surplus",
            {1},
            "points[0].surplus: found [1]; allowed: as many numbers as parts, 2"},
           {"/points/0/surplus/1", "x", "points[0].surplus[1]: found \"x\"; allowed: a number of"},
           {"/points/1/bytes", 0, "points[1].bytes: found 0; allowed: a whole number, 1 to"},
           {"/checked/0/exact", 0, "checked[0].exact: found 0; allowed: a number of cycles above"},
           {"/checked", nullptr, "checked: found null; allowed: a list"}}) {
    json damaged = json::parse(text());
    damaged[json::json_pointer(work + place)] = value;
    EXPECT_THAT(error_of(damaged.dump()), HasSubstr(message)) << place;
    EXPECT_THAT(error_of(damaged.dump()), HasSubstr("c.json: machines[0].works[0].")) << place;
  }
}

}  // namespace
}  // namespace fredsim
