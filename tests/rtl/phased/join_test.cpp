// SPDX-License-Identifier: Apache-2.0
// phased_join and phased_join_check by themselves, against references written from their contracts.
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>

#include "Vphased_join/Vphased_join.h"
#include "Vphased_join_check/Vphased_join_check.h"
#include "Vphased_join_two/Vphased_join_two.h"
#include "rtl/phased/rows.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5;
constexpr int kPortW = 3;

int lowest(std::uint32_t mask) { return std::countr_zero(mask); }

class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed), text_("seed " + std::to_string(seed)) {
    model_.load_i = model_.match_i = model_.hold_i = 0;
    model_.row_i = 0;
    reset(model_);
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      step("cycle " + std::to_string(cycle) + ", " + text_);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(fired_, cycles / 10) << text_;
    EXPECT_GT(loads_, cycles / 100) << text_;
    EXPECT_GT(room_waits_, cycles / 50) << text_;
  }

 private:
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  // All inputs of a flow are at the same flit of a packet.
  std::uint32_t tails() {
    auto tail = static_cast<std::uint32_t>(random_.below(1U << kPorts));
    for (unsigned code = 1; code <= kPorts; ++code) {
      const std::uint32_t in = join_.row().inputs(code);
      tail = chance(40) ? tail | in : tail & ~in;
    }
    return tail;
  }

  void step(const std::string& where) {
    if (chance(3)) hold_ = !hold_;
    const bool load = hold_ && !join_.open() && chance(30);
    for (int p = 0; p < kPorts; ++p) match_ |= chance(40) ? 1U << p : 0;
    const std::uint32_t tail = tails();
    const std::uint32_t room = static_cast<std::uint32_t>(random_.below(1U << kPorts)) |
                               static_cast<std::uint32_t>(random_.below(1U << kPorts));
    Row row(kPorts);
    row.vc = static_cast<int>(random_.below(4));
    const std::uint64_t codes = 1 + random_.below(kPorts + 1);
    for (auto* side : {&row.in, &row.out})
      for (auto& code : *side) code = static_cast<unsigned>(random_.below(codes));

    model_.load_i = load;
    model_.hold_i = hold_;
    model_.match_i = static_cast<CData>(match_);
    model_.tail_i = static_cast<CData>(tail);
    model_.room_i = static_cast<CData>(room);
    row.put(model_.row_i);
    settle(model_);
    ASSERT_EQ(model_.held_o, join_.held()) << where;
    ASSERT_EQ(model_.open_o != 0, join_.open()) << where;
    const Row before = join_.row();
    const JoinReference::Fired fired = join_.edge(match_, tail, room, hold_);
    ASSERT_EQ(model_.pop_o, fired.pop) << where;
    ASSERT_EQ(model_.reserve_o, fired.reserve) << where;
    ASSERT_EQ(model_.fire_o != 0, fired.pop != 0) << where;
    match_ &= ~fired.pop;
    if (load) join_.load(row);
    edge(model_);

    ASSERT_EQ(model_.reductions_o, fired.additions) << where;
    ASSERT_EQ(model_.stall_join_o, fired.waits_for_input) << where;
    ASSERT_EQ(model_.stall_credit_o, fired.waits_for_room) << where;
    for (int p = 0; p < kPorts; ++p) {
      const unsigned code = before.in[static_cast<std::size_t>(p)];
      if (code == 0) continue;
      ASSERT_EQ(get_bits(model_.partner_o, kPortW * p, kPortW), lowest(before.inputs(code)))
          << "port " << p << " " << where;
    }
    fired_ += fired.pop != 0 ? 1 : 0;
    loads_ += load ? 1 : 0;
    room_waits_ += fired.waits_for_room;
  }

  VerilatedContext context_;
  Vphased_join model_{&context_, "dut"};
  Random random_;
  std::string text_;
  JoinReference join_{kPorts};
  std::uint32_t match_ = 0;  // a flit that is there stays until it is popped
  bool hold_ = true;
  int fired_ = 0, loads_ = 0, room_waits_ = 0;
};

