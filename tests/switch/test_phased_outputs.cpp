// SPDX-License-Identifier: Apache-2.0
// The output units of a switch with phases against a reference by queues, written from the contract
// of rtl/phased/phased_output_unit.sv and of switch/phased/phased_outputs.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/random.h"
#include "switch/phased/phased_outputs.h"

namespace fredsim {
namespace {

constexpr int kLongest = 9;  // edges of arrive()

struct OutputFlit {
  FlitHeader header;
  std::vector<std::uint16_t> lanes;
  bool operator==(const OutputFlit&) const = default;
};

// One output port.
class OutputReference {
 public:
  OutputReference(const PhasedShape& shape) : shape_(shape) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      places_[vc] = shape.buffers.output_flits;
      credits_[vc] = shape.buffers.depth(vc);
    }
  }

  bool room(int vc) const { return places_[vc] >= (vc == kControl ? 1 : shape_.packet_flits); }
  int places(int vc) const { return places_[vc]; }
  void reserve(int vc) { --places_[vc]; }
  void stage(int vc, OutputFlit flit, long arrival) {
    way_[vc].emplace_back(arrival, std::move(flit));
  }
  bool is_free(int vc, long arrival) const {  // no flit before it arrives later, none at that edge
    return way_[vc].empty() || way_[vc].back().first < arrival;
  }
  // The flit that goes to the link at this edge.
  std::optional<OutputFlit> launch(long now, bool ready, std::uint32_t credits) {
    for (int vc = 0; vc < kNumVcs; ++vc) credits_[vc] += static_cast<int>(credits >> vc & 1U);
    std::optional<int> choice;
    for (const bool needs_open : {true, false}) {
      for (const int vc : shape_.vc_order) {
        if (choice || (needs_open && !open_[vc]) || credits_[vc] == 0) continue;
        if (!way_[vc].empty() && way_[vc].front().first <= now) choice = vc;
      }
    }
    stalls_ += choice && !ready ? 1 : 0;
    if (!choice || !ready) return std::nullopt;
    OutputFlit flit = std::move(way_[*choice].front().second);
    way_[*choice].pop_front();
    --credits_[*choice];
    ++places_[*choice];
    open_[*choice] = !flit.header.tail && flit.header.phase != kPhaseOnline;
    ++flits_;
    return flit;
  }
  bool empty() const {
    return std::ranges::all_of(places_, [&](int n) { return n == shape_.buffers.output_flits; });
  }
  int credits(int vc) const { return credits_[vc]; }
  void set_credits(int vc, int credits) { credits_[vc] = credits; }
  std::uint64_t flits() const { return flits_; }
  std::uint64_t stalls() const { return stalls_; }

 private:
  PhasedShape shape_;
  std::array<int, kNumVcs> places_{}, credits_{};
  std::array<bool, kNumVcs> open_{};
  std::array<std::deque<std::pair<long, OutputFlit>>, kNumVcs> way_;
  std::uint64_t flits_ = 0, stalls_ = 0;
};

struct OutputsCase {
  int ports, lanes, delay, longest, depth, packet;
  VcOrder order;
};

class OutputsBench {
 public:
  OutputsBench(const OutputsCase& c, std::uint64_t seed)
      : case_(c),
        shape_(shape_of(c)),
        random_(seed),
        outputs_(c.ports, shape_, c.delay, c.longest),
        pins_(c.ports, c.lanes),
        reference_(static_cast<std::size_t>(c.ports), OutputReference(shape_)),
        packets_(reference_.size()),
        owed_(reference_.size()),
        launched_(reference_.size()) {}

