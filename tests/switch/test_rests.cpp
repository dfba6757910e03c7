// Twins that rest (SwitchCore): a twin of which the steps are left out that it says may be does what one does that steps
// at every edge, and has its state and its counters whenever it is asked.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/port_mask.h"
#include "base/random.h"
#include "routing/mesh_routing.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

constexpr int kX = 2, kY = 2;  // where the router is

// Packets for the inputs of a router, as credits allow, and credits for what leaves it.
class RandomLinks {
 public:
  RandomLinks(const MeshShape& shape, Random& random)
      : shape_(shape), random_(random), senders_(static_cast<std::size_t>(shape.ports())) {
    for (auto& sender : senders_) {
      for (int vc = 0; vc < kNumVcs; ++vc) sender[vc].room = shape.buffers.depth(vc);
    }
    one_in_ = 1 + random.below(40);
  }

  void drive(SwitchPins& pins) {
    const std::uint32_t ports = (1U << shape_.ports()) - 1;
    for (int vc = 0; vc < kNumVcs; ++vc) {
      for_each_port(pins.in_credit[vc], [&](int port) { ++senders_[port][vc].room; });
      pins.out_credit[vc] = owed_[vc] & static_cast<std::uint32_t>(random_.next());
      owed_[vc] &= ~pins.out_credit[vc];
    }
    for_each_port(pins.out_valid,
                  [&](int port) { owed_[vc_of(&pins.out_flit[port * words()])] |= 1U << port; });
    pins.out_ready =
        ports & ~static_cast<std::uint32_t>(random_.next() & random_.next() & random_.next());
    pins.in_valid = 0;
    for (int port = 0; port < shape_.ports(); ++port) {
      if (random_.below(one_in_) == 0) send(port, static_cast<int>(random_.below(kNumVcs)), pins);
    }
  }

 private:
  struct Sender {
    int room = 0;
    int left = 0;  // flits of the packet
    std::uint16_t dst = 0;
  };

  int words() const { return flit_words(shape_.lanes); }

  void send(int port, int vc, SwitchPins& pins) {
    Sender& sender = senders_[port][vc];
    if (sender.room == 0) return;
    const bool head = sender.left == 0;
    if (head) {
      sender.left = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(shape_.packet_flits));
      int x = 0, y = 0;
      do {  // not back to where it comes from
        x = static_cast<int>(random_.below(5));
        y = static_cast<int>(random_.below(5));
      } while ((x != kX || y != kY) && mesh_direction(kX, kY, x, y, {}) == port);
      sender.dst = mesh_address(x, y, 0);
    }
    --sender.room;
    --sender.left;
    std::uint32_t* const flit = &pins.in_flit[port * words()];
    std::fill_n(flit, words(), 0U);
    pack_header({.tag = ++tag_,
                 .dst = sender.dst,
                 .phase = kPhaseOnline,
                 .vc = static_cast<std::uint8_t>(vc),
                 .head = head,
                 .tail = sender.left == 0},
                flit);
    pins.in_valid |= 1U << port;
  }

  MeshShape shape_;
  Random& random_;
  std::vector<std::array<Sender, kNumVcs>> senders_;
  std::array<std::uint32_t, kNumVcs> owed_{};
  std::uint64_t one_in_ = 1;
  std::uint32_t tag_ = 0;
};

// A twin whose steps are left out where it says that they may be.
class Resting {
 public:
  Resting(SwitchCore& core, const SwitchPins& pins) : core_(core), pins_(pins) {}

