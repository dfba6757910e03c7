// SPDX-License-Identifier: Apache-2.0
#include "rtl/phased/control_bench.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

constexpr int kRowBits = row_bits(ControlBench::kPorts, 2);
constexpr int kConfigBits = static_cast<int>(fred_pkg::config_bits(ControlBench::kPorts, 2));
constexpr int kConfigLsb = static_cast<int>(phased_pkg::row_config_lsb(ControlBench::kPorts));
constexpr int kApart = static_cast<int>(fred_pkg::stages(ControlBench::kPorts, 1)) + 1;  // changes
constexpr std::array<int, ControlBench::kVcs> kRank{1, 2, 3, 0};  // control, MP, PP, DP
static_assert(64 < kRowBits && kRowBits <= 96);

}  // namespace

ControlBench::ControlBench(std::uint64_t seed)
    : random_(seed), text_("seed " + std::to_string(seed)) {
  for (int phase = 0; phase < kPhases; ++phase) {
    rows_.push_back(random_row(kPorts, 1 + static_cast<int>(random_.below(2)), random_));
    rows_.back().vc = phase % kVcs;
  }
  model_.match_i = model_.free_i = model_.write_i = 0;
  model_.other_i = 0;
  reset(model_);
}

ControlBench::RowBits ControlBench::bits_of(int phase) const {
  RowBits bits{};
  put_bits(bits, kConfigLsb, kConfigBits, rows_[phase].config);
  rows_[phase].put(bits);
  return bits;
}

void ControlBench::add_job(int phases) {
  const auto phase = static_cast<int>(random_.below(static_cast<std::uint64_t>(phases)));
  const Row& row = rows_[phase];
  unsigned code = 0;
  while (code == 0) code = row.in[random_.below(kPorts)];
  const int length = row.vc == noc_pkg::VC_CONTROL ? 1 : 1 + static_cast<int>(random_.below(4));
  for (int p = 0; p < kPorts; ++p) {
    if (!bit(row.inputs(code), p)) continue;
    for (int n = 1; n <= length; ++n) coming_[p][row.vc].push_back({phase, n == length});
  }
}

bool ControlBench::no_hol_flits() const {
  for (const auto& port : held_)
    for (const auto& flits : port)
      if (!flits.empty()) return false;
  return true;
}

bool ControlBench::drained() const {
  for (const auto& port : coming_)
    for (const auto& flits : port)
      if (!flits.empty()) return false;
  return no_hol_flits();
}

void ControlBench::drive(const Rates& rates) {
  if (chance(rates.job)) add_job(rates.phases);
  match_ = tail_ = room_ = other_ = 0;
  randomise(model_.hol_phase_i, 32 * kPorts, random_);
  for (int p = 0; p < kPorts; ++p) {
    for (int vc = 0; vc < kVcs; ++vc) {
      room_ |= chance(rates.room) ? 1U << (4 * p + vc) : 0;
      auto& held = held_[p][vc];
      auto& coming = coming_[p][vc];
      if (!coming.empty() && chance(rates.arrive)) {
        held.push_back(coming.front());
        coming.pop_front();
      }
      if (held.empty()) continue;
      put_bits(model_.hol_phase_i, 32 * p + 8 * vc, 8,
               static_cast<std::uint64_t>(held.front().phase));
      if (active_ == held.front().phase) {
        match_ |= 1U << p;
        tail_ |= held.front().tail ? 1U << p : 0;
      } else {
        other_ |= 1U << (4 * p + vc);
      }
    }
  }
  free_ = chance(rates.free);
  written_.reset();
  if (!free_ && chance(30)) {
    written_ = active_ && chance(50) ? *active_ : static_cast<int>(random_.below(kPhases));
  }
  model_.write_i = written_.has_value();
  model_.write_phase_i =
      static_cast<CData>(written_ ? static_cast<std::uint64_t>(*written_) : random_.below(256));
  model_.match_i = static_cast<CData>(match_);
  model_.tail_i = static_cast<CData>(tail_);
  model_.other_i = other_;
  model_.room_i = room_;
  model_.free_i = free_;
  randomise(model_.row_i, kRowBits, random_);
  if (looked_up_) put_words(model_.row_i, bits_of(*looked_up_));
}

// Checks all outputs that do not depend on the next edge.
void ControlBench::check(const std::string& where) {
  ASSERT_EQ(model_.active_o != 0, active_.has_value()) << where;
  if (active_) {
    ASSERT_EQ(model_.phase_o, *active_) << where;
    ASSERT_EQ(model_.vc_o, rows_[*active_].vc) << where;
  }
  ASSERT_EQ(model_.held_o, join_.held()) << where;
  ASSERT_EQ(model_.stall_phase_o, other_before_) << where;
  ASSERT_EQ(model_.reductions_o, fired_.additions) << where;
  ASSERT_EQ(model_.stall_join_o, fired_.waits_for_input) << where;
  ASSERT_EQ(model_.stall_credit_o, fired_.waits_for_room) << where;
  ASSERT_EQ(model_.error_phase_o, 0) << where;
  const bool load = !waves_.empty() && waves_.front() == now_;
  ASSERT_EQ(model_.load_o != 0, load) << where;
  if (load) waves_.pop_front();
}

