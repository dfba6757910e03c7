// SPDX-License-Identifier: Apache-2.0
// RTL and twin in lockstep under arbitrary pin values: traffic that keeps the rules and traffic
// that breaks them (overflows, impossible destinations), pauses, registers read and written in
// mid-traffic, resets at any time. Every seed is a separate episode, named on failure.

#include "lockstep.h"

#include <array>
#include <bit>
#include <stdexcept>

#include "base/random.h"
#include "router_implementations.h"
#include "routing/mesh_routing.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kEpisode = 2000;  // cycles

class Episode {
 public:
  Episode(SwitchCore& core, const MeshShape& shape, std::uint64_t seed)
      : core_(core),
        shape_(shape),
        random_(seed),
        ports_(shape.ports()),
        words_(flit_words(shape.lanes)),
        pins_(ports_, shape.lanes),
        credits_(static_cast<std::size_t>(ports_)),
        inside_(static_cast<std::size_t>(ports_)) {
    for (int p = 0; p < ports_; ++p) {
      for (int v = 0; v < kNumVcs; ++v) credits_[p][v] = shape.buffers.depth(v);
    }
    send_percent_ = 1 + static_cast<int>(random_.below(100));
    ready_percent_ = chance(40) ? 100 : 20 + static_cast<int>(random_.below(80));
    return_percent_ = chance(30) ? 100 : 5 + static_cast<int>(random_.below(95));
    tail_percent_ = chance(30) ? 100 : 5 + static_cast<int>(random_.below(95));
    register_percent_ = chance(50) ? 0 : static_cast<int>(random_.below(40));
    vcs_ = 1 + static_cast<int>(random_.below(15));  // mask
    overruns_ = chance(25);
    strays_ = chance(15);
    far_ = chance(50) ? 3 : 64;
    if (chance(50)) rings_ = random_rings();
  }

  void run(LockstepCounts& seen) {
    core_.reset();
    pins_.reg = {true, true, reg::kPosition, position()};
    core_.step(pins_);
    pins_.reg = {true, true, reg::kTorus, torus()};
    core_.step(pins_);
    for (int i = 0; i < kEpisode; ++i) {
      set_flits(seen);
      set_links();
      set_register(seen);
      core_.step(pins_);
      take(seen);
    }
    SwitchCounters counters;
    if (!core_.peek_counters(counters)) throw std::logic_error("no counters to look at");
    seen.cycles += kEpisode + 2;
    seen.stall_credit += counters.stall_credit;
    seen.stall_arbiter += counters.stall_arbiter;
    seen.stall_link += counters.stall_link;
    seen.overflows += core_.error() == reg::kErrorOverflow ? 1 : 0;
    seen.no_routes += core_.error() == reg::kErrorRoute ? 1 : 0;
  }

 private:
  bool chance(int percent) { return static_cast<int>(random_.below(100)) < percent; }
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  std::uint32_t position() {
    x_ = below(far_);
    y_ = below(far_);
    return static_cast<std::uint32_t>(x_ | y_ << 8) | static_cast<std::uint32_t>(random_.next())
                                                          << 16;
  }

