// SPDX-License-Identifier: Apache-2.0
// Twins of the two ends of a link with retransmission, rtl/common/link_retry_tx.sv and link_retry_rx.sv, edge by edge.
//
// A step is one clock edge: what is handed in is at the pins before it, what the getters tell is there after it. Whether
//   something on the wires is intact is known to the caller (link_check.h); the twins compute no check.
// Sequence numbers are modulo 2^link_pkg::SEQ_W, as on the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/flit.h"

namespace fredsim {

using LinkSeq = std::uint16_t;

// Seq a is before b by less than half of all numbers: how many are between them.
std::uint32_t seq_distance(LinkSeq from, LinkSeq to);

// Feedback of the receiver in every cycle.
struct LinkBack {
  LinkSeq expected = 0;
  std::uint8_t round = 0;
  std::array<std::uint8_t, kNumVcs> given{};  // credits so far
  bool operator==(const LinkBack&) const = default;
};

class LinkRetryTx {
 public:
  struct Shape {
    std::uint32_t depth = 64;          // flits that are kept, a power of two
    std::uint32_t margin = 3;          // flits that may come after there is no room
    std::uint32_t timeout = 128;       // edges
    std::uint32_t max_retries = 1000;  // max retries of the oldest flit
  };
  // Flit on the wire; `flit` is valid until the next step.
  struct Sent {
    bool valid = false;
    bool again = false;
    LinkSeq seq = 0;
    std::uint8_t round = 0;
    const std::uint32_t* flit = nullptr;
  };

  LinkRetryTx(const Shape& shape, std::size_t words);

  void reset();
  // `flit`: null for none. `back`: null where it is not intact.
  void step(const std::uint32_t* flit, bool wire_ready, const LinkBack* back);

  const Sent& sent() const { return sent_; }
  bool fetched() const {
    return fetched_.valid;
  }  // a flit at the last edge, which is on the wire after the next
  std::uint32_t credits() const { return credits_; }  // bit v: one of VC v
  bool is_ready() const { return has_room() && waiting() == 0; }
  bool has_room() const { return kept() < shape_.depth - shape_.margin; }
  std::uint32_t kept() const { return seq_distance(base_, come_); }
  std::uint32_t waiting() const {
    return seq_distance(next_, come_);
  }  // to be sent or retransmitted
  // The oldest flit was retransmitted more than max_retries times.
  bool is_dead() const { return dead_; }
  // Nothing is kept, in flight to the wire or owed; a step without flit and with the same `back` would change nothing.
  bool rests(const LinkBack& back) const;
  // A flit in the replay buffer.
  const std::uint32_t* flit(LinkSeq seq) const { return &flits_[slot(seq)]; }
  LinkSeq come() const { return come_; }
  std::uint32_t owed_credits(int vc) const;  // heard of, and not given yet

 private:
  struct Fetched {
    bool valid = false;
    bool again = false;
    LinkSeq seq = 0;
    std::uint8_t round = 0;
  };
  std::size_t slot(LinkSeq seq) const { return (seq & (shape_.depth - 1)) * words_; }
  void take_credits(const LinkBack* back);

  Shape shape_;
  std::size_t words_;
  std::vector<std::uint32_t> flits_;  // by slot, and one more: that on the wire
  LinkSeq base_ = 0, next_ = 0, fresh_ = 0, come_ = 0;
  std::uint8_t round_ = 0;
  std::uint32_t time_ = 0;
  std::uint32_t retries_ = 0;  // retries of the flit base_
  bool dead_ = false;
  Fetched fetched_;
  Sent sent_;
  std::array<std::uint8_t, kNumVcs> given_{}, owed_{};
  std::uint32_t credits_ = 0;
};

class LinkRetryRx {
 public:
  // At the wire. `flit` is copied.
  struct Arrival {
    bool intact = false;
    LinkSeq seq = 0;
    std::uint8_t round = 0;
    const std::uint32_t* flit = nullptr;
  };

  explicit LinkRetryRx(std::size_t words);

  void reset();
  // `arrival`: null for none. `credits`: bit v for one of VC v.
  void step(const Arrival* arrival, std::uint32_t credits);

  const std::uint32_t* passed() const { return passes_ ? out_.data() : nullptr; }  // null: no flit
  bool found_damage() const { return damaged_; }
  const LinkBack& back() const { return back_; }
  LinkSeq expected() const { return expected_; }
  // No flit is inside, and `back` says all there is to say.
  bool rests() const;

 private:
  // Sampled inputs.
  bool here_ = false, intact_ = false;
  LinkSeq seq_ = 0;
  std::uint8_t seq_round_ = 0;
  std::vector<std::uint32_t> in_, out_;
  // State.
  LinkSeq expected_ = 0;
  std::uint8_t round_ = 0;
  bool asked_ = false;
  bool passes_ = false, damaged_ = false;
  std::array<std::uint8_t, kNumVcs> given_{};
  LinkBack back_;
};

}  // namespace fredsim
