// SPDX-License-Identifier: Apache-2.0
// Text of a GTKWave save file, and the signals that a scope shows of a waveform.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "support/temporary_folder.h"
#include "switch/gtkwave_save.h"
#include "switch/wave_scope.h"

namespace fredsim {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class SaveFile : public testing::Test {
 protected:
  std::string stem() const { return folder_.file("w"); }
  std::string written() const {
    save_.write();
    return text_of(stem() + ".gtkw");
  }
  bool has(const std::string& extension) const {
    return std::filesystem::exists(stem() + extension);
  }

  TemporaryFolder folder_;
  GtkwaveSave save_{stem(), "[timestart] 0\n"};
};

TEST_F(SaveFile, OpensWithItsSettingsAndHasFormatsByName) {
  save_.trace(TraceFormat::kBinary, "s0.a");
  save_.trace(TraceFormat::kHex, "s0.b[7:0]");
  save_.trace(TraceFormat::kDecimal, "s0.c[7:0]");
  EXPECT_EQ(written(), "[timestart] 0\n@28\ns0.a\n@22\ns0.b[7:0]\n@24\ns0.c[7:0]\n");
  for (const char* filter : {".vc.filter", ".phase.filter", ".direction.filter"})
    EXPECT_FALSE(has(filter)) << filter << " of no trace";
}

TEST_F(SaveFile, LeavesOutGroupsWithoutATrace) {
  save_.group("outer", true, [&] {
    save_.group("empty", true, [] {});
    save_.group("inner", false, [&] { save_.trace(TraceFormat::kHex, "a"); });
    save_.group("of empty ones", false, [&] { save_.group("empty", false, [] {}); });
  });
  save_.group("empty", false, [] {});
  EXPECT_EQ(written(),
            "[timestart] 0\n@800200\n-outer\n@c00200\n-inner\n@22\na\n@1401200\n-inner\n"
            "@1000200\n-outer\n");
}

TEST_F(SaveFile, WritesTheFiltersItsTracesHave) {
  save_.named(TraceNames::kPhase, "phase_q[7:0]");
  save_.named_bits(TraceNames::kVc, "vc", {"p.vc_q", "[3:0]", 4}, 2, 2);
  EXPECT_EQ(written(),
            fmt::format("[timestart] 0\n@2022\n^1 {0}.phase.filter\nphase_q[7:0]\n"
                        "@2022\n^1 {0}.vc.filter\n#{{vc}} (0)p.vc_q[3:0] (1)p.vc_q[3:0]\n",
                        stem()));
  EXPECT_EQ(text_of(stem() + ".vc.filter"), "0 MP\n1 PP\n2 DP\n3 control\n");
  EXPECT_EQ(text_of(stem() + ".phase.filter"), "ff online\nFF online\n");
  EXPECT_FALSE(has(".direction.filter"));
  for (const std::string& extension : gtkwave_extensions())
    EXPECT_EQ(has(extension), extension != ".direction.filter") << extension;
}

// Bits of a vector are counted from the most significant one: every bit of it is in one value, in
// its order.
TEST_F(SaveFile, CutsVectorsIntoValues) {
  const WaveName vector{"s.v", "[11:0]", 12};
  save_.bits(TraceFormat::kHex, "lowest", vector, 0, 4);
  save_.bits(TraceFormat::kBinary, "top", vector, 11, 1);
  save_.bits(TraceFormat::kBinary, "one", {"s.bit", "", 1}, 0, 1);
  EXPECT_EQ(written(),
            "[timestart] 0\n@22\n#{lowest} (8)s.v[11:0] (9)s.v[11:0] (10)s.v[11:0] (11)s.v[11:0]\n"
            "@28\n#{top} (0)s.v[11:0]\n@28\n#{one} s.bit\n");
}

TEST_F(SaveFile, SaysWhatCannotBeWritten) {
  const std::string path = (folder_.path() / "none" / "w").string();
  const GtkwaveSave nowhere(path, "");
  try {
    nowhere.write();
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()),
              "--wave: '" + path + ".gtkw' beside it cannot be written: No such file or directory");
  }
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  std::filesystem::create_symlink("/dev/full", stem() + ".gtkw");
  try {
    save_.write();
    FAIL() << "no error";
  } catch (const RunFailed& error) {
    EXPECT_EQ(std::string(error.what()),
              "--wave: '" + stem() +
                  ".gtkw' beside it cannot be written: No space left on device; it has 14 bytes");
  }
}

