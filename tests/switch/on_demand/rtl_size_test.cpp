// SPDX-License-Identifier: Apache-2.0
// Files and parameters of a switch size that is built on demand, and its key: any change of a
// library's inputs changes the key.
#include "switch/on_demand/rtl_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/sha256.h"
#include "switch/on_demand/fake_tools.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::count(words, word) == 1;
}

RtlSize size_of(const SwitchShape& shape) {
  const auto size = rtl_size(shape, rtl_toolchain(), rtl_locations());
  EXPECT_TRUE(size.has_value());
  return size.value_or(RtlSize{});
}

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(IncludedNames, AreThoseBehindTheDirective) {
  EXPECT_EQ(included_names("#include <a>\n#include \"b/c.h\"\n#include X\n#include \"", "#include"),
            (std::vector<std::string>{"a", "b/c.h"}));
  EXPECT_EQ(included_names("x `include\t\"d.svh\" `include", "`include"),
            (std::vector<std::string>{"d.svh"}));
}

TEST(RtlSizeOfAKind, IsMadeFromItsFilesWithItsParameters) {
  const SwitchKind& fred = switch_kind("fred");
  const RtlSize size = size_of(fred.shape(std::vector<NamedValue>{{"P", 6}, {"YIELD", 2}}));
  EXPECT_EQ(size.entry,
            "fred P=6 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0 YIELD=2");
  EXPECT_EQ(size.top, "fred_switch");
  EXPECT_EQ(size.parameters,
            (std::vector<std::string>{"P=6", "M=3", "LANES=1", "VC_DEPTH=48", "CTRL_DEPTH=4",
                                      "OUT_DEPTH=24", "FORMAT=0", "YIELD=2"}));
  EXPECT_TRUE(has(size.sources, "rtl/common/noc_pkg.sv"));
  EXPECT_TRUE(has(size.sources, "sc_models/switch/verilator/peek.vlt"));
  EXPECT_TRUE(has(size.sources, "sc_models/switch/phased/peek.vlt"));
  EXPECT_FALSE(has(size.sources, "sc_models/switch/verilator/shared_adder.vlt"));
  EXPECT_EQ(size.sources.back(), "rtl/fred/fred_switch.sv") << "the top module is the last";
  EXPECT_EQ(size.ports, 6);
  EXPECT_TRUE(size.rising_edges_only);
  EXPECT_TRUE(has(size_of(fred.shape(std::vector<NamedValue>{{"LANES", 17}})).sources,
                  "sc_models/switch/verilator/shared_adder.vlt"));
}

TEST(RtlSizeOfAKind, IsThereForAllOfOurs) {
  for (const SwitchKind* kind : switch_kinds()) {
    const SwitchShape shape = kind->shape({});
    EXPECT_EQ(size_of(shape).lanes, 1) << kind->name();
    EXPECT_EQ(rtl_key(size_of(shape), rtl_toolchain(), rtl_locations()).size(), 64U);
  }
}

TEST(RtlSizeOfAUsersTop, HasTheFilesOfTheSizeThatIsBuilt) {
  SwitchShape shape = switch_kind("fred").shape(std::vector<NamedValue>{{"P", 9}});
  shape.rtl_top = "custom_switch";
  shape.own_values = {{"MINE", 3}};
  const RtlSize size = size_of(shape);
  EXPECT_EQ(size.top, "custom_switch");
  EXPECT_EQ(size.sources.back(), "testbenches/tb_custom_switch/custom_switch.sv");
  EXPECT_TRUE(has(size.sources, "rtl/fred/fred_switch.sv")) << "by the list in its list";
  EXPECT_EQ(std::ranges::count(size.sources, "rtl/common/noc_pkg.sv"), 1);
  EXPECT_TRUE(has(size.parameters, "MINE=3"));
  EXPECT_FALSE(size.rising_edges_only);
  shape.rtl_top = "nobody_has_it";
  EXPECT_FALSE(rtl_size(shape, rtl_toolchain(), rtl_locations()).has_value());
}

