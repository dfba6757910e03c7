// SPDX-License-Identifier: Apache-2.0
// Directed tests of one router, of every implementation: registers, routes, timing, throughput,
// priority, turns, errors, idle.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "switch/register_map.h"
#include "tb_mesh_router/router_driver.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kX = RouterDriver::kX;
constexpr int kY = RouterDriver::kY;
constexpr int kLocal0 = kFirstLocal;
constexpr int kIo0 = kFirstLocal + 4;  // first I/O port of the wafer router
constexpr std::uint16_t kEastward = mesh_address(kX + 1, kY, 0);
constexpr std::uint16_t kWestward = mesh_address(kX - 1, kY, 0);
constexpr std::uint16_t kNorthward = mesh_address(kX, kY - 1, 0);
constexpr std::uint16_t kSouthward = mesh_address(kX, kY + 1, 0);
constexpr std::uint16_t kHere = mesh_address(kX, kY, 0);

const Stalls kFast{.receive_depth = 80};
// From the edge that samples a flit to the one that brings it to the output.
constexpr int kCycles = 4;
constexpr int kBehind = 2;  // edges from there to the pins after the flit leaves its buffer

class MeshRouter : public testing::TestWithParam<SwitchModel> {
 protected:
  static RouterImplementation wafer() { return wafer_router(GetParam()); }
};

TEST_P(MeshRouter, RegistersReadBack) {
  RouterDriver driver(wafer(), kFast, 1);
  EXPECT_EQ(driver.read(reg::kId), mesh_pkg::MESH_ID);
  EXPECT_EQ(driver.read(reg::kShape), 4U | 2U << 8);
  EXPECT_EQ(driver.read(reg::kPosition), std::uint32_t{kX | kY << 8});
  driver.write(reg::kPosition, 63 | 62 << 8);
  EXPECT_EQ(driver.read(reg::kPosition), 63U | 62U << 8);
  EXPECT_EQ(driver.read(reg::kTorus), 0U);
  for (const std::uint32_t sides : {64U | 63U << 8, 63U | 64U << 8}) {
    driver.write(reg::kTorus, sides | 1U << 16);
    EXPECT_EQ(driver.read(reg::kTorus), sides);
  }
  EXPECT_EQ(driver.read(reg::kError), reg::kErrorNone);
  for (int p = 0; p < 10; ++p) {
    for (int v = 0; v < kNumVcs; ++v) driver.set_depth(p, v, 100 + 4 * p + v);
  }
  for (int p = 0; p < 10; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      EXPECT_EQ(driver.read(reg::kCredit + 4 * p + v), static_cast<std::uint32_t>(100 + 4 * p + v));
    }
  }
  driver.write(reg::kId, 0);  // read-only
  EXPECT_EQ(driver.read(reg::kId), mesh_pkg::MESH_ID);
  for (const int unknown :
       {0x0005, 0x00FF, reg::kCredit + 40, 0x01FF, reg::kFlitsIn + 20, reg::kFlitsOut + 20,
        int{reg::kReductions}, int{reg::kStallJoin}, 0x0400, int{reg::kPhaseStore}, 0xFFFF}) {
    EXPECT_EQ(driver.read(unknown), 0U) << unknown;
  }
  const std::uint32_t held = driver.read(reg::kShape);
  driver.step();
  EXPECT_EQ(driver.pins().reg_rdata, held);
}

TEST_P(MeshRouter, ResetGivesCreditsOfItsOwnDepth) {
  const auto core = wafer().make();
  core->reset();
  SwitchPins pins(10, 1);
  for (int v = 0; v < kNumVcs; ++v) {
    pins.reg = {true, false, static_cast<std::uint16_t>(reg::kCredit + 4 * 7 + v), 0};
    core->step(pins);
    EXPECT_EQ(pins.reg_rdata, v == kControl ? 4U : 80U);
  }
  EXPECT_TRUE(core->idle());
}

