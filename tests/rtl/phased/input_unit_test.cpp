// SPDX-License-Identifier: Apache-2.0
// phased_input_unit alone, against a reference written from its contract: head-of-line flits and
// their fields, routes that arrive with the pin register, credits, overflow, and popped flits.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>

#include "Vphased_input_unit/Vphased_input_unit.h"
#include "rtl/fred_pkg.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kVcs = noc_pkg::NUM_VCS;
constexpr int kPacketFlits = 3;
constexpr std::array<int, kVcs> kDepth{5, 5, 5, 2};

struct Route {
  bool known = false;
  unsigned out = 0;
};
// Routing table of the test: a third of the destinations have no route.
Route route_to(unsigned dst) { return {dst % 3 != 0, dst / 3 % 32}; }

struct Held {
  Flit flit;
  Route route;
};

class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed), text_("seed " + std::to_string(seed)) {
    model_.in_valid_i = model_.pop_i = model_.active_i = 0;
    put_bits(model_.bist_i, 0, 32, 0);
    reset(model_);
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (cycle % 50 == 0) {
        in_percent_ = random_.below(101);
        pop_percent_ = random_.below(101);
        favourite_ = static_cast<int>(random_.below(2 * kVcs));
        if (cycle % 500 == 450) in_percent_ = 0, pop_percent_ = 100;
      }
      where_ = "cycle " + std::to_string(cycle) + ", " + text_;
      drive();
      settle(model_);
      check_inputs();
      check_hol_flits();
      if (testing::Test::HasFatalFailure()) return;
      before_edge();
      edge(model_);
      check_after_edge();
      if (testing::Test::HasFatalFailure()) return;
      if (random_.below(300) == 0) reset_in_traffic();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(matches_, cycles / 200) << text_;
    EXPECT_GT(requests_, cycles / 20) << text_;
    EXPECT_GT(overflows_, cycles / 100) << text_;
    EXPECT_GT(times_empty_, cycles / 100) << text_;
  }

 private:
  int some_vc() {
    const bool favoured = favourite_ < kVcs && random_.below(4) != 0;
    return favoured ? favourite_ : static_cast<int>(random_.below(kVcs));
  }

  void drive() {
    pin_.reset();
    if (random_.below(100) < in_percent_) pin_ = streams_[some_vc()].next(random_);
    model_.in_valid_i = pin_.has_value();
    if (pin_)
      put_flit(model_.in_flit_i, *pin_);
    else
      randomise(model_.in_flit_i, 128, random_);
    // Result of the look-up at the last edge; arbitrary without one.
    const bool asked = pin_register_ && pin_register_->online();
    const Route any{random_.below(2) != 0, static_cast<unsigned>(random_.below(32))};
    answer_ = asked ? route_to(pin_register_->dst()) : any;
    model_.route_known_i = answer_.known;
    model_.route_out_i = static_cast<CData>(answer_.out);
    pop_.reset();
    const int vc = some_vc();
    if (!held_[vc].empty() && random_.below(100) < pop_percent_) pop_ = vc;
    model_.pop_i = static_cast<CData>(pop_ ? 1U << vc : 0U);
    model_.active_i = random_.below(5) != 0;
    model_.vc_i = static_cast<CData>(random_.below(kVcs));
    model_.phase_i =
        static_cast<CData>(kSomePhases[random_.below(2) * random_.below(kSomePhases.size())]);
  }

  void check_inputs() {
    ASSERT_EQ(model_.lookup_o != 0, pin_ && pin_->online()) << where_;
    if (model_.lookup_o != 0) {
      ASSERT_EQ(model_.lookup_dst_o, pin_->dst()) << where_;
    }
  }

  void check_hol_flits() {
    unsigned other = 0, request = 0, no_route = 0;
    bool match = false;
    for (int vc = 0; vc < kVcs; ++vc) {
      if (held_[vc].empty()) continue;
      const Held& hol = held_[vc].front();
      ASSERT_EQ(get_bits(model_.hol_phase_o, 8 * vc, 8), hol.flit.phase()) << where_;
      ASSERT_EQ(bit(model_.hol_tail_o, vc), hol.flit.tail()) << where_;
      if (hol.flit.online()) {
        (hol.route.known ? request : no_route) |= 1U << vc;
        if (hol.route.known) {
          ASSERT_EQ(get_bits(model_.hol_out_o, 5 * vc, 5), hol.route.out) << where_;
        }
      } else if (model_.active_i != 0 && model_.vc_i == vc && hol.flit.phase() == model_.phase_i) {
        match = true;
        ASSERT_EQ(model_.match_tail_o != 0, hol.flit.tail()) << where_;
      } else {
        other |= 1U << vc;
      }
    }
    ASSERT_EQ(model_.match_o != 0, match) << where_;
    ASSERT_EQ(model_.other_o, other) << where_;
    ASSERT_EQ(model_.request_o, request) << where_;
    ASSERT_EQ(model_.no_route_o, no_route) << where_;
    matches_ += match ? 1 : 0;
    requests_ += request != 0 ? 1 : 0;
  }

  void before_edge() {
    on_output_ = read_;
    read_ = popped_;
    popped_.reset();
    overflow_ = false;
    // The slot of a flit popped at the last edge is not free yet.
    if (pin_register_) {
      const int vc = pin_register_->vc();
      const bool last = read_ && read_->vc() == vc;
      overflow_ = static_cast<int>(held_[vc].size()) + (last ? 1 : 0) == kDepth[vc];
      if (!overflow_) arriving_ = Held{*pin_register_, answer_};
    }
    if (pop_) {
      popped_ = held_[*pop_].front().flit;
      held_[*pop_].pop_front();
    }
    if (arriving_) held_[arriving_->flit.vc()].push_back(*arriving_);
    arriving_.reset();
    pin_register_ = pin_;
    overflows_ += overflow_ ? 1 : 0;
  }

  void check_after_edge() {
    ASSERT_EQ(model_.credit_o, pop_ ? 1U << *pop_ : 0U) << where_;
    ASSERT_EQ(model_.overflow_o != 0, overflow_) << where_;
    if (read_) {
      const auto& header = model_.read_header_o;
      ASSERT_EQ(get_bits(header, noc_pkg::TAG_LSB, noc_pkg::TAG_W), read_->tag()) << where_;
      ASSERT_EQ(get_bits(header, noc_pkg::TAIL_BIT, 1) != 0, read_->tail()) << where_;
    }
    ASSERT_EQ(model_.flit_valid_o != 0, on_output_.has_value()) << where_;
    if (on_output_) {
      ASSERT_EQ(get_flit(model_.flit_o), *on_output_) << where_;
    }
    bool empty = !pin_register_ && !popped_ && !read_ && !on_output_;
    for (const auto& flits : held_) empty = empty && flits.empty();
    ASSERT_EQ(model_.empty_o != 0, empty) << where_;
    times_empty_ += empty ? 1 : 0;
  }

  // One edge of reset, with anything on the pins: nothing is left of the flits that were there.
  void reset_in_traffic() {
    drive();
    model_.rst_ni = 0;
    edge(model_);
    model_.rst_ni = 1;
    ASSERT_NE(model_.empty_o, 0) << where_;
    ASSERT_EQ(model_.flit_valid_o, 0) << where_;
    ASSERT_EQ(model_.credit_o, 0) << where_;
    ASSERT_EQ(model_.overflow_o, 0) << where_;
    for (auto& flits : held_) flits.clear();
    for (auto* flit : {&pin_, &pin_register_, &popped_, &read_, &on_output_}) flit->reset();
    streams_ = new_streams();
  }
  static std::array<PacketStream, kVcs> new_streams() {
    return {PacketStream{0, kPacketFlits}, {1, kPacketFlits}, {2, kPacketFlits}, {3, kPacketFlits}};
  }

  VerilatedContext context_;
  Vphased_input_unit model_{&context_, "dut"};
  Random random_;
  std::string text_, where_;
  std::array<PacketStream, kVcs> streams_ = new_streams();
  std::array<std::deque<Held>, kVcs> held_;
  // The path of a flit: pin, its register, held_, then three edges to the output.
  std::optional<Flit> pin_, pin_register_, popped_, read_, on_output_;
  std::optional<Held> arriving_;
  std::optional<int> pop_;
  Route answer_;
  bool overflow_ = false;
  std::uint64_t in_percent_ = 0, pop_percent_ = 0;
  int favourite_ = 0;
  int matches_ = 0, requests_ = 0, overflows_ = 0, times_empty_ = 0;
};

