// SPDX-License-Identifier: Apache-2.0
// Cover points of the modules of a mesh_router: random traffic on a mesh and on a torus reaches
// every one of them.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "Vmesh_router/Vmesh_router.h"
#include "base/flit.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"
#include "topology/topology.h"

namespace fredsim {
namespace {

constexpr int kPorts = 6, kX = 2, kY = 2;
constexpr int kFlitBits = 32 * (kHeaderWords + 1);
constexpr std::array<int, kNumVcs> kDepth{12, 12, 12, 2};

struct Load {
  int percent = 0;           // chance of an input to have a flit, per cycle
  int ready_percent = 100;   // chance of an output to be ready
  int credit_percent = 100;  // chance of a receiver to give one of the credits it holds back
  int ring_side = 0;
};

// Random packets at all inputs; every receiver gives credits back as it likes.
class Traffic {
 public:
  Traffic(std::uint64_t seed, const Load& load) : random_(seed), load_(load) {
    bench_->in_valid_i = bench_->reg_valid_i = 0;
    bench_->out_credit_i = 0;
    bench_.reset();
    write(reg::kPosition, kX | kY << 8);
    const auto side = static_cast<unsigned>(load.ring_side);
    write(reg::kTorus, side | side << 8);
    for (auto& credits : credits_) credits = kDepth;
  }
  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      drive_outputs();
      bench_->in_valid_i = 0;
      for (int p = 0; p < kPorts; ++p) drive_input(p);
      bench_.edge();
      for (int p = 0; p < kPorts; ++p) {
        for (int v = 0; v < kNumVcs; ++v)
          credits_[p][v] += bit(bench_->in_credit_o, p * kNumVcs + v);
        if (!bit(bench_->out_valid_o, p)) continue;
        const auto word = bits(bench_->out_flit_o, p * kFlitBits + 64, 32);
        ++held_[p][static_cast<std::size_t>(word >> (noc_pkg::VC_LSB - 64) & 3U)];
      }
    }
  }
  // The packets that have begun, to their ends, until all is delivered.
  void finish() {
    load_ = {.percent = 100, .ring_side = load_.ring_side};
    finishing_ = true;
    run(500);
  }
  // A packet for an I/O port that is not there.
  void send_stray() {
    bench_->in_valid_i = 0;
    drive_flit(kPorts - 1, kDp, mesh_address(kX, kY, 5), true, true);
    bench_.edge();
    bench_->in_valid_i = 0;
    for (int i = 0; i < 5; ++i) bench_.edge();
  }
  std::uint32_t error() { return bench_->error_o; }
  VerilatedContext& context() { return bench_.context(); }

 private:
  struct Packet {
    int left = 0, length = 0;
    std::uint16_t to = 0;
  };

  bool chance(int percent) { return random_.below(100) < static_cast<unsigned>(percent); }
  int below(int n) { return static_cast<int>(random_.below(static_cast<unsigned>(n))); }
  void write(unsigned address, unsigned value) {
    bench_->reg_valid_i = bench_->reg_write_i = 1;
    bench_->reg_addr_i = static_cast<SData>(address);
    bench_->reg_wdata_i = value;
    bench_.edge();
    bench_->reg_valid_i = 0;
  }
  void drive_outputs() {
    bench_->out_ready_i = 0;
    bench_->out_credit_i = 0;
    for (int p = 0; p < kPorts; ++p) {
      if (chance(load_.ready_percent)) set_bit(bench_->out_ready_i, p, true);
      for (int v = 0; v < kNumVcs; ++v) {
        if (held_[p][v] == 0 || !chance(load_.credit_percent)) continue;
        --held_[p][v];
        set_bit(bench_->out_credit_i, p * kNumVcs + v, true);
      }
    }
  }
  // Not back where the packet comes from: straight on, turning from x to y, or to an endpoint.
  std::uint16_t destination(int port) {
    const bool along_x = port == kEast || port == kWest;
    const bool along_y = port == kNorth || port == kSouth;
    int x = kX, y = kY;
    if (!along_y) x += port == kEast ? -below(2) : port == kWest ? below(2) : below(3) - 1;
    if (port == kNorth) y += below(2);
    if (port == kSouth) y -= below(2);
    if (!along_y && !along_x) y += below(3) - 1;
    return mesh_address(x, y, below(2));
  }
  void drive_input(int port) {
    const int vc = below(kNumVcs);
    if (credits_[port][vc] == 0 || !chance(load_.percent)) return;
    Packet& packet = packets_[port][vc];
    if (packet.left == 0) {
      if (finishing_) return;
      packet.length = packet.left = vc == kControl ? 1 : 1 + below(kPacketFlits);
      packet.to = destination(port);
    }
    --packet.left;
    --credits_[port][vc];
    drive_flit(port, vc, packet.to, packet.left == packet.length - 1, packet.left == 0);
  }
  void drive_flit(int port, int vc, std::uint16_t to, bool head, bool tail) {
    std::array<std::uint32_t, kHeaderWords> words{};
    pack_header({.dst = to, .vc = static_cast<std::uint8_t>(vc), .head = head, .tail = tail},
                words.data());
    set_bit(bench_->in_valid_i, port, true);
    for (int w = 0; w < kHeaderWords; ++w)
      set_bits(bench_->in_flit_i, port * kFlitBits + 32 * w, 32, words[w]);
  }

  Random random_;
  Load load_;
  bool finishing_ = false;
  Bench<Vmesh_router> bench_;
  std::array<std::array<Packet, kNumVcs>, kPorts> packets_{};
  std::array<std::array<int, kNumVcs>, kPorts> credits_{};
  std::array<std::array<int, kNumVcs>, kPorts> held_{};  // slots that a receiver has not freed
};

TEST(MeshRouterCoverPoints, AreAllReached) {
  CoverCounts counts;
  std::uint64_t seed = 1;
  for (const int ring_side : {0, 5}) {
    for (const Load& load : {Load{.percent = 10}, Load{.percent = 90},
                             Load{.percent = 90, .ready_percent = 60, .credit_percent = 20}}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Load on_ring = load;
      on_ring.ring_side = ring_side;
      Traffic traffic(seed++, on_ring);
      traffic.run(2000);
      traffic.finish();
      EXPECT_EQ(traffic.error(), noc_pkg::ERROR_NONE);
      traffic.send_stray();
      EXPECT_EQ(traffic.error(), noc_pkg::ERROR_ROUTE);
      add_cover_counts(traffic.context(), counts);
    }
  }
  expect_reached(counts, "mesh_modules");
}

}  // namespace
}  // namespace fredsim
