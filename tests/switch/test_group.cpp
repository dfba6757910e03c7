// SPDX-License-Identifier: Apache-2.0
// Groups (switch/switch_group.h): switches that step in one have the outputs, errors and counters
// of switches that step by themselves at every edge, and their state whenever they part.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/port_mask.h"
#include "base/random.h"
#include "routing/mesh_routing.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "switch/switch_group.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

constexpr int kX = 2, kY = 2;  // position of the router

// Packets for the inputs of a router, as credits allow, and credits for its outputs.
class RandomLinks {
 public:
  // Senders that do not obey send without room, too, and to where no route leads.
  RandomLinks(const MeshShape& shape, bool obey, Random& random)
      : shape_(shape),
        obey_(obey),
        random_(random),
        senders_(static_cast<std::size_t>(shape.ports())) {
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
    const bool breaks_rules = !obey_ && random_.below(1000) == 0;
    if (sender.room <= 0 && !breaks_rules) return;
    const bool head = sender.left == 0;
    if (head) {
      sender.left = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(shape_.packet_flits));
      int x = 0, y = 0;
      do {  // not back to where it comes from
        x = static_cast<int>(random_.below(5));
        y = static_cast<int>(random_.below(5));
      } while (!breaks_rules && (x != kX || y != kY) && mesh_direction(kX, kY, x, y, {}) == port);
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
  bool obey_;
  Random& random_;
  std::vector<std::array<Sender, kNumVcs>> senders_;
  std::array<std::uint32_t, kNumVcs> owed_{};
  std::uint64_t one_in_ = 1;
  std::uint32_t tag_ = 0;
};

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

struct GroupInputs {
  std::vector<std::uint32_t> flits;
  std::vector<CreditPin> credits;
};

// A twin in a group, and one like it that steps by itself.
class GroupPair {
 public:
  GroupPair(const MeshShape& shape, bool obey, Random& random)
      : member(make_twin(shape, "member")),
        alone(make_twin(shape, "alone")),
        member_pins(shape.ports(), shape.lanes),
        pins(shape.ports(), shape.lanes),
        links_(shape, obey, random),
        words_(static_cast<std::size_t>(flit_words(shape.lanes))) {
    member->reset();
    alone->reset();
    pins.reg = {true, true, reg::kPosition, kX | kY << 8};
    member_pins.reg = pins.reg;
    member->step(member_pins);
    alone->step(pins);
    pins.reg = member_pins.reg = {};
  }

  void step_alone() {
    links_.drive(pins);
    inputs_ = pins;
    alone->step(pins);
  }
  void step_member_alone() {
    inputs_.reg = {};
    member_pins = inputs_;
    member->step(member_pins);
  }
  void put_inputs(std::uint32_t node, GroupInputs& inputs, SwitchGroup::Pins& group) const {
    for_each_port(inputs_.in_valid, [&](int port) {
      const auto p = static_cast<std::uint32_t>(port);
      inputs.flits.push_back(InputPin(node, p).word());
      const auto words = inputs_.in_flit.begin() + static_cast<std::ptrdiff_t>(p * words_);
      inputs.flits.insert(inputs.flits.end(), words, words + static_cast<std::ptrdiff_t>(words_));
    });
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
      for_each_port(inputs_.out_credit[vc], [&](int port) {
        inputs.credits.emplace_back(node, static_cast<std::uint32_t>(port), vc, true);
      });
    }
    group.out_ready[node] = inputs_.out_ready;
  }
  void take_outputs(std::uint32_t node, const SwitchGroup::Pins& group) {
    member_pins.out_valid = 0;
    member_pins.in_credit = {};
    for (const SwitchGroup::Flit& flit : group.out_flits) {
      if (flit.node != node) continue;
      member_pins.out_valid |= 1U << flit.port;
      std::copy_n(flit.words, words_, &member_pins.out_flit[flit.port * words_]);
    }
    for (const SwitchGroup::Credit& credit : group.in_credits) {
      if (credit.node == node) member_pins.in_credit[credit.vc] |= 1U << credit.port;
    }
  }
  void expect_equal_outputs() const {
    ASSERT_EQ(member_pins.out_valid, pins.out_valid);
    ASSERT_EQ(member_pins.in_credit, pins.in_credit);
    for_each_port(pins.out_valid, [&](int port) {
      const std::size_t at = static_cast<std::size_t>(port) * words_;
      ASSERT_TRUE(
          std::equal(&pins.out_flit[at], &pins.out_flit[at] + words_, &member_pins.out_flit[at]));
    });
  }

