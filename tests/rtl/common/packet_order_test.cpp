// SPDX-License-Identifier: Apache-2.0
// packet_order: fires exactly if the packets of a virtual channel are not whole or are interleaved.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "Vcommon_packet_order/Vcommon_packet_order.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr int kVcs = 4;

class PacketOrder : public testing::Test {
 protected:
  PacketOrder() { reset(); }
  void reset() {
    bench_->valid_i = 0;
    bench_.reset();
  }
  bool fires(int vc, bool head, bool tail, bool valid = true) {
    bench_->valid_i = valid;
    set_bits(bench_->header_i, noc_pkg::VC_LSB, noc_pkg::VC_W, static_cast<std::uint64_t>(vc));
    set_bit(bench_->header_i, noc_pkg::HEAD_BIT, head);
    set_bit(bench_->header_i, noc_pkg::TAIL_BIT, tail);
    const std::string names = bench_.broken_by([&] { bench_.edge(); });
    EXPECT_TRUE(names.empty() || names == "head_after_tail") << names;
    return !names.empty();
  }

 private:
  Bench<Vcommon_packet_order> bench_;
};

TEST_F(PacketOrder, FiresOnEveryKindOfWrongOrder) {
  for (int vc = 0; vc < kVcs; ++vc) {
    SCOPED_TRACE(vc);
    const int other = (vc + 1) % kVcs;
    reset();
    EXPECT_TRUE(fires(vc, false, false)) << "a packet without a head, after reset";
    reset();
    EXPECT_TRUE(fires(vc, false, true)) << "a tail alone, after reset";
    reset();
    EXPECT_FALSE(fires(vc, true, false));
    EXPECT_TRUE(fires(vc, true, false)) << "a head inside a packet";
    reset();
    EXPECT_FALSE(fires(vc, true, false));
    EXPECT_TRUE(fires(vc, true, true)) << "a packet of one flit inside a packet";
    reset();
    EXPECT_FALSE(fires(vc, true, false));
    EXPECT_FALSE(fires(vc, false, true));
    EXPECT_TRUE(fires(vc, false, false)) << "a flit after a tail";
    reset();
    EXPECT_FALSE(fires(vc, true, true));
    EXPECT_TRUE(fires(vc, false, true)) << "a second tail";
    // Unaffected by other VCs, by invalid flits, by a reset inside a packet.
    reset();
    EXPECT_FALSE(fires(vc, true, false));
    EXPECT_FALSE(fires(other, true, false));
    EXPECT_FALSE(fires(other, false, true));
    EXPECT_FALSE(fires(vc, true, true, false));
    EXPECT_FALSE(fires(vc, false, false));
    reset();
    EXPECT_FALSE(fires(vc, true, true));
  }
}

TEST_F(PacketOrder, FiresExactlyWhereAHeadIsNotAfterATail) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::array<bool, kVcs> inside{};
    reset();
    int fired = 0;
    for (int flit = 0; flit < 2'000; ++flit) {
      const auto vc = random.below(kVcs);
      const bool valid = random.below(4) != 0, tail = random.below(3) == 0;
      const bool wrong = random.below(20) == 0;
      const bool head = inside[vc] == wrong;
      ASSERT_EQ(fires(static_cast<int>(vc), head, tail, valid), valid && wrong)
          << "seed " << seed << " flit " << flit;
      if (valid) inside[vc] = !tail;
      fired += valid && wrong ? 1 : 0;
    }
    EXPECT_GT(fired, 20);
  }
}

}  // namespace
}  // namespace fredsim