  void run(int edges, std::uint64_t busy, std::uint64_t ready, std::uint64_t credit) {
    for (int i = 0; i < edges; ++i) {
      edge(busy, ready, credit);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  void drain() {
    run(5 * case_.depth + kLongest, 0, 100, 100);
    if (testing::Test::HasFatalFailure()) return;
    EXPECT_TRUE(outputs_.empty());
    for (const OutputReference& port : reference_) EXPECT_TRUE(port.empty());
  }
  // Sets all credits, which are back.
  void set_credits() {
    const int port = static_cast<int>(random_.below(static_cast<std::uint64_t>(case_.ports)));
    const int vc = static_cast<int>(random_.below(kNumVcs));
    const int credits = static_cast<int>(random_.below(5));
    outputs_.set_credits(port, vc, static_cast<std::uint16_t>(credits));
    reference_[port].set_credits(vc, credits);
  }
  std::uint64_t flits() const {
    std::uint64_t all = 0;
    for (const OutputReference& port : reference_) all += port.flits();
    return all;
  }

 private:
  struct Open {
    int left = 0;
    std::uint8_t phase = kPhaseOnline;
  };

  static PhasedShape shape_of(const OutputsCase& c) {
    PhasedShape shape;
    shape.lanes = c.lanes;
    shape.buffers.output_flits = c.depth;
    shape.buffers.data_flits = 7;
    shape.buffers.control_flits = 2;
    shape.packet_flits = c.packet;
    shape.vc_order = c.order;
    return shape;
  }

  OutputFlit next_flit(int port, int vc) {
    Open& open = packets_[port][vc];
    const bool head = open.left == 0;
    if (head) {
      open.left =
          vc == kControl
              ? 1
              : 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(case_.packet)));
      open.phase = random_.below(2) == 0 ? kPhaseOnline : static_cast<std::uint8_t>(vc);
    }
    OutputFlit flit;
    flit.header = {.tag = ++tag_,
                   .phase = open.phase,
                   .vc = static_cast<std::uint8_t>(vc),
                   .head = head,
                   .tail = --open.left == 0};
    for (int l = 0; l < case_.lanes; ++l)
      flit.lanes.push_back(static_cast<std::uint16_t>(random_.next()));
    return flit;
  }
  std::vector<std::uint32_t> words(const OutputFlit& flit) const {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(flit_words(case_.lanes)));
    pack_header(flit.header, words.data());
    for (int l = 0; l < case_.lanes; ++l) set_lane(words.data(), l, flit.lanes[l]);
    return words;
  }

  // At most one flit enters for each port; of a packet that has begun at any time, of another where
  // there is room.
  void enter(std::uint64_t busy) {
    for (int port = 0; port < case_.ports; ++port) {
      if (random_.below(100) >= busy) continue;
      const int vc = static_cast<int>(random_.below(kNumVcs));
      if (packets_[port][vc].left == 0 && (outputs_.room()[vc] >> port & 1U) == 0) continue;
      const bool late = case_.longest > 0 && random_.below(2) == 0;
      const int edges =
          late ? 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(case_.longest)))
               : case_.delay;
      if (!reference_[port].is_free(vc, now_ + edges)) continue;
      enter_one(port, vc, late, edges);
    }
  }
  void enter_one(int port, int vc, bool late, int edges) {
    const OutputFlit flit = next_flit(port, vc);
    const std::vector<std::uint32_t> of_flit = words(flit);
    const std::uint32_t to = 1U << port;
    outputs_.reserve(vc, to);
    reference_[port].reserve(vc);
    if (late) {
      outputs_.stage<0>(vc, to, of_flit.data());
      outputs_.arrive(vc, to, edges);
    } else {
      outputs_.push<0>(vc, to, of_flit.data());
    }
    reference_[port].stage(vc, flit, now_ + edges);
  }

  void edge(std::uint64_t busy, std::uint64_t ready, std::uint64_t credit) {
    const std::string where = fmt::format("edge {}", now_);
    outputs_.drive<0>(pins_);
    for (int port = 0; port < case_.ports; ++port) {
      ASSERT_EQ(pins_.out_valid >> port & 1U, launched_[port] ? 1U : 0U) << where;
      if (!launched_[port]) continue;
      const std::vector<std::uint32_t> want = words(*launched_[port]);
      const auto at = pins_.out_flit.begin() + static_cast<std::ptrdiff_t>(want.size()) * port;
      ASSERT_TRUE(std::equal(want.begin(), want.end(), at)) << where << ", port " << port;
      ++owed_[port][launched_[port]->header.vc];
    }
    enter(busy);
    outputs_.deliver();
    pins_.out_ready = 0;
    pins_.out_credit = {};
    std::uint64_t stalls = 0;
    for (int port = 0; port < case_.ports; ++port) {
      const bool is_ready = random_.below(100) < ready;
      std::uint32_t credits = 0;
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if (owed_[port][vc] == 0 || random_.below(100) >= credit) continue;
        --owed_[port][vc];
        credits |= 1U << vc;
        pins_.out_credit[vc] |= 1U << port;
      }
      pins_.out_ready |= is_ready ? 1U << port : 0;
      // Registers show an event one edge later.
      flits_before_[port] = reference_[port].flits() - (launched_[port] ? 1 : 0);
      stalls += reference_[port].stalls();
      launched_[port] = reference_[port].launch(now_, is_ready, credits);
    }
    outputs_.launch(pins_);
    ASSERT_EQ(outputs_.stall_link(), stalls) << where;
    bool empty = true;
    for (int port = 0; port < case_.ports; ++port) {
      const OutputReference& want = reference_[port];
      ASSERT_EQ(outputs_.flits(port), flits_before_[port]) << where;
      empty = empty && want.empty() && !launched_[port] && (pins_.out_valid >> port & 1U) == 0;
      for (int vc = 0; vc < kNumVcs; ++vc) {
        ASSERT_EQ(outputs_.credits(port, vc), want.credits(vc)) << where;
        ASSERT_EQ(outputs_.room()[vc] >> port & 1U, want.room(vc) ? 1U : 0U) << where;
      }
    }
    ASSERT_EQ(outputs_.empty(), empty) << where;
    ++now_;
  }

  OutputsCase case_;
  PhasedShape shape_;
  Random random_;
  PhasedOutputs outputs_;
  SwitchPins pins_;
  std::vector<OutputReference> reference_;
  std::vector<std::array<Open, kNumVcs>> packets_;
  std::vector<std::array<int, kNumVcs>> owed_;  // credits
  std::vector<std::optional<OutputFlit>> launched_;
  std::map<int, std::uint64_t> flits_before_;
  std::uint32_t tag_ = 0;
  long now_ = 0;
};