  std::unique_ptr<SwitchCore> member, alone;
  SwitchPins member_pins, pins;

 private:
  RandomLinks links_;
  std::size_t words_;
  SwitchPins inputs_{1, 1};  // inputs of the last edge
};

MeshShape random_shape(int lanes, Random& random) {
  MeshShape shape;
  shape.local_ports = 1 + static_cast<int>(random.below(4));
  shape.io_ports = static_cast<int>(random.below(3));
  shape.lanes = lanes;
  shape.packet_flits = 1 + static_cast<int>(random.below(8));
  shape.buffers = {.data_flits = shape.packet_flits + static_cast<int>(random.below(20)),
                   .control_flits = 1 + static_cast<int>(random.below(4))};
  return shape;
}

class Groups : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Senders, Groups, testing::Bool(),
                         [](const auto& obey) { return obey.param ? "obey" : "break_rules"; });

TEST_P(Groups, OfMeshRoutersIsAsRoutersThatStepAlone) {
  std::uint64_t grouped = 0, errors = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int lanes = random.below(2) == 0 ? 1 : 3;
    std::vector<GroupPair> pairs;
    std::size_t ports = 0;
    for (std::uint64_t left = 1 + random.below(4); left != 0; --left) {
      const MeshShape shape = random_shape(lanes, random);
      pairs.emplace_back(shape, GetParam(), random);
      ports += static_cast<std::size_t>(shape.ports());
    }
    // Every third node is a switch.
    const auto node_of = [](std::size_t pair) { return static_cast<std::uint32_t>(3 * pair + 1); };
    const std::unique_ptr<SwitchGroup> group =
        pairs.front().member->make_group(3 * pairs.size(), ports);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ASSERT_TRUE(group->add(node_of(i), *pairs[i].member));
    }
    SwitchGroup::Pins pins(3 * pairs.size(), ports);
    bool in_group = false;
    for (int cycle = 0; cycle < 2000; ++cycle) {
      SCOPED_TRACE(fmt::format("cycle {}", cycle));
      if (!in_group && random.below(20) == 0) {  // for no step
        group->join(pins);
        group->part();
        for (const GroupPair& pair : pairs) expect_equal_states(*pair.member, *pair.alone);
      }
      if (random.below(20) == 0) {
        in_group = !in_group;
        in_group ? group->join(pins) : group->part();
        for (const GroupPair& pair : pairs) {
          if (!in_group) expect_equal_states(*pair.member, *pair.alone);
        }
      }
      for (GroupPair& pair : pairs) pair.step_alone();
      if (in_group) {
        GroupInputs inputs;
        pins.error = pins.error_node = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i)
          pairs[i].put_inputs(node_of(i), inputs, pins);
        pins.in_flits = inputs.flits;
        pins.out_credits = inputs.credits;
        group->step(pins);
        ++grouped;
        const auto failed = std::ranges::find_if(
            pairs, [](const GroupPair& pair) { return pair.alone->error() != reg::kErrorNone; });
        ASSERT_EQ(pins.error, failed == pairs.end() ? reg::kErrorNone : failed->alone->error());
        if (failed != pairs.end()) {
          ASSERT_EQ(pins.error_node, node_of(static_cast<std::size_t>(failed - pairs.begin())));
          ++errors;
        }
      }
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        in_group ? pairs[i].take_outputs(node_of(i), pins) : pairs[i].step_member_alone();
        pairs[i].expect_equal_outputs();
      }
      const bool idle =
          std::ranges::all_of(pairs, [](const GroupPair& p) { return p.alone->idle(); });
      if (in_group) {
        ASSERT_EQ(group->idle(), idle);
      }
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(grouped, 10000U);
  if (!GetParam()) {
    EXPECT_GT(errors, 1000U);
  }
}

TEST(Group, TakesNoMemberOfOtherLanes) {
  MeshShape shape;
  shape.local_ports = 1;
  shape.packet_flits = 1;
  shape.buffers = {.data_flits = 2, .control_flits = 1};
  const auto first = make_twin(shape, "first");
  shape.lanes = 3;
  const auto second = make_twin(shape, "second");
  const auto group = first->make_group(2, 10);
  EXPECT_TRUE(group->add(0, *first));
  EXPECT_FALSE(group->add(1, *second));
}

}  // namespace
}  // namespace fredsim
