// SPDX-License-Identifier: Apache-2.0
// phased_candidates by itself: which head-of-line flit is looked up, how its phase is judged and
// which candidates there are, against a reference written from its contract.
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "Vphased_candidates/Vphased_candidates.h"
#include "rtl/phased/rows.h"

namespace fredsim {
namespace {

constexpr int kPorts = 4;
constexpr int kVcs = noc_pkg::NUM_VCS;
constexpr int kPhases = 14;
constexpr int kRowBits = row_bits(kPorts, 2);
constexpr int kConfigLsb = static_cast<int>(phased_pkg::row_config_lsb(kPorts));
static_assert(kRowBits <= 64);

struct Lookup {
  int vc = 0, port = 0;
  unsigned phase = 0;
};

class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed), text_("seed " + std::to_string(seed)) {
    for (int phase = 0; phase < kPhases; ++phase) {
      rows_.push_back(random_row(kPorts, 1 + static_cast<int>(random_.below(2)), random_));
      rows_.back().vc = phase % kVcs;
    }
    rows_[12].valid = false;
    // Codes above P are no flow.
    rows_[3].in[0] = kPorts + 1;
    rows_[5].in = {kPorts + 2, kPorts + 2, 7, 1};
    rows_[5].out = {7, kPorts + 2, 1, 0};
    model_.search_i = model_.clear_i = model_.free_i = 0;
    reset(model_);
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (cycle % 100 == 0) new_rates();
      step("cycle " + std::to_string(cycle) + ", " + text_);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(found_, cycles / 100) << text_;
    EXPECT_GT(refused_, cycles / 100) << text_;
    EXPECT_GT(errors_, cycles / 1000) << text_;
  }

 private:
  using HolFlits = std::array<std::array<std::optional<unsigned>, kVcs>, kPorts>;  // phases

  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  void new_rates() {
    come_percent_ = 1 + random_.below(20);
    clear_percent_ = 1 + random_.below(10);
    room_percent_ = 20 + random_.below(81);
    open_percent_ = 50 + random_.below(51);
  }

  // Mostly one of a phase of that VC with a flow at that port.
  unsigned some_phase(int port, int vc) {
    if (chance(3)) return static_cast<unsigned>(random_.below(256));
    for (;;) {
      const auto phase = static_cast<unsigned>(random_.below(12));
      const Row& row = rows_[phase];
      if (row.vc == vc && (row.in[static_cast<std::size_t>(port)] != 0 || chance(2))) return phase;
      if (chance(1)) return phase;
    }
  }
  std::uint64_t bits_of(unsigned phase) const {
    if (phase >= rows_.size()) return 0;
    std::uint64_t bits = rows_[phase].config << kConfigLsb & ~0ULL >> (64 - kRowBits);
    rows_[phase].put(bits);
    return bits;
  }

  bool has(int port, int vc, unsigned phase) const { return hol_flits_[port][vc] == phase; }
  bool ready(const Lookup& hol, unsigned room) const {
    const Row& row = rows_[hol.phase];
    for (unsigned code = 1; code <= kPorts; ++code) {
      bool all = row.inputs(code) != 0;
      for (int p = 0; p < kPorts; ++p) {
        if (bit(row.inputs(code), p)) all = all && has(p, hol.vc, hol.phase);
        if (bit(row.outputs(code), p)) all = all && bit(room, 4 * p + hol.vc);
      }
      if (all) return true;
    }
    return false;
  }
  bool wrong(const Lookup& hol) const {
    if (hol.phase >= rows_.size()) return true;
    const Row& row = rows_[hol.phase];
    const unsigned flow = row.in[static_cast<std::size_t>(hol.port)];
    return !row.valid || row.vc != hol.vc || flow == 0 || flow > kPorts;
  }

  // VCs in turn, in each its ports in turn.
  std::optional<Lookup> choice() const {
    for (int v = 1; v <= kVcs; ++v) {
      const int vc = (last_vc_ + v) % kVcs;
      if (candidate_[vc]) continue;
      for (int n = 1; n <= kPorts; ++n) {
        const int port = (last_port_[vc] + n) % kPorts;
        if (hol_flits_[port][vc]) return Lookup{vc, port, *hol_flits_[port][vc]};
      }
    }
    return std::nullopt;
  }

