// SPDX-License-Identifier: Apache-2.0
// phased_output_unit by itself, against a reference written from its contract: places, credits and
// the link arbiter, whose choice is predicted at every edge.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "Vphased_output_unit/Vphased_output_unit.h"
#include "Vphased_output_unit_deep/Vphased_output_unit_deep.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kVcs = noc_pkg::NUM_VCS;
constexpr int kPacketFlits = 3;
constexpr std::array<int, kVcs> kByPriority{noc_pkg::VC_CONTROL, noc_pkg::VC_MP, noc_pkg::VC_PP,
                                            noc_pkg::VC_DP};
constexpr std::array<int, kVcs> kBuffer{7, 7, 7, 2};  // buffer of the receiver, by VC

// Reference of the unit's contract. before_edge() predicts the effect of an edge, from the inputs
// before it.
class Reference {
 public:
  struct Inputs {
    std::optional<int> reserve;  // VC
    std::optional<Flit> flit;
    bool ready = false;
    unsigned credit = 0;  // by VC
  };

  explicit Reference(int depth) : depth_(depth) {
    free_.fill(depth);
    credits_ = kBuffer;
  }

  unsigned room() const {
    unsigned mask = 0;
    for (int vc = 0; vc < kVcs; ++vc) {
      const int packet = vc == noc_pkg::VC_CONTROL ? 1 : kPacketFlits;
      if (free_[vc] >= packet) mask |= 1U << vc;
    }
    return mask;
  }
  bool empty() const {
    bool all = !launched_ && !on_link_;
    for (int free : free_) all = all && free == depth_;
    return all;
  }
  int free(int vc) const { return free_[vc]; }
  int credits(int vc) const { return credits_[vc]; }
  void set_credits(int vc, int credits) { credits_[vc] = credits; }
  const std::optional<Flit>& on_link() const { return on_link_; }
  bool link_stall() const { return link_stall_; }

  void before_edge(const Inputs& in) {
    if (in.flit) staged_[in.flit->vc()].push_back(*in.flit);
    for (int vc = 0; vc < kVcs; ++vc) credits_[vc] += bit(in.credit, vc) ? 1 : 0;
    on_link_ = launched_;
    launched_.reset();
    const int vc = choice();
    link_stall_ = vc >= 0 && !in.ready;
    if (vc >= 0 && in.ready) {
      launched_ = staged_[vc].front();
      staged_[vc].pop_front();
      inside_[vc] = !launched_->tail() && !launched_->online();
      --credits_[vc];
      ++free_[vc];
    }
    if (in.reserve) --free_[*in.reserve];
  }

 private:
  bool able(int vc) const { return !staged_[vc].empty() && credits_[vc] > 0; }
  int choice() const {
    for (int vc : kByPriority)
      if (able(vc) && inside_[vc]) return vc;
    for (int vc : kByPriority)
      if (able(vc)) return vc;
    return -1;
  }

  int depth_;
  std::array<int, kVcs> free_{}, credits_{};
  std::array<bool, kVcs> inside_{};  // a packet of a phase, whose head was launched
  std::array<std::deque<Flit>, kVcs> staged_;
  std::optional<Flit> launched_, on_link_;
  bool link_stall_ = false;
};