  // An edge with the inputs of these pins.
  void edge(const SwitchPins& inputs) {
    const bool has_input = inputs.in_valid != 0 || on_any_vc(inputs.out_credit) != 0;
    if (!has_input && rests_ != 0) {
      if (rests_ != SwitchCore::kUntilInput) --rests_;
      ++left_out_;
      ++all_left_out_;
      return;
    }
    make_up();
    pins_.in_valid = inputs.in_valid;
    pins_.in_flit = inputs.in_flit;
    pins_.out_credit = inputs.out_credit;
    pins_.out_ready = inputs.out_ready;
    const SwitchCore::Stepped stepped = core_.step_and_tell(pins_);
    EXPECT_EQ(stepped.idle, core_.idle());
    EXPECT_EQ(stepped.error, core_.error());
    rests_ = stepped.rests;
  }
  void make_up() {
    if (left_out_ != 0) core_.make_up(pins_, left_out_);
    left_out_ = 0;
    rests_ = 0;
  }
  bool is_left_out() const { return left_out_ != 0; }
  std::uint64_t all_left_out() const { return all_left_out_; }
  const SwitchPins& pins() const { return pins_; }

 private:
  SwitchCore& core_;
  SwitchPins pins_;
  std::uint64_t rests_ = 0, left_out_ = 0, all_left_out_ = 0;
};

void expect_equal_outputs(const SwitchPins& pins, const SwitchPins& expected, std::size_t words) {
  ASSERT_EQ(pins.out_valid, expected.out_valid);
  ASSERT_EQ(pins.in_credit, expected.in_credit);
  for_each_port(pins.out_valid, [&](int port) {
    const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(port) * words);
    ASSERT_TRUE(std::equal(pins.out_flit.begin() + at,
                           pins.out_flit.begin() + at + static_cast<std::ptrdiff_t>(words),
                           expected.out_flit.begin() + at));
  });
}

void expect_equal_states(const SwitchCore& core, const SwitchCore& expected) {
  StateDigest digest(0), expected_digest(0);
  ASSERT_TRUE(core.add_state(digest) && expected.add_state(expected_digest));
  ASSERT_EQ(digest, expected_digest);
  SwitchCounters counters, expected_counters;
  ASSERT_TRUE(core.peek_counters(counters) && expected.peek_counters(expected_counters));
  ASSERT_EQ(counters.flits_in, expected_counters.flits_in);
  ASSERT_EQ(counters.flits_out, expected_counters.flits_out);
  ASSERT_EQ(counters.stall_credit, expected_counters.stall_credit);
  ASSERT_EQ(counters.stall_arbiter, expected_counters.stall_arbiter);
  ASSERT_EQ(counters.stall_link, expected_counters.stall_link);
  ASSERT_EQ(core.idle(), expected.idle());
}

TEST(Rests, OfAMeshRouterChangeNothing) {
  std::uint64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    MeshShape shape;
    shape.local_ports = 1 + static_cast<int>(random.below(4));
    shape.io_ports = static_cast<int>(random.below(3));
    shape.lanes = random.below(2) == 0 ? 1 : 3;
    shape.packet_flits = 1 + static_cast<int>(random.below(8));
    shape.buffers = {.data_flits = shape.packet_flits + static_cast<int>(random.below(20)),
                     .control_flits = 1 + static_cast<int>(random.below(4))};
    const auto stepping = make_twin(shape, "stepping");
    const auto core = make_twin(shape, "resting");
    stepping->reset();
    core->reset();
    SwitchPins pins(shape.ports(), shape.lanes);
    pins.reg = {true, true, reg::kPosition, kX | kY << 8};
    core->step(pins);
    stepping->step(pins);
    pins.reg = {};
    Resting resting(*core, pins);
    RandomLinks links(shape, random);
    for (int cycle = 0; cycle < 3000; ++cycle) {
      links.drive(pins);
      resting.edge(pins);
      stepping->step(pins);
      if (resting.is_left_out()) {
        ASSERT_EQ(pins.out_valid | on_any_vc(pins.in_credit), 0U) << "cycle " << cycle;
      } else {
        expect_equal_outputs(resting.pins(), pins,
                             static_cast<std::size_t>(flit_words(shape.lanes)));
      }
      if (random.below(20) == 0) {
        resting.make_up();
        expect_equal_states(*core, *stepping);
      }
      if (HasFatalFailure()) FAIL() << "cycle " << cycle;
    }
    left_out += resting.all_left_out();
  }
  EXPECT_GT(left_out, 1000U);
}

}  // namespace
}  // namespace fredsim