TEST(RtlKey, ChangesWithWhateverTheLibraryIsMadeFrom) {
  const FakeTools fake;
  const RtlToolchain tools = fake.tools();
  const auto key = [&](const RtlToolchain& t, const RtlSize& s) {
    return rtl_key(s, t, fake.where());
  };
  const std::string before = key(tools, FakeTools::size(4));
  EXPECT_EQ(key(tools, FakeTools::size(4)), before);
  EXPECT_NE(key(tools, FakeTools::size(5)), before);
  using Change = std::function<void(RtlToolchain&)>;
  const std::vector<Change> changes{
      [](RtlToolchain& t) { t.verilator_version = "Verilator 5.020"; },
      [](RtlToolchain& t) { t.compiler = "/usr/bin/clang++"; },
      [](RtlToolchain& t) { t.compiler_version = "13.1.0"; },
      [](RtlToolchain& t) {
        t.verilate = {"--cc", "-O0"};
      },
      [](RtlToolchain& t) {
        t.compile = {"-O2", "-march=native"};
      },
      [](RtlToolchain& t) { t.fast = {"-O2"}; },
      [](RtlToolchain& t) { t.slow = {"-O1"}; },
      [](RtlToolchain& t) { t.around = {}; },
      [](RtlToolchain& t) {
        t.link = {"-shared", "-s"};
      }};
  for (const Change& change : changes) {
    RtlToolchain other = tools;
    change(other);
    EXPECT_NE(key(other, FakeTools::size(4)), before) << &change - changes.data();
  }
  RtlSize size = FakeTools::size(4);
  size.top = "b";
  EXPECT_NE(key(tools, size), before);
  size = FakeTools::size(4);
  size.rising_edges_only = true;
  EXPECT_NE(key(tools, size), before);
  for (const char* file : {"my/a.sv", "my/b.svh", "my/peek.h"}) {
    const std::string last = key(tools, FakeTools::size(4));
    std::ofstream(fake.root() / file, std::ios::app) << "// more\n";
    EXPECT_NE(key(tools, FakeTools::size(4)), last) << file;
  }
}

TEST(RtlKey, IsThatOfTheSameTextElsewhere) {
  const FakeTools one;
  const FakeTools other;
  RtlToolchain tools = one.tools();
  EXPECT_EQ(rtl_key(FakeTools::size(4), tools, one.where()),
            rtl_key(FakeTools::size(4), tools, other.where()));
}

TEST(RtlKey, OfFilesThatAreNotThoseOfThisProgramIsRefused) {
  const FakeTools fake;
  std::filesystem::create_directories(fake.root() / "rtl/common");
  FakeTools::write(fake.root() / "rtl/common/noc_pkg.sv", "// newer\n");
  RtlSize size = FakeTools::size(4);
  size.sources.insert(size.sources.begin(), "rtl/common/noc_pkg.sv");
  try {
    rtl_key(size, fake.tools(), fake.where());
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("'rtl/common/noc_pkg.sv' has changed since this program was "
                                 "built; allowed: what it was built from, or build it again: "))
        << error.what();
  }
  size.sources = {"my/none.sv"};
  try {
    rtl_key(size, fake.tools(), fake.where());
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_EQ(error.what(), "RTL source '" + (fake.root() / "my/none.sv").string() +
                                "' cannot be read: No such file or directory");
  }
}

TEST(RtlLocations, AreBesideAnInstalledProgramElseInTheBuildTree) {
  const TemporaryFolder prefix;
  const auto program = prefix.path() / "bin/fredsim";
  EXPECT_EQ(rtl_locations_of(program), build_tree());
  const auto root = prefix.path() / "share/fredsim";
  std::filesystem::create_directories(root / "rtl");
  EXPECT_EQ(rtl_locations_of(program),
            (RtlLocations{.root = root, .generated = root / "rtl_packages"}));
  EXPECT_EQ(rtl_locations(), build_tree()) << "of this test";
}

}  // namespace
}  // namespace fredsim