template <class Model>
class Bench {
 public:
  Bench(int depth, std::uint64_t seed) : reference_(depth), random_(seed) {
    model_.reserve_i = model_.in_valid_i = model_.ready_i = model_.credit_i = 0;
    model_.credit_write_i = 0;
    model_.whole_i = 1;
    for (int w = 0; w < 4; ++w) model_.in_flit_i[w] = 0;
    put_bits(model_.bist_i, 0, 32, 0);
    reset(model_);
    pipe_.resize(2 + random_.below(6));  // edges from a reservation to its flit
    text_ = "seed " + std::to_string(seed);
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (cycle % 60 == 0) new_rates();
      const bool quiet = cycle % 600 >= 500;  // nothing new: everything drains
      step(cycle, quiet);
      if (testing::Test::HasFatalFailure()) return;
      if (cycle % 600 == 599) {
        ASSERT_TRUE(reference_.empty()) << "does not drain, " << text_;
        write_credits();
      }
    }
    EXPECT_GT(launches_, cycles / 10) << text_;
  }

 private:
  void new_rates() {
    reserve_percent_ = 20 + random_.below(81);
    ready_percent_ = 30 + random_.below(71);
    credit_percent_ = 5 + random_.below(96);
    favourite_ = static_cast<int>(random_.below(2 * kVcs));
  }
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  // Reservation that the control unit may make: a head where there is room for its packet, a body
  // flit always.
  std::optional<int> reservation(bool quiet) {
    const int vc =
        favourite_ < kVcs && chance(60) ? favourite_ : static_cast<int>(random_.below(4));
    const bool head = streams_[vc].at_head();
    if (head ? quiet || !chance(reserve_percent_) || !bit(reference_.room(), vc) : !chance(80))
      return std::nullopt;
    return vc;
  }

  void step(int cycle, bool quiet) {
    settle(model_);
    const std::string where = "cycle " + std::to_string(cycle) + ", " + text_;
    ASSERT_EQ(model_.room_o, reference_.room()) << where;
    ASSERT_EQ(model_.empty_o != 0, reference_.empty()) << where;
    ASSERT_EQ(model_.stall_link_o != 0, reference_.link_stall()) << where;
    ASSERT_EQ(model_.out_valid_o != 0, reference_.on_link().has_value()) << where;
    if (reference_.on_link()) {
      ASSERT_EQ(get_flit(model_.out_flit_o), *reference_.on_link()) << where;
      ++launches_;
      ++owed_[reference_.on_link()->vc()];
    }
    for (int vc = 0; vc < kVcs; ++vc) {
      ASSERT_EQ(get_bits(model_.credits_o, 16 * vc, 16), reference_.credits(vc))
          << "VC " << vc << " " << where;
    }

    Reference::Inputs in;
    in.reserve = reservation(quiet);
    in.flit = pipe_.front();
    pipe_.pop_front();
    pipe_.push_back(in.reserve ? std::optional(streams_[*in.reserve].next(random_)) : std::nullopt);
    in.ready = chance(quiet ? 90 : ready_percent_);
    for (int vc = 0; vc < kVcs; ++vc) {
      if (owed_[vc] == 0 || !chance(quiet ? 90 : credit_percent_)) continue;
      in.credit |= 1U << vc;
      --owed_[vc];
    }
    model_.reserve_i = in.reserve.has_value();
    model_.reserve_vc_i =
        static_cast<CData>(in.reserve.value_or(static_cast<int>(random_.below(4))));
    model_.in_valid_i = in.flit.has_value();
    if (in.flit)
      put_flit(model_.in_flit_i, *in.flit);
    else
      randomise(model_.in_flit_i, 128, random_);
    model_.ready_i = in.ready;
    model_.credit_i = static_cast<CData>(in.credit);
    reference_.before_edge(in);
    edge(model_);
  }

  // The registers: no traffic flows and all credits are back.
  void write_credits() {
    const int vc = static_cast<int>(random_.below(kVcs));
    const int credits = 1 + static_cast<int>(random_.below(8));
    for (int v = 0; v < kVcs; ++v) ASSERT_EQ(owed_[v], 0);
    model_.reserve_i = model_.in_valid_i = model_.credit_i = 0;
    model_.credit_write_i = 1;
    model_.credit_vc_i = static_cast<CData>(vc);
    model_.credit_wdata_i = static_cast<SData>(credits);
    edge(model_);
    model_.credit_write_i = 0;
    reference_.before_edge({});
    reference_.set_credits(vc, credits);
  }

  VerilatedContext context_;
  Model model_{&context_, "dut"};
  Reference reference_;
  Random random_;
  std::array<PacketStream, kVcs> streams_{
      PacketStream{0, kPacketFlits}, {1, kPacketFlits}, {2, kPacketFlits}, {3, kPacketFlits}};
  std::deque<std::optional<Flit>> pipe_;
  std::array<int, kVcs> owed_{};  // credits that the receiver has not given back
  std::uint64_t reserve_percent_ = 0, ready_percent_ = 0, credit_percent_ = 0;
  int favourite_ = 0;
  int launches_ = 0;
  std::string text_;
};

TEST(OutputUnit, StagesPacketsAndLaunchesThemByPriority) {
  for (std::uint64_t seed = 1; seed <= 10 && !testing::Test::HasFailure(); ++seed)
    Bench<Vphased_output_unit>(3, seed).run(6000);
}

TEST(OutputUnit, WithRoomForMoreThanAPacketToo) {
  for (std::uint64_t seed = 1; seed <= 10 && !testing::Test::HasFailure(); ++seed)
    Bench<Vphased_output_unit_deep>(8, seed).run(6000);
}

// A unit after reset, for stimulus that breaks its contract.
struct Broken {
  VerilatedContext context;
  Vphased_output_unit model{&context, "dut"};
  Random random{1};
  Broken() {
    model.reserve_i = model.in_valid_i = model.ready_i = model.credit_i = model.credit_write_i = 0;
    model.whole_i = 1;
    reset(model);
  }
  void reserve(int vc) {
    model.reserve_i = 1;
    model.reserve_vc_i = static_cast<CData>(vc);
    edge(model);
    model.reserve_i = 0;
  }
  void arrive(const Flit& flit) {
    model.in_valid_i = 1;
    put_flit(model.in_flit_i, flit);
    edge(model);
    model.in_valid_i = 0;
  }
};

TEST(OutputUnitDeathTest, AssertsThatPlacesAreNotOverdrawn) {
  const auto overdraw = [] {
    Broken unit;
    for (int n = 0; n < 5; ++n) unit.reserve(2);
  };
  EXPECT_DEATH(overdraw(), "reservation_has_a_place");
}

TEST(OutputUnitDeathTest, AssertsThatFlitsHaveAPlace) {
  const auto intrude = [] {
    Broken unit;
    unit.reserve(1);
    edge(unit.model);
    unit.arrive(PacketStream{2, 1}.next(unit.random));
  };
  EXPECT_DEATH(intrude(), "arrival_was_reserved");
}

TEST(OutputUnitDeathTest, AssertsThatPacketsLeaveWhole) {
  const auto cut = [](bool whole) {
    Broken unit;
    unit.model.ready_i = 1;
    unit.model.whole_i = whole;
    Flit flit = PacketStream{0, 1}.next(unit.random);
    put_bits(flit.words, noc_pkg::HEAD_BIT, 1, 0);
    unit.reserve(0);
    edge(unit.model);
    unit.arrive(flit);
    for (int n = 0; n < 4; ++n) edge(unit.model);
  };
  EXPECT_DEATH(cut(true), "head_after_tail");
  cut(false);  // after an error that cuts packets: nothing to assert
}

}  // namespace
}  // namespace fredsim