TEST(Join, FiresWhatHasItsInputsAndRoom) {
  for (std::uint64_t seed = 1; seed <= 10 && !testing::Test::HasFailure(); ++seed)
    Bench(seed).run(10'000);
}

// A flow of each of two phases in use: one bit of hold_i each, in every combination.
TEST(Join, HoldsBackThePhasesInUseByThemselves) {
  VerilatedContext context;
  Vphased_join_two model(&context, "dut");
  model.load_i = model.match_i = model.tail_i = 0;
  model.room_i = (1U << kPorts) - 1;
  reset(model);
  Row row(kPorts);
  row.in[0] = row.out[0] = 1;
  row.in[3] = row.out[2] = 2;
  model.row_i = 0;
  row.put(model.row_i);
  model.slot_i = 0b01000;
  model.load_i = 1;
  model.hold_i = 0b11;
  edge(model);
  model.load_i = 0;
  model.match_i = model.tail_i = 0b01001;
  for (unsigned hold = 0; hold < 4; ++hold) {
    model.hold_i = static_cast<CData>(hold);
    settle(model);
    const bool first = (hold & 1U) == 0, second = (hold & 2U) == 0;
    EXPECT_EQ(model.fire_o, (first ? 0b01U : 0U) | (second ? 0b10U : 0U)) << hold;
    EXPECT_EQ(model.pop_o, (first ? 0b00001U : 0U) | (second ? 0b01000U : 0U)) << hold;
    EXPECT_EQ(model.reserve_o, (first ? 0b00001U : 0U) | (second ? 0b00100U : 0U)) << hold;
    edge(model);
  }
  model.final();
}

// Flow 0 from port 0 to port 0; then a load of which the contract is broken.
void load_badly(bool hold, bool inside_a_packet) {
  VerilatedContext context;
  Vphased_join model(&context, "dut");
  model.load_i = model.match_i = model.tail_i = model.hold_i = 0;
  model.room_i = 1;
  reset(model);
  Row row(kPorts);
  row.in[0] = row.out[0] = 1;
  model.row_i = 0;
  row.put(model.row_i);
  model.load_i = model.hold_i = 1;
  edge(model);
  model.load_i = model.hold_i = 0;
  model.match_i = inside_a_packet ? 1 : 0;
  edge(model);
  model.load_i = 1;
  model.hold_i = hold;
  model.match_i = hold ? 0 : 1;
  edge(model);
}

TEST(JoinDeathTest, AssertsThatNothingFiresInAChange) {
  EXPECT_DEATH(load_badly(false, false), "no_flit_in_a_change");
}

TEST(JoinDeathTest, AssertsThatAChangeIsBetweenPackets) {
  EXPECT_DEATH(load_badly(true, true), "change_between_packets");
}

// Groups of ports whose flits were joined: all alike but for, at times, one bit of one of them.
struct Popped {
  std::uint32_t ports = 0;
  std::array<std::uint32_t, kPorts> group{};  // mask of the ports joined with this one
};

Popped random_pop(Random& random) {
  Popped popped;
  std::array<unsigned, kPorts> code{};
  for (auto& c : code) c = static_cast<unsigned>(random.below(3));
  const auto some = static_cast<std::uint32_t>(random.below(8));  // codes that fire
  for (int p = 0; p < kPorts; ++p)
    for (int q = 0; q < kPorts; ++q)
      if (code[static_cast<std::size_t>(p)] == code[static_cast<std::size_t>(q)])
        popped.group[static_cast<std::size_t>(p)] |= 1U << q;
  for (int p = 0; p < kPorts; ++p)
    if (bit(some, static_cast<int>(code[static_cast<std::size_t>(p)]))) popped.ports |= 1U << p;
  return popped;
}

TEST(JoinCheck, TellsOfFlitsThatDifferFromTheirPartners) {
  VerilatedContext context;
  Vphased_join_check model(&context, "dut");
  Random random(4);
  model.pop_i = 0;
  reset(model);
  std::optional<Popped> popped, read;
  int errors = 0, quiet = 0;
  constexpr int kTagW = noc_pkg::TAG_W;
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    // Inputs before edge e + 2 of a pop at e: its flits; random at ports without a pop.
    randomise(model.tag_i, kTagW * kPorts, random);
    model.tail_i = static_cast<CData>(random.below(1U << kPorts));
    model.partner_i = static_cast<SData>(random.below(1U << (kPortW * kPorts)));
    bool differ = false;
    if (read) {
      for (int p = 0; p < kPorts; ++p) {
        const int first = lowest(read->group[static_cast<std::size_t>(p)]);
        put_bits(model.partner_i, kPortW * p, kPortW, static_cast<std::uint64_t>(first));
        put_bits(model.tag_i, kTagW * p, kTagW, get_bits(model.tag_i, kTagW * first, kTagW));
        put_bits(model.tail_i, p, 1, get_bits(model.tail_i, first, 1));
      }
      if (random.below(2) == 0) {
        const int p = static_cast<int>(random.below(kPorts));
        const int b = static_cast<int>(random.below(kTagW + 1));
        differ = bit(read->ports, p) && std::popcount(read->group[static_cast<std::size_t>(p)]) > 1;
        if (b < kTagW)
          put_bits(model.tag_i, kTagW * p + b, 1, get_bits(model.tag_i, kTagW * p + b, 1) ^ 1);
        else
          put_bits(model.tail_i, p, 1, get_bits(model.tail_i, p, 1) ^ 1);
      }
    }
    const Popped now = random_pop(random);
    model.pop_i = static_cast<CData>(now.ports);
    read = popped;
    popped = now;
    edge(model);
    ASSERT_EQ(model.error_o != 0, differ) << "cycle " << cycle;
    (differ ? errors : quiet) += 1;
  }
  EXPECT_GT(errors, 5000);
  EXPECT_GT(quiet, 5000);
  model.final();
}

}  // namespace
}  // namespace fredsim
