// SPDX-License-Identifier: Apache-2.0
// Message about sizes that are not built: all of them, and a line that adds them and drops nothing.
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "switch/fred/fred_shape.h"
#include "switch/missing_sizes.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

const SwitchBuild kBuild{
    .source = "/no/such/folder",
    .build = "/no/such/folder/build",
    .listed = {"mesh 4 2 1 80 4", "fred P=4 custom_switch custom/custom_switch.f"},
    .extra = {"fred P=8", "fred 4 3 1 48 4 24 0 mine /my rtl/it's mine.f"}};

std::string line(const std::vector<std::string>& entries) {
  return build_line(kBuild, entries, "/", "fredsim");
}

TEST(BuildLine, AppendsToWhatIsExtraAlready) {
  EXPECT_EQ(line({"mesh 4 2 1 96 4"}),
            "cmake -S /no/such/folder -B /no/such/folder/build "
            R"('-DFREDSIM_EXTRA_SWITCHES=fred P=8;)"
            R"(fred 4 3 1 48 4 24 0 mine /my rtl/it'\''s mine.f;mesh 4 2 1 96 4' )"
            "&& cmake --build /no/such/folder/build --target fredsim");
}

TEST(BuildLine, KnowsTheFilesOfCustomSwitches) {
  for (const auto& [entry, end] :
       {std::pair("fred P=6 mine", R"(;fred P=6 mine /my rtl/it'\''s mine.f' )"),
        std::pair("fred P=6 DEEP=2 custom_switch",
                  ";fred P=6 DEEP=2 custom_switch custom/custom_switch.f' "),
        std::pair("fred P=6 DEEP=2 own", ";fred P=6 DEEP=2 own FILES.f' "),
        std::pair("mesh 1 0 1 80 4 other", ";mesh 1 0 1 80 4 other FILES.f' ")}) {
    EXPECT_NE(line({entry}).find(end), std::string::npos) << line({entry});
  }
}

TEST(BuildLine, IsShortAtTheTopOfTheCheckout) {
  const TemporaryFolder checkout;
  SwitchBuild build{
      .source = checkout.path(), .build = checkout.path() / "build", .listed = {}, .extra = {}};
  EXPECT_EQ(build_line(build, std::vector<std::string>{"x"}, checkout.path(), "fredsim"),
            "cmake -B build -DFREDSIM_EXTRA_SWITCHES=x && cmake --build build --target fredsim");
  build.build = "/else/where";
  EXPECT_EQ(
      build_line(build, std::vector<std::string>{"mesh 1 0 1 5 1"}, checkout.path(), "my_npu"),
      "cmake -B /else/where '-DFREDSIM_EXTRA_SWITCHES=mesh 1 0 1 5 1' "
      "&& cmake --build /else/where --target my_npu");
}

NeededSwitch needed(int ports, const char* who) {
  FredShape shape;
  shape.fred = {ports, 4};
  return {.shape = shape, .who = who};
}

TEST(RequireBuilt, NamesEverySizeOnceAndWhoNeedsIt) {
  try {
    require_built(std::vector{needed(30, "a, l1"), needed(31, "a, l2"), needed(30, "b, l1")});
    FAIL() << "no error";
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_NE(
        what.find(
            "\n  fred P=30 M=4 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0  (a, l1)\n  "
            "fred P=31 M=4 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0  (a, l2)\nAdd"),
        std::string::npos)
        << what;
    EXPECT_NE(what.find("fred P=30 M=4 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0;fred "
                        "P=31 M=4 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0' &&"),
              std::string::npos)
        << what;
    EXPECT_EQ(what.find("FILES.f"), std::string::npos) << what;
  }
}

TEST(RequireBuilt, SaysNothingOfWhatIsBuilt) {
  FredShape shape;
  shape.fred = {4, 3};
  NeededSwitch one{.shape = shape, .who = "a"};
  ASSERT_EQ(size_entry(one.shape),
            "fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0");
  EXPECT_NO_THROW(require_built({&one, 1}));
  one.shape.rtl_top = "not_built";
  EXPECT_THROW(require_built({&one, 1}), BadInput);
}

}  // namespace
}  // namespace fredsim