TEST(PhasedOutputs, FollowTheirReference) {
  const OutputsCase cases[] = {{2, 1, 1, 0, 8, 8, kDefaultVcOrder},
                               {3, 3, 4, 0, 12, 8, {kPp, kDp, kControl, kMp}},
                               {4, 2, 2, kLongest, 5, 3, kDefaultVcOrder},
                               {32, 1, 7, 3, 24, 8, {kDp, kMp, kPp, kControl}}};
  std::uint64_t seed = 0;
  for (const OutputsCase& c : cases) {
    for (int run = 0; run < 3; ++run) {
      SCOPED_TRACE(fmt::format("{} ports, delay {}, seed {}", c.ports, c.delay, ++seed));
      OutputsBench bench(c, seed);
      const int edges = 4000 / c.ports;
      bench.run(edges, 100, 100, 100);
      bench.run(edges, 90, 60, 100);
      bench.run(edges, 90, 100, 15);
      bench.drain();
      bench.set_credits();
      bench.run(edges, 40, 80, 60);
      if (HasFatalFailure()) return;
      EXPECT_GT(bench.flits(), static_cast<std::uint64_t>(edges));
    }
  }
}

TEST(PhasedOutputs, ResetIsAsNew) {
  PhasedShape shape;
  PhasedOutputs outputs(3, shape, 2);
  const auto digest = [&] {
    StateDigest state(0);
    outputs.add_state(state);
    return state;
  };
  const StateDigest fresh = digest();
  SwitchPins pins(3, 1);
  std::array<std::uint32_t, 4> flit{};
  pack_header({.phase = 1, .vc = kPp, .head = true}, flit.data());
  outputs.set_credits(2, kControl, 0);
  outputs.reserve(kPp, 0b101);
  outputs.push<0>(kPp, 0b101, flit.data());
  for (int i = 0; i < 4; ++i) {
    outputs.drive<0>(pins);
    outputs.deliver();
    pins.out_ready = 1;
    outputs.launch(pins);
  }
  EXPECT_FALSE(outputs.empty()) << "the link of port 2 was not ready";
  EXPECT_GT(outputs.stall_link(), 0U);
  EXPECT_NE(digest(), fresh);
  outputs.reset();
  EXPECT_TRUE(outputs.empty());
  EXPECT_EQ(digest(), fresh);
  EXPECT_EQ(outputs.flits(0), 0U);
  EXPECT_EQ(outputs.stall_link(), 0U);
  EXPECT_EQ(outputs.credits(2, kControl), shape.buffers.control_flits);
}

}  // namespace
}  // namespace fredsim
