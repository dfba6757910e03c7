// SPDX-License-Identifier: Apache-2.0
// RTL that Verilator and the compiler of this build make when it is asked for: it is loaded, has
// the program's base classes, runs in lockstep with the twin, and is in one wave file with RTL that
// is linked.
#include "switch/on_demand/loaded_library.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/random.h"
#include "support/temporary_folder.h"
#include "switch/lockstep_switch.h"
#include "switch/missing_sizes.h"
#include "switch/on_demand/fake_tools.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "switch/wave_file.h"

namespace fredsim {
namespace {

// Small, and in no list of sizes.
SwitchShape small_shape() {
  return switch_kind("voq_crossbar").shape(std::vector<NamedValue>{{"P", 2}});
}

// Built by the first test that needs it, or before: its key has all that it is made from.
void require_small() {
  ::setenv("FREDSIM_CACHE", FREDSIM_RTL_CACHE, 1);
  const NeededSwitch needed{.shape = small_shape(), .who = "test"};
  require_built({&needed, 1}, {.build = RtlBuild::kAuto});
}

TEST(LoadedLibrary, RunsInLockstepWithTheTwin) {
  EXPECT_THROW(make_switch(SwitchModel::kRtl, small_shape(), "n"), BadInput);
  require_small();
  const std::size_t sizes = built_switch_sizes().size();
  require_small();
  EXPECT_EQ(built_switch_sizes().size(), sizes) << "loaded once";
  const auto core = make_switch(SwitchModel::kLockstep, small_shape(), "n");
  EXPECT_NE(rtl_inside(*core), nullptr) << "a type of the program";
  core->reset();
  SwitchPins pins(small_shape().ports(), 1);
  Random random(7);
  for (int cycle = 0; cycle < 500; ++cycle) {
    pins.out_ready = static_cast<std::uint32_t>(random.below(4));
    pins.reg = {.valid = true, .address = static_cast<std::uint16_t>(random.below(1024))};
    ASSERT_NO_THROW(core->step(pins)) << "cycle " << cycle << ", seed 7";
  }
  SwitchCounters counters;
  EXPECT_TRUE(core->peek_counters(counters));
}

TEST(LoadedLibrary, IsInOneWaveFileWithRtlThatIsLinked) {
  require_small();
  const TemporaryFolder folder;
  const auto context = std::make_shared<RtlContext>();
  const auto loaded = make_rtl_switch(small_shape(), "loaded", context);
  const auto linked = make_rtl_switch(switch_kind("mesh").shape({}), "linked", context);
  WaveFile wave(folder.file("w.fst"));
  wave.add(*loaded);
  wave.add(*linked);
  loaded->reset();
  linked->reset();
  wave.open();
  for (const std::string name : {"loaded", "linked"}) {
    EXPECT_TRUE(std::ranges::any_of(wave.names(), [&](const WaveName& signal) {
      return signal.path.starts_with(name + ".") && signal.path.ends_with("idle_o");
    })) << name;
  }
  wave.dump(0);
  wave.close();
  EXPECT_GT(std::filesystem::file_size(folder.file("w.fst")), 1000U);
}

void expect_refused(const std::filesystem::path& library, const std::string& reason) {
  try {
    load_switch(library);
    FAIL() << "no error";
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("library of switch RTL '" + library.string() +
                                 "' cannot be loaded: " + reason))
        << what;
    EXPECT_TRUE(
        what.ends_with("; allowed: delete it, and it is built again, or "
                       "FREDSIM_CACHE=FOLDER elsewhere"))
        << what;
  }
}

TEST(LoadedLibrary, ThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  FakeTools::write(folder.path() / "a.so", "no library");
  expect_refused(folder.path() / "a.so", "");
}

}  // namespace
}  // namespace fredsim
