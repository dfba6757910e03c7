// SPDX-License-Identifier: Apache-2.0
#include "links/retransmission/reliable_link.h"

#include <fmt/format.h>
#include <rtl/link_pkg.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "links/retransmission/link_check.h"

namespace fredsim {
namespace {

constexpr std::uint32_t kSeqAt = WireErrors::kFlitBits, kRoundAt = kSeqAt + link_pkg::SEQ_W;
constexpr std::uint32_t kMargin =
    LinkTx::kMaxLate + 2;  // late flits, and one in flight to the sender's end

const LinkCheck& flit_check() {
  static const LinkCheck check(kRoundAt + link_pkg::ROUND_W, link_pkg::CHECK_W,
                               link_pkg::CHECK_POLYNOMIAL);
  return check;
}

const LinkCheck& back_check() {
  static const LinkCheck check(link_pkg::BACK_DATA_W, link_pkg::CHECK_W,
                               link_pkg::CHECK_POLYNOMIAL);
  return check;
}

}  // namespace

LinkRetryTx::Shape ReliableLink::shape_of(const Link& link, int max_retransmissions) {
  const Rational& rate = link.flit_rate();
  const std::uint64_t beyond = (rate.den - 1) / rate.num;
  // Edges from the one at which a flit is sampled to the one after which it leaves the replay
  // buffer.
  const std::uint64_t edges = 2 * static_cast<std::uint64_t>(link.latency) + beyond +
                              link_pkg::TX_EDGES + link_pkg::RX_EDGES + link_pkg::ACK_EDGES;
  const std::uint64_t flits = (edges * rate.num + rate.den - 1) / rate.den + kMargin;
  if (flits > 1U << (link_pkg::SEQ_W - 1)) {
    throw std::logic_error(fmt::format("{}: a round trip of {} flits; sequence numbers allow {}",
                                       link.name, flits, 1U << (link_pkg::SEQ_W - 1)));
  }
  return {.depth = static_cast<std::uint32_t>(std::bit_ceil(flits)),
          .margin = kMargin,
          .timeout = static_cast<std::uint32_t>(2 * edges),
          .max_retries = static_cast<std::uint32_t>(max_retransmissions)};
}

ReliableLink::ReliableLink(const Link& link, int number, const LinkErrors& errors,
                           std::size_t words)
    : name_(link.name),
      number_(number),
      latency_(static_cast<std::uint32_t>(link.latency)),
      words_(words),
      shape_(shape_of(link, errors.max_retransmissions)),
      tx_(shape_, words),
      rx_(words),
      errors_(errors),
      wire_errors_(errors, number),
      pushed_(words),
      // Words for more flits than are ever in flight: no two arrive at the same edge.
      wire_words_((latency_ + 2 * link.flit_cycles() + 2) * words),
      changed_(words) {
  reset();
}

void ReliableLink::reset() {
  tx_.reset();
  rx_.reset();
  wire_errors_ = WireErrors(errors_, number_);
  has_pushed_ = false;
  stay_active(false);
  credits_ = beyond_ = 0;
  wire_.clear();
  next_slot_ = 0;
  said_.assign(1, {});
  flits_inside_ = credits_inside_ = {};
  backlog_ = 0;
  has_room_ = true;
  counts_ = {};
}

void ReliableLink::add_counts(LinkCount& count) const {
  count.again += counts_.resent;
  count.sent += static_cast<double>(counts_.resent);
  count.of_policy = {counts_.resent, counts_.damaged, counts_.lost};
}

void ReliableLink::push(const std::uint32_t* flit) {
  assert(!has_pushed_);
  std::copy_n(flit, words_, pushed_.begin());
  has_pushed_ = true;
  ++backlog_;
  ++flits_inside_[static_cast<std::size_t>(vc_of(flit))];
}

void ReliableLink::give_credit(std::uint32_t vc) {
  credits_ |= 1U << vc;
  ++credits_inside_[vc];
}

LinkChannel::Out ReliableLink::step(std::uint64_t edge, LinkTx& tx) {
  const bool arrives = !wire_.empty() && wire_.front().at == edge;
  LinkRetryRx::Arrival arrival;
  if (arrives) {
    const SentFlit& flit = wire_.front();
    arrival = {.intact = flit.intact, .seq = flit.seq, .round = flit.round, .flit = flit.flit};
    counts_.damaged += flit.intact ? 0 : 1;
  }
  rx_.step(arrives ? &arrival : nullptr, std::exchange(credits_, 0));
  if (arrives) wire_.pop_front();
  if (rx_.back() != said_.back().back) said_.push_back({edge + latency_, rx_.back()});
  while (said_.size() > 1 && said_[1].at <= edge) said_.pop_front();

  const LinkBack* const received =
      back_is_intact(edge, tx.faults()) ? &said_.front().back : nullptr;
  tx_.step(std::exchange(has_pushed_, false) ? pushed_.data() : nullptr, tx.takes_now(edge),
           received);
  if (tx_.is_dead()) {
    fail(edge,
         fmt::format("the link is dead: a flit was retransmitted {} times and never acknowledged "
                     "(link.max_retransmissions)",
                     shape_.max_retries));
  }
  if (tx_.sent().valid) put_on_wire(edge, tx_.sent(), tx.faults());
  if (tx_.fetched()) beyond_ = tx.serialise(edge);
  backlog_ = tx_.waiting();
  has_room_ = tx_.has_room();

  stay_active(!wire_.empty() || said_.size() > 1 || !rx_.is_idle() ||
              !tx_.is_idle(said_.front().back));
  const Out out{.flit = rx_.passed(), .credits = tx_.credits(), .is_sending = tx_.sent().valid};
  if (out.flit != nullptr) --flits_inside_[static_cast<std::size_t>(vc_of(out.flit))];
  for (std::size_t vc = 0; vc < kNumVcs; ++vc)
    credits_inside_[vc] -= static_cast<int>(out.credits >> vc & 1U);
  return out;
}

void ReliableLink::put_on_wire(std::uint64_t edge, const LinkRetryTx::Sent& sent,
                               LinkFaults* faults) {
  counts_.resent += sent.again ? 1 : 0;
  if (wire_errors_.loses_flit()) {
    ++counts_.lost;
    return;
  }
  std::uint32_t* const words = &wire_words_[next_slot_];
  std::copy_n(sent.flit, words_, words);
  SentFlit in_flight{
      .at = edge + latency_ + beyond_, .seq = sent.seq, .round = sent.round, .flit = words};
  if (!damage(edge, words, in_flight, faults)) {
    ++counts_.lost;
    return;
  }
  next_slot_ = (next_slot_ + words_) % wire_words_.size();
  wire_.push_back(in_flight);
  assert(wire_.size() == 1 || wire_[wire_.size() - 2].at < wire_.back().at);
}

// Returns false if the flit is lost.
bool ReliableLink::damage(std::uint64_t edge, std::uint32_t* flit, SentFlit& in_flight,
                          LinkFaults* faults) {
  std::uint32_t remainder = 0;
  const auto be_wrong = [&](std::uint32_t at) {
    remainder ^= flit_check().remainder(at);
    if (at < words_ * 32) {
      flit[at / 32] ^= 1U << at % 32;
    } else if (at >= kSeqAt && at < kRoundAt) {
      in_flight.seq = static_cast<LinkSeq>(in_flight.seq ^ 1U << (at - kSeqAt));
    } else if (at >= kRoundAt && at < flit_check().data_bits()) {
      in_flight.round = static_cast<std::uint8_t>(in_flight.round ^ 1U << (at - kRoundAt));
    }
  };
  if (faults != nullptr) {
    std::copy_n(flit, words_, changed_.begin());
    if (!faults->pass(number_, edge, changed_)) return false;
    for (std::uint32_t at = 0; at < words_ * 32; ++at) {
      if (((changed_[at / 32] ^ flit[at / 32]) >> at % 32 & 1U) != 0) be_wrong(at);
    }
  }
  wire_errors_.on_flit(be_wrong);
  in_flight.intact = remainder == 0;
  return true;
}

bool ReliableLink::back_is_intact(std::uint64_t edge, LinkFaults* faults) {
  bool is_wrong = false;
  std::uint32_t remainder = 0;
  const auto be_wrong = [&](std::uint32_t at) {
    is_wrong = true;
    remainder ^= back_check().remainder(at);
  };
  if (faults != nullptr) std::ranges::for_each(faults->wrong_back(number_, edge), be_wrong);
  wire_errors_.on_word_back(be_wrong);
  if (is_wrong && remainder == 0) fail(edge, "a damaged acknowledgement has passed its check");
  return !is_wrong;
}

void ReliableLink::fail(std::uint64_t edge, const std::string& what) const {
  throw RunFailed(fmt::format("cycle {}: {}: {}", edge, name_, what));
}

}  // namespace fredsim