  void step(const std::string& where) {
    const bool search = chance(open_percent_), free = chance(open_percent_);
    const bool clear = chance(clear_percent_);
    unsigned room = 0;
    for (int b = 0; b < 4 * kPorts; ++b) room |= chance(room_percent_) ? 1U << b : 0;
    for (int p = 0; p < kPorts; ++p)
      for (int vc = 0; vc < kVcs; ++vc)
        if (!hol_flits_[p][vc] && chance(come_percent_)) hol_flits_[p][vc] = some_phase(p, vc);

    model_.search_i = search;
    model_.free_i = free;
    model_.clear_i = clear;
    model_.room_i = static_cast<SData>(room);
    randomise(model_.hol_phase_i, 32 * kPorts, random_);
    model_.other_i = 0;
    for (int p = 0; p < kPorts; ++p) {
      for (int vc = 0; vc < kVcs; ++vc) {
        if (!hol_flits_[p][vc]) continue;
        put_bits(model_.other_i, 4 * p + vc, 1, 1);
        put_bits(model_.hol_phase_i, 32 * p + 8 * vc, 8, *hol_flits_[p][vc]);
      }
    }
    model_.row_i = read_ ? bits_of(read_->phase) : random_.next() & ~0ULL >> (64 - kRowBits);
    settle(model_);
    check(where);
    const std::optional<Lookup> chosen = search && free ? choice() : std::nullopt;
    ASSERT_EQ(model_.read_o != 0, chosen.has_value()) << where;
    if (chosen) {
      ASSERT_EQ(model_.read_phase_o, chosen->phase) << where;
    }
    const bool error = read_ && wrong(*read_);
    ASSERT_EQ(model_.error_o != 0, error) << where;

    if (read_ && !error) {
      const bool good = ready(*read_, room);
      if (good && !candidate_[read_->vc]) candidate_[read_->vc] = read_->phase;
      (good ? found_ : refused_) += 1;
    }
    errors_ += error ? 1 : 0;
    read_.reset();
    if (chosen) {
      last_vc_ = chosen->vc;
      last_port_[chosen->vc] = chosen->port;
      if (!clear) read_ = chosen;
    }
    edge(model_);
    if (!clear) return;
    // A change: head-of-line flits of the new phase leave, and the flits behind them follow.
    candidate_ = {};
    for (auto& port : hol_flits_)
      for (auto& hol : port)
        if (chance(50)) hol.reset();
  }

  void check(const std::string& where) {
    for (int vc = 0; vc < kVcs; ++vc) {
      ASSERT_EQ(bit(model_.candidate_o, vc), candidate_[vc].has_value()) << "VC " << vc << where;
      if (!candidate_[vc]) continue;
      ASSERT_EQ(get_bits(model_.phase_o, 8 * vc, 8), *candidate_[vc]) << where;
      ASSERT_EQ(get_bits(model_.rows_o, kRowBits * vc, kRowBits), bits_of(*candidate_[vc]))
          << where;
    }
  }

  VerilatedContext context_;
  Vphased_candidates model_{&context_, "dut"};
  Random random_;
  std::string text_;
  std::vector<Row> rows_;
  HolFlits hol_flits_;  // they stay until a change
  std::array<std::optional<unsigned>, kVcs> candidate_;
  std::optional<Lookup> read_;  // at the last edge
  int last_vc_ = kVcs - 1;
  std::array<int, kVcs> last_port_{kPorts - 1, kPorts - 1, kPorts - 1, kPorts - 1};
  std::uint64_t come_percent_ = 0, clear_percent_ = 0, room_percent_ = 0, open_percent_ = 0;
  int found_ = 0, refused_ = 0, errors_ = 0;
};

TEST(Candidates, LooksHolFlitsUpInTurnAndJudgesTheirPhases) {
  for (std::uint64_t seed = 1; seed <= 20 && !testing::Test::HasFailure(); ++seed)
    Bench(seed).run(5000);
}

}  // namespace
}  // namespace fredsim
