// SPDX-License-Identifier: Apache-2.0
// mesh_output: the flit of the input that was granted, three edges after its launch; credits by
// virtual channel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "Vmesh_output/Vmesh_output.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5, kVcs = 4, kFlitBits = 128, kFlitWords = kFlitBits / 32;
constexpr std::array<int, kVcs> kDepth{6, 6, 6, 2}, kPacket{4, 4, 4, 1};  // by VC
using Flit = std::array<std::uint32_t, kFlitWords>;

struct Launch {
  int vc = 0, input = 0;
};

struct Credits {
  int number = 0, need = 0;
  bool launched = false;  // at the last edge
  int room() const { return number - (launched ? 1 : 0); }
};

class MeshOutput : public testing::Test {
 protected:
  MeshOutput() {
    bench_->launch_i = bench_->granted_i = bench_->ring_i = 0;
    bench_->out_credit_i = bench_->credit_write_i = 0;
    bench_.reset();
  }
  // Random flits of all inputs, on any VC, except the flit of `launch` at its input.
  std::array<Flit, kPorts> some_flits(Random& random, const std::optional<Launch>& launch) {
    std::array<Flit, kPorts> flits{};
    for (int p = 0; p < kPorts; ++p) {
      Flit& flit = flits[static_cast<std::size_t>(p)];
      for (auto& word : flit) word = static_cast<std::uint32_t>(random.next());
      constexpr auto kWord = noc_pkg::VC_LSB / 32, kBit = noc_pkg::VC_LSB % 32;
      if (launch && launch->input == p)
        flit[kWord] = (flit[kWord] & ~(3U << kBit)) | static_cast<unsigned>(launch->vc) << kBit;
      for (int word = 0; word < kFlitWords; ++word)
        set_bits(bench_->flits_i, p * kFlitBits + 32 * word, 32,
                 flit[static_cast<std::size_t>(word)]);
    }
    return flits;
  }
  Bench<Vmesh_output> bench_;
};

TEST_F(MeshOutput, SendsWhatWasLaunchedAndCountsCredits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<unsigned>(n)));
    };
    std::array<Credits, kVcs> credits{};
    std::array<std::optional<Launch>, 2> launched{};  // at the edge before, and before that
    std::optional<Flit> sent;
    bool empty = true;
    for (int cycle = 0; cycle < 10'000; ++cycle) {
      if (cycle % 500 == 0) {
        bench_->launch_i = bench_->granted_i = bench_->out_credit_i = bench_->credit_write_i = 0;
        bench_.reset();
        for (int v = 0; v < kVcs; ++v)
          credits[v] = {kDepth[v], std::min(kDepth[v], kPacket[v]), false};
        launched = {};
        empty = true;
      }
      bench_->ring_i = static_cast<CData>(below(2));
      std::optional<Launch> launch;
      const int vc = below(kVcs);
      if (credits[vc].room() >= 1 && below(4) != 0) launch = Launch{vc, below(kPorts)};
      int given = 0, written = 0;
      const int value = below(8);
      for (int v = 0; v < kVcs; ++v) {
        const bool home = credits[v].number == kDepth[v];
        if (credits[v].room() < kDepth[v] && below(3) == 0) given |= 1 << v;
        if (!home && below(200) == 0)
          written |= 1 << v;  // the receiver's depth is not known after it
      }
      bench_->launch_i = static_cast<CData>(launch ? 1 << launch->vc : 0);
      bench_->granted_i = static_cast<CData>(launched[0] ? 1 << launched[0]->input : 0);
      bench_->out_credit_i = static_cast<CData>(given);
      bench_->credit_write_i = static_cast<CData>(written);
      bench_->credit_wdata_i = static_cast<SData>(value);
      const auto flits = some_flits(random, launched[1]);
      bench_.settle();
      Flit held{};
      for (int word = 0; word < kFlitWords; ++word)
        held[static_cast<std::size_t>(word)] = bench_->out_flit_o[word];
      for (int v = 0; v < kVcs; ++v) {
        ASSERT_EQ(bit(bench_->room_flit_o, v), credits[v].room() >= 1) << cycle << " VC " << v;
        ASSERT_EQ(bit(bench_->room_packet_o, v),
                  credits[v].room() >= credits[v].need + bench_->ring_i)
            << cycle << " VC " << v;
        ASSERT_EQ(bits(bench_->credits_o, 16 * v, 16), static_cast<unsigned>(credits[v].number))
            << cycle;
      }
      ASSERT_EQ(bench_->empty_o, empty && !launched[0]) << cycle;
      bench_.edge();

      sent.reset();
      if (launched[1]) sent = flits[static_cast<std::size_t>(launched[1]->input)];
      empty = !sent && !launched[0];
      ASSERT_EQ(bench_->out_valid_o, sent.has_value()) << cycle;
      // Without a flit the register holds: its clock is gated.
      const Flit& shown = sent ? *sent : held;
      for (int word = 0; word < kFlitWords; ++word)
        ASSERT_EQ(bench_->out_flit_o[word], shown[static_cast<std::size_t>(word)]) << cycle;
      for (int v = 0; v < kVcs; ++v) {
        Credits& of = credits[v];
        of.number += (given >> v & 1) - (of.launched ? 1 : 0);
        of.launched = launch && launch->vc == v;
        if ((written >> v & 1) == 0) continue;
        of = {value, std::clamp(value, 1, kPacket[v]), false};
      }
      launched[1] = launched[0];
      launched[0] = launch;
    }
  }
}

TEST_F(MeshOutput, AssertsItsContract) {
  Random random(1);
  const auto edge = [&](int launch, int granted) {
    bench_->launch_i = static_cast<CData>(launch);
    bench_->granted_i = static_cast<CData>(granted);
    bench_.edge();
  };
  // Two launches at once; two inputs at once; a grant without a launch; a launch without a grant.
  EXPECT_EQ(bench_.broken_by([&] { edge(0b11, 0); }), "one_flit_at_a_time");
  bench_->launch_i = 0;
  bench_.reset();
  edge(0b1, 0);
  EXPECT_EQ(bench_.broken_by([&] { edge(0, 0b11); }), "one_flit_at_a_time");
  bench_->granted_i = 0;
  bench_.reset();
  EXPECT_EQ(bench_.broken_by([&] { edge(0, 0b1); }), "a_flit_for_every_launch");
  bench_->granted_i = 0;
  bench_.reset();
  edge(0b1, 0);
  EXPECT_EQ(bench_.broken_by([&] { edge(0, 0); }), "a_flit_for_every_launch");
  // A flit of another VC than the one of its launch.
  bench_.reset();
  edge(0b1, 0);
  edge(0, 0b1);
  some_flits(random, Launch{1, 0});
  EXPECT_EQ(bench_.broken_by([&] { edge(0, 0); }), "flit_of_the_launched_vc");
}

}  // namespace
}  // namespace fredsim