TEST(InputUnit, ShowsHolFlitsAndForwardsThemInOrder) {
  for (std::uint64_t seed = 1; seed <= 10 && !testing::Test::HasFailure(); ++seed)
    Bench(seed).run(8000);
}

// A unit after reset, for stimulus that breaks its contract.
void give_flits(std::initializer_list<Flit> flits) {
  VerilatedContext context;
  Vphased_input_unit model(&context, "dut");
  model.in_valid_i = model.pop_i = model.active_i = 0;
  reset(model);
  model.in_valid_i = 1;
  for (const Flit& flit : flits) {
    put_flit(model.in_flit_i, flit);
    edge(model);
  }
}

Flit flit_of(int vc, bool head, bool tail) {
  Flit flit;
  put_bits(flit.words, noc_pkg::VC_LSB, noc_pkg::VC_W, static_cast<std::uint64_t>(vc));
  put_bits(flit.words, noc_pkg::HEAD_BIT, 1, head ? 1 : 0);
  put_bits(flit.words, noc_pkg::TAIL_BIT, 1, tail ? 1 : 0);
  return flit;
}

TEST(InputUnitDeathTest, AssertsThatPacketsOfAVcComeWhole) {
  const Flit head = flit_of(1, true, false), body = flit_of(1, false, false);
  const Flit other = flit_of(2, true, false);
  EXPECT_DEATH(give_flits({body}), "head_after_tail");
  EXPECT_DEATH(give_flits({head, other, body, head}), "head_after_tail");
}

TEST(InputUnitDeathTest, AssertsThatControlPacketsAreOneFlit) {
  EXPECT_DEATH(give_flits({flit_of(3, true, false)}), "control_packet_of_one_flit");
}

TEST(InputUnitDeathTest, AssertsThatAPopTakesAHolFlit) {
  const auto pop = [] {
    VerilatedContext context;
    Vphased_input_unit model(&context, "dut");
    model.in_valid_i = model.active_i = 0;
    model.pop_i = 0;
    reset(model);
    model.pop_i = 1U << 2U;
    edge(model);
  };
  EXPECT_DEATH(pop(), "pop_takes_a_hol");
}

}  // namespace
}  // namespace fredsim
