// SPDX-License-Identifier: Apache-2.0
#include "links/retransmission/link_retry.h"

#include <rtl/link_pkg.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace fredsim {
namespace {

constexpr std::uint32_t kSeqMask = (1U << link_pkg::SEQ_W) - 1;
constexpr std::uint32_t kRoundMask = (1U << link_pkg::ROUND_W) - 1;
static_assert(link_pkg::CREDITS_W / kNumVcs == 8);  // width of LinkBack::given

LinkSeq after(LinkSeq seq) { return static_cast<LinkSeq>((seq + 1U) & kSeqMask); }

}  // namespace

std::uint32_t seq_distance(LinkSeq from, LinkSeq to) { return (to - from) & kSeqMask; }

// ---- the sender's end

LinkRetryTx::LinkRetryTx(const Shape& shape, std::size_t words)
    : shape_(shape), words_(words), flits_((shape.depth + 1) * words) {
  assert((shape.depth & (shape.depth - 1)) == 0 && shape.depth <= kSeqMask / 2 + 1);
  assert(shape.margin < shape.depth && shape.timeout >= 2 && shape.max_retries >= 1);
}

void LinkRetryTx::reset() {
  base_ = next_ = fresh_ = come_ = 0;
  round_ = 0;
  time_ = retries_ = 0;
  dead_ = false;
  fetched_ = {};
  sent_ = {};
  given_ = owed_ = {};
  credits_ = 0;
}

void LinkRetryTx::step(const std::uint32_t* flit, bool wire_ready, const LinkBack* back) {
  take_credits(back);

  sent_ = {.valid = fetched_.valid,
           .again = fetched_.again,
           .seq = fetched_.seq,
           .round = fetched_.round};
  if (fetched_.valid) {
    std::uint32_t* const wire = &flits_[shape_.depth * words_];
    std::copy_n(&flits_[slot(fetched_.seq)], words_, wire);
    sent_.flit = wire;
  }

  const bool waits = next_ != come_;
  const bool send = wire_ready && (waits || flit != nullptr);
  fetched_ = {.valid = send, .again = next_ != fresh_, .seq = next_, .round = round_};
  if (flit != nullptr) {
    assert(kept() < shape_.depth);
    std::copy_n(flit, words_, &flits_[slot(come_)]);
    come_ = after(come_);
  }

  const LinkSeq base = back != nullptr ? back->expected : base_;
  assert(seq_distance(base_, base) <= seq_distance(base_, fresh_));
  const bool go_back = back != nullptr && back->round != round_;
  const bool time_out = time_ == shape_.timeout - 1;
  time_ = base != base_ || base == fresh_ || go_back || time_out ? 0 : time_ + 1;
  dead_ = dead_ || retries_ > shape_.max_retries;
  if (base != base_) retries_ = 0;
  if (fetched_.valid && fetched_.again && fetched_.seq == base) ++retries_;
  if (send && next_ == fresh_) fresh_ = after(fresh_);
  if (send) next_ = after(next_);
  const bool has_come = seq_distance(base_, next_) < seq_distance(base_, base);
  if (go_back || time_out || has_come) next_ = base;
  base_ = base;
  if (back != nullptr) round_ = back->round;
}

void LinkRetryTx::take_credits(const LinkBack* back) {
  credits_ = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    if (back != nullptr) {
      const std::uint8_t given = back->given[v];
      owed_[v] = static_cast<std::uint8_t>(owed_[v] + given - std::exchange(given_[v], given));
    }
    if (owed_[v] == 0) continue;
    --owed_[v];
    credits_ |= 1U << v;
  }
}

std::uint32_t LinkRetryTx::owed_credits(int vc) const {
  return owed_[static_cast<std::size_t>(vc)];
}

bool LinkRetryTx::is_idle(const LinkBack& back) const {
  return base_ == come_ && !fetched_.valid && !sent_.valid && credits_ == 0 && time_ == 0 &&
         std::ranges::all_of(owed_, [](std::uint8_t owed) { return owed == 0; }) &&
         back.expected == base_ && back.round == round_ && back.given == given_;
}

// ---- the receiver's end

LinkRetryRx::LinkRetryRx(std::size_t words) : in_(words), out_(words) {}

void LinkRetryRx::reset() {
  here_ = asked_ = passes_ = damaged_ = false;
  expected_ = 0;
  round_ = 0;
  given_ = {};
  back_ = {};
}

void LinkRetryRx::step(const Arrival* arrival, std::uint32_t credits) {
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    given_[v] = static_cast<std::uint8_t>(given_[v] + (credits >> v & 1U));
  }
  back_ = {.expected = expected_, .round = round_, .given = given_};

  const std::uint32_t ahead = seq_distance(expected_, seq_);
  const bool is_old = ahead > kSeqMask / 2;
  const bool pass = here_ && intact_ && ahead == 0;
  const bool ask =
      here_ && (intact_ ? ahead != 0 && !is_old && (!asked_ || seq_round_ == round_) : !asked_);
  damaged_ = here_ && !intact_;
  passes_ = pass;
  if (pass) {
    std::swap(in_, out_);
    expected_ = after(expected_);
  }
  if (ask) round_ = static_cast<std::uint8_t>((round_ + 1U) & kRoundMask);
  if (pass || ask) asked_ = ask;

  here_ = arrival != nullptr;
  if (arrival == nullptr) return;
  intact_ = arrival->intact;
  seq_ = arrival->seq;
  seq_round_ = arrival->round;
  std::copy_n(arrival->flit, in_.size(), in_.begin());
}

bool LinkRetryRx::is_idle() const {
  return !here_ && !passes_ &&
         back_ == LinkBack{.expected = expected_, .round = round_, .given = given_};
}

}  // namespace fredsim