// Every input, every kind of destination; the rules check the port, here the table of the contract.
TEST_P(MeshRouter, RoutesByXThenYAndMirrorsAtTheDestination) {
  EXPECT_EQ(expected_output(wafer().shape, kX, kY, kNorth, kHere), kLocal0 + kNorth);
  EXPECT_EQ(expected_output(wafer().shape, kX, kY, kWest, kHere), kLocal0 + kWest);
  EXPECT_EQ(expected_output(wafer().shape, kX, kY, kIo0 + 1, kHere), kLocal0 + 1);
  EXPECT_EQ(expected_output(even_router(GetParam()).shape, kX, kY, kWest, kHere), kLocal0 + 1);
  EXPECT_EQ(expected_output(wafer().shape, kX, kY, kSouth, mesh_address(kX, kY, 2)), kIo0 + 1);
  EXPECT_EQ(expected_output(wafer().shape, kX, kY, kLocal0, mesh_address(kX + 2, kY - 3, 0)),
            kEast);
  for (const RouterImplementation& router :
       {wafer(), small_router(GetParam()), even_router(GetParam()), full_router(GetParam())}) {
    SCOPED_TRACE(router.name);
    RouterDriver driver(router, kFast, 2);
    for (int in = 0; in < router.shape.ports(); ++in) {
      for (int x = 0; x < 64; x += 1 + x / 5) {
        for (int y = 0; y < 64; y += 1 + y / 5) {
          for (int endpoint = 0; endpoint < 4; ++endpoint) {
            const std::uint16_t dst = mesh_address(x, y, endpoint);
            if (expected_output(router.shape, kX, kY, in, dst) >= 0) {
              driver.add_packet(in, kDp, dst, 1);
            }
          }
        }
      }
    }
    driver.drain(100'000);
    driver.check_quiet();
  }
}

TEST_P(MeshRouter, TakesFourCycles) {
  RouterDriver driver(wafer(), kFast, 3);
  const std::uint64_t arrival = driver.cycle();
  driver.add_packet(kWest, kMp, kEastward, 1);
  driver.drain(10);
  EXPECT_EQ(driver.last_launch(kEast), arrival + kCycles);
}

// A permutation without conflicts moves one flit per port and cycle, without a gap between packets.
TEST_P(MeshRouter, SustainsOneFlitPerCycleAndPort) {
  RouterDriver driver(wafer(), kFast, 4);
  constexpr int kPackets = 200;
  const std::uint64_t start = driver.cycle();
  for (int i = 0; i < kPackets; ++i) {
    driver.add_packet(kNorth, kDp, kSouthward, kPacketFlits);
    driver.add_packet(kSouth, kDp, kNorthward, kPacketFlits);
    driver.add_packet(kEast, kDp, kWestward, kPacketFlits);
    driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
    for (int i4 = 0; i4 < 4; ++i4) driver.add_packet(kLocal0 + i4, kDp, kHere, kPacketFlits);
    driver.add_packet(kIo0, kDp, mesh_address(kX, kY, 2), kPacketFlits);
    driver.add_packet(kIo0 + 1, kDp, mesh_address(kX, kY, 1), kPacketFlits);
  }
  driver.drain(2 * kPackets * kPacketFlits);
  for (int p = 0; p < 10; ++p) {
    EXPECT_EQ(driver.last_launch(p), start + kPackets * kPacketFlits - 1 + kCycles) << p;
  }
  EXPECT_EQ(driver.rules().stalls(), RouterRules::Stalls{});
  driver.check_quiet();
}

// A packet, and the round trip of this testbench's credits: a flit leaves, is at the output two
// edges later, its credit is returned at the next one and may be spent at the one after that. One
// less is too little.
TEST_P(MeshRouter, CreditsOfAPacketSustainFullRate) {
  // Flits that have left when a packet starts, and whose credits are not back.
  constexpr int kRoundTrip = kBehind + 1;
  for (const int less : {0, 1}) {
    RouterDriver driver(wafer(), {.receive_depth = kPacketFlits + kRoundTrip - less}, 5);
    const std::uint64_t start = driver.cycle();
    for (int i = 0; i < 100; ++i) driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
    driver.drain(2000);
    const std::uint64_t at_full_rate = start + 100 * kPacketFlits - 1 + kCycles;
    if (less == 0) {
      EXPECT_EQ(driver.last_launch(kEast), at_full_rate);
    } else {
      EXPECT_GT(driver.last_launch(kEast), at_full_rate);
    }
  }
}

// Two inputs that share an output: together the full rate, turn by turn, packet by packet.
TEST_P(MeshRouter, InputsShareAnOutputByPackets) {
  RouterDriver driver(wafer(), kFast, 6);
  for (int i = 0; i < 100; ++i) {
    driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
    driver.add_packet(kLocal0 + 1, kDp, kEastward, kPacketFlits);
    driver.add_packet(kLocal0 + 2, kDp, kEastward, kPacketFlits);
  }
  const std::uint64_t start = driver.cycle();
  driver.drain(4000);
  EXPECT_EQ(driver.last_launch(kEast), start + 300 * kPacketFlits - 1 + kCycles);
  driver.check_quiet();
}

// Virtual cut-through: with 7 credits no head leaves, with 8 the packet does; control needs one.
TEST_P(MeshRouter, HeadWaitsForCreditsForAWholePacket) {
  RouterDriver driver(wafer(), {.return_delay = 0, .receive_depth = 15}, 7);
  driver.stalls().return_delay = 1'000'000;  // credits practically never come back
  driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
  driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
  driver.add_packet(kWest, kControl, kEastward, 1);
  for (int i = 0; i < 100; ++i) driver.step();
  EXPECT_EQ(driver.launched(kEast, kDp), std::uint64_t{kPacketFlits});  // 7 credits are left
  EXPECT_EQ(driver.launched(kEast, kControl), 1U);
}

constexpr MeshRings kRings{6, 6};

// East and west of the router at 2 are three columns each if a row is a ring: the tie goes east, as
// 2 is even. Row 3 of 6 goes north, as 3 is odd.
TEST_P(MeshRouter, TakesTheShorterWayRoundARing) {
  const MeshShape shape = wafer().shape;
  const auto direction = [&](int x, int y) {
    return expected_output(shape, kX, kY, kLocal0, mesh_address(x, y, 0), kRings);
  };
  EXPECT_EQ(direction(3, kY), kEast);
  EXPECT_EQ(direction(4, kY), kEast);
  EXPECT_EQ(direction(5, kY), kEast);
  EXPECT_EQ(direction(0, kY), kWest);
  EXPECT_EQ(direction(kX, 4), kSouth);
  EXPECT_EQ(direction(kX, 5), kSouth);
  EXPECT_EQ(direction(kX, 0), kNorth);
  EXPECT_EQ(direction(kX, 1), kNorth);
  RouterDriver driver(wafer(), kFast, 15, {5, 9});
  for (int in = 0; in < shape.ports(); ++in) {
    for (int x = 0; x < 5; ++x) {
      for (int y = 0; y < 9; ++y) {
        const std::uint16_t dst = mesh_address(x, y, 0);
        if (expected_output(shape, kX, kY, in, dst, {5, 9}) < 0) continue;
        driver.add_packet(in, kDp, dst, 1);
      }
    }
  }
  driver.drain(10'000);
  driver.check_quiet();
}

// Into a ring, from an endpoint or turning: a packet's room and one flit more. Straight on: one
// flit.
TEST_P(MeshRouter, RingsKeepAFreeSlot) {
  const std::uint16_t south = mesh_address(kX, kY + 2, 0);
  for (const int in : {kLocal0, kIo0, int{kWest}}) {
    RouterDriver driver(wafer(), {.receive_depth = 17}, 16, kRings);
    driver.stalls().return_delay = 1'000'000;
    driver.add_packet(in, kDp, south, kPacketFlits);
    driver.add_packet(in, kDp, south, kPacketFlits);
    driver.add_packet(in, kControl, south, 1);
    for (int i = 0; i < 100; ++i) driver.step();
    EXPECT_EQ(driver.launched(kSouth, kDp), 2U * kPacketFlits) << in;
    driver.add_packet(in, kDp, south, 1);  // one slot is left
    for (int i = 0; i < 20; ++i) driver.step();
    EXPECT_EQ(driver.launched(kSouth, kDp), 2U * kPacketFlits) << in;
    driver.add_packet(kNorth, kDp, south, kPacketFlits);
    for (int i = 0; i < 20; ++i) driver.step();
    EXPECT_EQ(driver.launched(kSouth, kDp), 2U * kPacketFlits + 1) << in;
    EXPECT_EQ(driver.launched(kSouth, kControl), 1U) << in;
  }
  RouterDriver driver(wafer(), {.receive_depth = kPacketFlits}, 17, kRings);
  driver.set_depth(kSouth, kControl, 1);
  driver.add_packet(kLocal0, kDp, south, 1);  // no room for more than a packet, ever
  driver.add_packet(kLocal0, kControl, south, 1);
  for (int i = 0; i < 20; ++i) driver.step();
  EXPECT_EQ(driver.launched(kSouth), 0U);
  driver.add_packet(kNorth, kControl, south, 1);
  driver.add_packet(kNorth, kDp, south, 1);
  for (int i = 0; i < 20; ++i) driver.step();
  EXPECT_EQ(driver.launched(kSouth), 2U);
}

// If the receiver is smaller than a packet, its whole depth must be free.
TEST_P(MeshRouter, SmallReceiversStillGetPackets) {
  for (const int depth : {1, 3, 7}) {
    RouterDriver driver(wafer(), {.return_delay = 5, .receive_depth = depth}, 8);
    for (int i = 0; i < 20; ++i) driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
    driver.drain(20'000);
    driver.check_quiet();
  }
}

TEST_P(MeshRouter, ReceiverWithoutRoomGetsNothing) {
  RouterDriver driver(wafer(), {.receive_depth = 0}, 9);
  for (int v = 0; v < kNumVcs; ++v) driver.add_packet(kWest, v, kEastward, 1);
  for (int i = 0; i < 50; ++i) driver.step();
  EXPECT_EQ(driver.launched(kEast), 0U);
}

// With all four waiting for one output, from different inputs or from one, they leave by priority.
TEST_P(MeshRouter, HigherPriorityVcLeavesFirst) {
  for (const RouterImplementation& router :
       {wafer(), small_router(GetParam()), even_router(GetParam())}) {
    for (const bool one_input : {true, false}) {
      SCOPED_TRACE(fmt::format("router {}, {}", router.name, one_input ? "one input" : "four"));
      RouterDriver driver(router, kFast, 10);
      driver.stalls().pause_percent = 100;
      const std::array<int, 4> inputs{kWest, kNorth, kSouth, kLocal0};
      const auto flits = [](int vc) { return vc == kControl ? 1 : 4; };
      for (int v = 0; v < kNumVcs; ++v) {
        driver.add_packet(one_input ? kWest : inputs[v], v, kEastward, flits(v));
      }
      for (int i = 0; i < 60; ++i) driver.step();
      driver.stalls().pause_percent = 0;
      std::array<int, kNumVcs> done{};
      for (int i = 1; i <= 30; ++i) {
        driver.step();
        for (int v = 0; v < kNumVcs; ++v) {
          const auto all = static_cast<std::uint64_t>(flits(v));
          if (done[v] == 0 && driver.launched(kEast, v) == all) done[v] = i;
        }
      }
      int end = kBehind;
      for (const int v : router.shape.vc_order) {
        end += flits(v);
        EXPECT_EQ(done[v], end) << kVcTitles[v];
      }
    }
  }
}

// West to east at full rate by MP, and PP from the west to the south, which never gets its input.
// DP from the north to the south goes in the cycles in which PP is not granted the output: at half
// rate at least. Among equals: DP from the west to the south takes its turn in vain, which costs DP
// from the north no more.
TEST_P(MeshRouter, AFlitWhoseInputIsTakenDoesNotKeepAnOutput) {
  for (const int behind : {kPp, kDp}) {
    RouterDriver driver(wafer(), kFast, 18);
    for (int i = 0; i < 100; ++i) driver.add_packet(kWest, kMp, kEastward, kPacketFlits);
    driver.add_packet(kWest, behind, kSouthward, kPacketFlits);
    for (int i = 0; i < 60; ++i) driver.step();
    for (int i = 0; i < 20; ++i) driver.add_packet(kNorth, kDp, kSouthward, kPacketFlits);
    const std::uint64_t before = driver.launched(kSouth, kDp);
    for (int i = 0; i < 200 + kCycles; ++i) driver.step();
    EXPECT_GE(driver.launched(kSouth, kDp) - before, 100U);
    driver.drain(2000);
    driver.check_quiet();
  }
}

// A VC whose output has no credits does not block the other VCs of its input.
TEST_P(MeshRouter, BlockedVcDoesNotBlockOthers) {
  RouterDriver driver(wafer(), kFast, 11);
  driver.set_depth(kEast, kMp, 0);
  driver.add_packet(kWest, kMp, kEastward, kPacketFlits);
  for (int i = 0; i < 12; ++i) driver.step();
  for (int i = 0; i < 50; ++i) driver.add_packet(kWest, kDp, kEastward, kPacketFlits);
  const std::uint64_t start = driver.cycle();
  for (int i = 0; i < 500; ++i) driver.step();
  EXPECT_EQ(driver.launched(kEast, kDp), 50U * kPacketFlits);
  EXPECT_EQ(driver.last_launch(kEast), start + 50 * kPacketFlits - 1 + kCycles);
}

// Each stall reason, one by one, from a known situation.
TEST_P(MeshRouter, StallCountersNameTheReason) {
  RouterDriver driver(wafer(), kFast, 12);
  driver.set_depth(kEast, kDp, 0);
  driver.add_packet(kWest, kDp, kEastward, 1);
  // The flit is in the buffer after the second edge and then stalls; a stall is counted two edges
  // later.
  for (int i = 0; i < 2 + 10 + 2; ++i) driver.step();
  EXPECT_EQ(driver.read_counter(reg::kStallCredit), 10U);
  EXPECT_EQ(driver.read_counter(reg::kStallArbiter), 0U);

  RouterDriver paused(wafer(), kFast, 13);
  paused.stalls().pause_percent = 100;
  paused.add_packet(kWest, kDp, kEastward, 1);
  paused.add_packet(kNorth, kDp, kEastward, 1);  // on one output: counted once per cycle
  for (int i = 0; i < 2 + 10; ++i) paused.step();
  paused.stalls().pause_percent = 0;
  paused.step();  // one leaves, the other lost to it
  paused.drain(10);
  paused.check_quiet();
  EXPECT_EQ(paused.rules().stalls(), (RouterRules::Stalls{0, 1, 10}));
}

// ---------------------------------------------------------------- errors
std::uint32_t error_of(const RouterImplementation& router, int port, const FlitHeader& header,
                       int times) {
  const auto core = router.make();
  core->reset();
  SwitchPins pins(10, 1);
  pins.reg = {true, true, reg::kPosition, kX | kY << 8};
  core->step(pins);
  pins.reg = {};
  pack_header(header, &pins.in_flit[port * flit_words(1)]);
  for (int i = 0; i < times; ++i) {
    pins.in_valid = 1U << port;
    core->step(pins);
  }
  pins.in_valid = 0;
  for (int i = 0; i < 4; ++i) core->step(pins);
  const std::uint32_t error = core->error();
  pins.reg = {true, false, reg::kError, 0};
  core->step(pins);
  EXPECT_EQ(pins.reg_rdata, error);
  EXPECT_EQ(core->error(), error);  // the code is sticky
  EXPECT_FALSE(core->idle());       // out_ready is low: all that is left is inside
  core->reset();
  EXPECT_EQ(core->error(), reg::kErrorNone);
  EXPECT_TRUE(core->idle());
  return error;
}

TEST_P(MeshRouter, ImpossibleDestinationsAreErrors) {
  FlitHeader h{.dst = kNorthward, .vc = kPp, .head = true, .tail = true};
  EXPECT_EQ(error_of(wafer(), kSouth, h, 1), reg::kErrorNone);
  EXPECT_EQ(error_of(wafer(), kNorth, h, 1), reg::kErrorRoute);  // back where it came from
  h.dst = kEastward;
  EXPECT_EQ(error_of(wafer(), kEast, h, 1), reg::kErrorRoute);
  EXPECT_EQ(error_of(wafer(), kLocal0, h, 1), reg::kErrorNone);
  h.dst = mesh_address(kX, kY, 2);
  EXPECT_EQ(error_of(wafer(), kEast, h, 1), reg::kErrorNone);
  for (const int endpoint : {3, 4, 15}) {
    h.dst = mesh_address(kX, kY, endpoint);
    EXPECT_EQ(error_of(wafer(), kEast, h, 1), reg::kErrorRoute) << endpoint;
  }
}

// Flits before such a packet leave, flits behind it never do; other VCs of the input go on.
TEST_P(MeshRouter, APacketWithoutARouteStaysWhereItIs) {
  const auto core = wafer().make();
  core->reset();
  SwitchPins pins(10, 1);
  pins.reg = {true, true, reg::kPosition, kX | kY << 8};
  core->step(pins);
  pins.reg = {};
  pins.out_ready = ~0U;
  int returned = 0;
  std::vector<std::pair<int, std::uint32_t>> launched;  // output, tag
  const auto step = [&] {
    core->step(pins);
    pins.in_valid = 0;
    returned += static_cast<int>(pins.in_credit[kPp] >> kWest & 1U);
    for (int p = 0; p < 10; ++p) {
      if ((pins.out_valid >> p & 1U) != 0)
        launched.emplace_back(p, pins.out_flit[p * flit_words(1)]);
    }
  };
  const auto put = [&](std::uint32_t tag, std::uint16_t dst, Vc vc, bool head, bool tail) {
    pins.in_valid = 1U << kWest;
    pack_header({.tag = tag, .dst = dst, .vc = vc, .head = head, .tail = tail},
                &pins.in_flit[kWest * flit_words(1)]);
    step();
  };
  using Flits = decltype(launched);
  pins.out_ready = 0;  // makes them queue up
  put(1, kEastward, kPp, true, false);
  put(2, kEastward, kPp, false, true);
  for (const bool head : {true, false}) put(3, kWestward, kPp, head, !head);
  put(4, kSouthward, kPp, true, true);
  pins.out_ready = ~0U;
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(launched, (Flits{{kEast, 1}, {kEast, 2}}));
  EXPECT_EQ(returned, 2);
  EXPECT_EQ(core->error(), reg::kErrorRoute);
  put(5, kSouthward, kDp, true, true);
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(launched, (Flits{{kEast, 1}, {kEast, 2}, {kSouth, 5}}));
  EXPECT_FALSE(core->idle());
}

TEST_P(MeshRouter, OverflowIsAnError) {
  FlitHeader h{.dst = kEastward, .vc = kPp, .head = true, .tail = true};
  EXPECT_EQ(error_of(wafer(), kWest, h, 80), reg::kErrorNone);
  EXPECT_EQ(error_of(wafer(), kWest, h, 81), reg::kErrorOverflow);
  h.vc = kControl;
  EXPECT_EQ(error_of(wafer(), kIo0 + 1, h, 4), reg::kErrorNone);
  EXPECT_EQ(error_of(wafer(), kIo0 + 1, h, 5), reg::kErrorOverflow);
}

// A packet without a route arrives `ahead` edges before a flit that finds its buffer full: the
// register shows the missing route from the fourth edge on, the overflow from the third edge on.
TEST_P(MeshRouter, OverflowWinsWhereBothErrorsComeAtOnce) {
  for (const int ahead : {0, 1, 2}) {
    SCOPED_TRACE(ahead);
    const auto core = wafer().make();
    core->reset();
    SwitchPins pins(10, 1);
    const auto put = [&](int port, std::uint16_t dst) {
      pins.in_valid |= 1U << port;
      pack_header({.dst = dst, .vc = kPp, .head = true, .tail = true},
                  &pins.in_flit[port * flit_words(1)]);
    };
    pins.reg = {true, true, reg::kPosition, kX | kY << 8};
    for (int i = 0; i <= 80; ++i) {
      put(kWest, kEastward);
      if (i == 80 - ahead) put(kNorth, kNorthward);
      core->step(pins);
      pins.in_valid = 0;
      pins.reg = {};
    }
    core->step(pins);
    EXPECT_EQ(core->error(), ahead < 2 ? reg::kErrorNone : reg::kErrorRoute);
    for (int i = 0; i < 5; ++i) {
      core->step(pins);
      EXPECT_EQ(core->error(), ahead < 2 ? reg::kErrorOverflow : reg::kErrorRoute);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Model, MeshRouter, testing::ValuesIn(kModels), [](const auto& model) {
  return std::string(switch_model_name(model.param));
});

}  // namespace
}  // namespace fredsim::tb