bool ControlBench::hol_flits_of(int phase, std::uint32_t inputs) const {
  for (int p = 0; p < kPorts; ++p) {
    const auto& held = held_[p][rows_[phase].vc];
    if (bit(inputs, p) && (held.empty() || held.front().phase != phase)) return false;
  }
  return true;
}

// The phase looked up at the last edge is a candidate if a flow has its head-of-line flits and
// room.
void ControlBench::judge_lookup() {
  if (!looked_up_) return;
  const int phase = *looked_up_;
  const Row& row = rows_[phase];
  looked_up_.reset();
  if (candidate_[row.vc]) return;
  for (unsigned code = 1; code <= kPorts; ++code) {
    bool ready = row.inputs(code) != 0 && active_ != phase && hol_flits_of(phase, row.inputs(code));
    for (int p = 0; p < kPorts; ++p)
      if (bit(row.outputs(code), p)) ready = ready && bit(room_, 4 * p + row.vc);
    if (ready) candidate_[row.vc] = phase;
  }
}

std::optional<int> ControlBench::first_candidate() const {
  std::optional<int> first;
  for (const auto& candidate : candidate_)
    if (candidate && (!first || kRank[rows_[*candidate].vc] < kRank[rows_[*first].vc]))
      first = candidate;
  return first;
}

void ControlBench::decide() {
  const std::optional<int> first = first_candidate();
  // A decision at this edge may be a change at the next.
  if (!first || next_ || now_ + 1 < last_change_ + kApart) return;
  const bool silent = silence_ >= kYield && !join_.open();
  if (!active_) {
    ++reasons_.first;
  } else {
    const int rank = kRank[rows_[*first].vc], active = kRank[rows_[*active_].vc];
    if (rank < active)
      ++reasons_.higher;
    else if (rank == active && busy_ >= kQuantum)
      ++reasons_.equal_quantum;
    else if (rank == active && silent)
      ++reasons_.equal_silent;
    else if (rank > active && silent)
      ++reasons_.lower;
    else
      return;
  }
  next_ = first;
}

// One head-of-line flit is looked up at every edge at which there is one to look up.
void ControlBench::look_up(const std::string& where) {
  bool some = false, found = false;
  for (int p = 0; p < kPorts; ++p) {
    for (int vc = 0; vc < kVcs; ++vc) {
      if (!bit(other_, 4 * p + vc) || candidate_[vc]) continue;
      some = true;
      found = found || held_[p][vc].front().phase == model_.read_phase_o;
    }
  }
  ASSERT_EQ(model_.read_o != 0, some && free_ && !next_) << where;
  if (model_.read_o == 0) return;
  ASSERT_TRUE(found) << "looks up phase " << int{model_.read_phase_o} << ", " << where;
}

void ControlBench::change() {
  active_ = next_;
  next_.reset();
  candidate_ = {};
  looked_up_.reset();
  join_.load(rows_[*active_]);
  waves_.push_back(now_ + 2);
  last_change_ = now_;
  silence_ = 0;
  busy_ = 0;
}

void ControlBench::step(const Rates& rates) {
  const std::string where = "cycle " + std::to_string(now_) + ", " + text_;
  drive(rates);
  settle(model_);
  check(where);
  look_up(where);
  if (testing::Test::HasFatalFailure()) return;
  const bool changing = next_.has_value() && !join_.open();
  ASSERT_EQ(model_.change_o != 0, changing) << where;
  if (changing) {
    ASSERT_EQ(get_words<3>(model_.change_row_o), bits_of(*next_)) << where;
  }
  const std::optional<int> read =
      model_.read_o != 0 ? std::optional(int{model_.read_phase_o}) : std::nullopt;
  const bool hold = next_.has_value();
  decide();
  judge_lookup();
  looked_up_ = read;

  const int vc = active_ ? rows_[*active_].vc : 0;
  std::uint32_t room = 0;
  for (int p = 0; p < kPorts; ++p) room |= bit(room_, 4 * p + vc) ? 1U << p : 0;
  fired_ = join_.edge(match_, tail_, room, hold);
  ASSERT_EQ(model_.pop_o, fired_.pop) << where;
  ASSERT_EQ(model_.reserve_o, fired_.reserve) << where;
  for (int p = 0; p < kPorts; ++p)
    if (bit(fired_.pop, p)) held_[p][vc].pop_front();
  if (fired_.pop != 0) {
    silence_ = 0;
    ++busy_;
  } else {
    ++silence_;
  }
  if (changing) {
    change();
  } else if (active_ && written_ == active_ && fired_.pop == 0 && !join_.open()) {
    active_.reset();
    ++reasons_.rewritten;
  }
  other_before_ = std::popcount(other_);
  edge(model_);
  ++now_;
}

}  // namespace fredsim
