// SPDX-License-Identifier: Apache-2.0
// Saturation of a VOQ crossbar of 12 ports under uniform random traffic, and the effect of its
// priorities: on the twin.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "base/vc_order.h"
#include "tb_voq_crossbar/uniform_traffic.h"
#include "tb_voq_crossbar/voq_driver.h"

namespace fredsim::tb {
namespace {

constexpr int kDeep = 256;  // flits of a VC: 32 packets, so that every queue may have some

Measured saturated(int iterations, int depth, int flits) {
  return measure(voq_shape({{"VC_DEPTH", depth}, {"ITERATIONS", iterations}}),
                 {.rates = {1.0, 0.0, 0.0}, .flits = flits, .cycles = 20'000});
}

// Saturation with the default number of rounds, if the number of slots does not limit it; one queue
// per input has 0.6.
TEST(UniformTraffic, SaturatesAboveNineteenTwentieths) {
  for (const int flits : {1, kPacketFlits}) {
    SCOPED_TRACE(fmt::format("packets of {} flits", flits));
    const Measured m = saturated(2, kDeep, flits);
    EXPECT_GE(m.accepted, 0.95);
    EXPECT_GT(m.min, 0.97 * m.accepted);
    EXPECT_LT(m.max, 1.03 * m.accepted);
  }
}

TEST(UniformTraffic, SaturatesAboveFredWithTheUsualBuffers) {
  for (const int iterations : {1, 2, 4}) {
    for (const int flits : {1, kPacketFlits}) {
      SCOPED_TRACE(fmt::format("{} rounds, packets of {} flits", iterations, flits));
      EXPECT_GE(saturated(iterations, 48, flits).accepted, 0.83);
    }
  }
}

// All three data VCs have more than their share: the higher one has the lower latency, for any
// order.
TEST(UniformTraffic, HigherVcsWaitLess) {
  for (const VcOrder& order :
       {kDefaultVcOrder, VcOrder{kPp, kControl, kDp, kMp}, VcOrder{kDp, kPp, kMp, kControl}}) {
    for (const int flits : {1, kPacketFlits}) {
      const Measured m = measure(voq_shape({{"VC_ORDER", number_of(order)}}),
                                 {.rates = {0.33, 0.33, 0.33}, .flits = flits, .cycles = 20'000});
      double before = 0;
      for (const int vc : order) {
        if (vc == kControl) continue;
        SCOPED_TRACE(fmt::format("order {}, VC {}, {} flits", number_of(order), vc, flits));
        EXPECT_GT(m.vcs[vc].mean, before);
        before = m.vcs[vc].mean;
      }
    }
  }
}

}  // namespace
}  // namespace fredsim::tb