  // Sides as on a torus, and arbitrary ones.
  MeshRings random_rings() {
    const int max = chance(80) ? far_ : 127;
    return {chance(70) ? below(max + 1) : 0, chance(70) ? below(max + 1) : 0};
  }
  std::uint32_t torus() {
    return static_cast<std::uint32_t>(rings_.columns | rings_.rows << 8) |
           (static_cast<std::uint32_t>(random_.next()) & 0xFFFF'8080U);
  }

  std::uint16_t destination(int in) {
    for (;;) {
      const int x = chance(40) ? x_ : below(far_);
      const int y = chance(40) ? y_ : below(far_);
      const int endpoint = below(strays_ && chance(2) ? 16 : shape_.io_ports + 1);
      const bool back = mesh_direction(x_, y_, x, y, rings_) == in;
      if (!back || (strays_ && chance(2))) return mesh_address(x, y, endpoint);
    }
  }

  void set_flits(LockstepCounts& seen) {
    pins_.in_valid = 0;
    for (int p = 0; p < ports_; ++p) {
      if (!chance(send_percent_)) continue;
      int v = below(kNumVcs);
      if ((vcs_ >> v & 1) == 0) v = std::countr_zero(static_cast<unsigned>(vcs_));
      if (credits_[p][v] <= 0 && !(overruns_ && chance(1))) continue;
      --credits_[p][v];
      pins_.in_valid |= 1U << p;
      ++seen.flits_in;
      std::uint32_t* flit = &pins_.in_flit[p * words_];
      for (int w = 0; w < words_; ++w) flit[w] = static_cast<std::uint32_t>(random_.next());
      FlitHeader h = unpack_header(flit);
      h.dst = destination(p);
      h.vc = static_cast<std::uint8_t>(v);
      h.head = !inside_[p][v];
      h.tail = chance(v == kControl ? 90 : tail_percent_);
      inside_[p][v] = !h.tail;
      const std::uint32_t rest = flit[2] & 0xFFFC'0000;  // outside of the header: carried unchanged
      pack_header(h, flit);
      flit[2] |= rest;
    }
  }

  void set_links() {
    pins_.out_ready = 0;
    for (int p = 0; p < ports_; ++p) {
      if (chance(ready_percent_)) pins_.out_ready |= 1U << p;
      for (int v = 0; v < kNumVcs; ++v) {
        const std::uint32_t bit = 1U << p;
        pins_.out_credit[v] &= ~bit;
        auto& owed = owed_[p][v];
        if (owed > 0 && chance(return_percent_)) {
          --owed;
          pins_.out_credit[v] |= bit;
        }
      }
    }
  }

  void set_register(LockstepCounts& seen) {
    pins_.reg = {};
    if (!chance(register_percent_)) return;
    const int any_port = below(32);
    const std::array<int, 14> addresses{reg::kId,
                                        reg::kShape,
                                        reg::kPosition,
                                        reg::kTorus,
                                        reg::kNoLink,
                                        reg::kError,
                                        reg::kCredit + 4 * any_port + below(4),
                                        reg::kFlitsIn + 2 * any_port + below(2),
                                        reg::kFlitsOut + 2 * any_port + below(2),
                                        reg::kReductions + below(4),
                                        reg::kStallJoin + below(10),
                                        reg::kStallCredit + below(6),
                                        reg::kPhaseStore + below(64),
                                        below(0x10000)};
    pins_.reg = {true, false, static_cast<std::uint16_t>(addresses[below(14)]), 0};
    ++seen.reads;
    if (!chance(20)) return;
    const std::array<std::uint32_t, 5> values{static_cast<std::uint32_t>(below(12)), 0, 0xFFFF,
                                              0xFFFE, static_cast<std::uint32_t>(random_.next())};
    pins_.reg.write = true;
    pins_.reg.wdata = values[chance(60) ? 0 : below(5)];
    if (pins_.reg.address == reg::kPosition) pins_.reg.wdata = position();
    if (pins_.reg.address == reg::kTorus) {
      rings_ = random_rings();
      pins_.reg.wdata = torus();
    }
    ++seen.writes;
  }

  void take(LockstepCounts& seen) {
    for (int v = 0; v < kNumVcs; ++v) {
      for (std::uint32_t left = pins_.in_credit[v]; left != 0; left &= left - 1) {
        ++credits_[std::countr_zero(left)][v];
      }
    }
    for (std::uint32_t left = pins_.out_valid; left != 0; left &= left - 1) {
      const int p = std::countr_zero(left);
      ++owed_[p][unpack_header(&pins_.out_flit[p * words_]).vc];
      ++seen.flits_out;
    }
  }

  SwitchCore& core_;
  const MeshShape& shape_;
  Random random_;
  int ports_, words_;
  SwitchPins pins_;
  std::vector<std::array<int, kNumVcs>> credits_;  // credits of the senders
  std::vector<std::array<bool, kNumVcs>> inside_;  // a packet, by input
  std::array<std::array<int, kNumVcs>, 32> owed_{};
  int x_ = 0, y_ = 0, far_ = 64;
  MeshRings rings_;
  int send_percent_, ready_percent_, return_percent_, tail_percent_, register_percent_, vcs_;
  bool overruns_, strays_;
};

}  // namespace

void run_episode(SwitchCore& core, const MeshShape& shape, std::uint64_t seed,
                 LockstepCounts& counts) {
  Episode(core, shape, seed).run(counts);
}

std::uint64_t run_lockstep(std::uint64_t seed) {
  constexpr std::array kRouters{wafer_router, small_router, even_router, full_router};
  const RouterImplementation router = kRouters[seed % kRouters.size()](SwitchModel::kLockstep);
  LockstepCounts counts;
  run_episode(*router.make(), router.shape, seed, counts);
  return counts.cycles;
}

}  // namespace fredsim::tb