// ---- scopes

class Scope : public SaveFile {
 protected:
  void add(const std::string& path, const std::string& range = "", int bits = 1) {
    signals_.push_back(std::make_unique<WaveName>(WaveName{path, range, bits}));
    names_[path] = signals_.back().get();
  }
  WaveScope at(const std::string& path) { return {names_, save_, path}; }
  // Content that has been shown, without the settings.
  std::string shown() { return written().substr(std::string("[timestart] 0\n").size()); }

  std::vector<std::unique_ptr<WaveName>> signals_;
  WaveScope::Names names_;
};

TEST_F(Scope, ShowsTheSignalsThatThereAre) {
  add("s0.top.valid_o");
  add("s0.top.i_control.phase_q", "[7:0]", 8);
  add("s0.top.i_control.vc_q", "[1:0]", 2);
  add("s1.top.ready_o");
  const WaveScope top = at("s0.top.");
  top.show(TraceFormat::kBinary, "valid_o");
  top.show(TraceFormat::kBinary, "ready_o");
  top.inside("i_control").show(TraceNames::kPhase, "phase_q");
  top.inside("i_control").show(TraceFormat::kHex, "phase_q");
  top.inside("i_controls").show(TraceFormat::kHex, "phase_q");
  EXPECT_EQ(shown(),
            fmt::format("@28\ns0.top.valid_o\n@2022\n^1 {}.phase.filter\n"
                        "s0.top.i_control.phase_q[7:0]\n@22\ns0.top.i_control.phase_q[7:0]\n",
                        stem()));
}

TEST_F(Scope, CutsVectorsByPortAndBySomeOfTheirBits) {
  add("t.credits_q", "[23:0]", 24);  // three values of 8 bits
  add("t.valid");
  const WaveScope top = at("t.");
  top.show(TraceFormat::kDecimal, "c1", "credits_q", 1, 3);
  top.show_bits(TraceFormat::kBinary, "low of c2", "credits_q", 2, 3, 1, 2);
  top.show(TraceFormat::kBinary, "title", "valid", 0, 1);
  top.show(TraceFormat::kBinary, "nothing", "invalid", 0, 1);
  top.show_bits(TraceFormat::kBinary, "nothing", "invalid", 0, 1, 0, 1);
  top.show(TraceNames::kVc, "nothing", "invalid", 0, 1);
  std::string bits;
  for (int bit = 8; bit < 16; ++bit) bits += fmt::format(" ({})t.credits_q[23:0]", bit);
  EXPECT_EQ(shown(), "@24\n#{c1}" + bits +
                         "\n@28\n#{low of c2} (5)t.credits_q[23:0] (6)t.credits_q[23:0]\n"
                         "@28\n#{title} t.valid\n");
}

TEST_F(Scope, FindsTheOutermostModuleAroundAPart) {
  add("s0.top.core.i_x.i_control.clk_i");
  add("s0.top.core.i_control.clk_i");
  add("s0.top.core.i_control.vc_q", "[1:0]", 2);
  add("s0.top.i_controls.clk_i");
  add("s1.i_control.clk_i");
  const auto core = at("s0.").around("i_control");
  ASSERT_TRUE(core.has_value());
  core->inside("i_control").show(TraceFormat::kHex, "vc_q");
  EXPECT_EQ(shown(), "@22\ns0.top.core.i_control.vc_q[1:0]\n");
  EXPECT_FALSE(at("s2.").around("i_control").has_value());
  EXPECT_FALSE(at("s0.").around("i_scheduler").has_value());
  EXPECT_TRUE(at("s1.").around("i_control").has_value());
}

TEST_F(Scope, GroupsByVirtualChannel) {
  show_each_vc(save_, [&](int vc) {
    if (vc != 2) save_.trace(TraceFormat::kBinary, fmt::format("v{}", vc));
  });
  EXPECT_EQ(
      shown(),
      "@c00200\n-VC mp\n@28\nv0\n@1401200\n-VC mp\n@c00200\n-VC pp\n@28\nv1\n@1401200\n-VC pp\n"
      "@c00200\n-VC control\n@28\nv3\n@1401200\n-VC control\n");
}

}  // namespace
}  // namespace fredsim
