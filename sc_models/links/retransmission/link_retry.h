// SPDX-License-Identifier: Apache-2.0
// Twins of the two ends of a link with retransmission, rtl/common/link_retry_tx.sv and
// link_retry_rx.sv, edge by edge.
//
// A step is one clock edge: its arguments are the pins before it, the getters return the pins after
//   it. The caller knows whether a word on the wires is intact (link_check.h); the twins compute no
//   check.
// Sequence numbers are modulo 2^link_pkg::SEQ_W, as on the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/flit.h"

namespace fredsim {

using LinkSeq = std::uint16_t;

// Distance from `from` to `to`, which is ahead by less than half of all sequence numbers.
std::uint32_t seq_distance(LinkSeq from, LinkSeq to);

// Feedback of the receiver in every cycle.
struct LinkBack {
  LinkSeq expected = 0;
  std::uint8_t round = 0;
  std::array<std::uint8_t, kNumVcs> given{};  // credits given so far
  bool operator==(const LinkBack&) const = default;
};

class LinkRetryTx {
 public:
  struct Shape {
    std::uint32_t depth = 64;          // flits in the replay buffer, a power of two
    std::uint32_t margin = 3;          // flits that may come after ready falls
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
  // `flit`: null for none. `back`: null if it is not intact.
  void step(const std::uint32_t* flit, bool wire_ready, const LinkBack* back);

  const Sent& sent() const { return sent_; }
  // Returns true after an edge that fetched a flit, which is on the wire after the next edge.
  bool fetched() const { return fetched_.valid; }
  std::uint32_t credits() const { return credits_; }  // bit v: one of VC v
  bool is_ready() const { return has_room() && waiting() == 0; }
  bool has_room() const { return kept() < shape_.depth - shape_.margin; }
  std::uint32_t kept() const { return seq_distance(base_, come_); }
  // Flits to be sent or retransmitted.
  std::uint32_t waiting() const { return seq_distance(next_, come_); }
  // The oldest flit was retransmitted more than max_retries times.
  bool is_dead() const { return dead_; }
  // Returns true if no flit is kept or on its way to the wire and no credit is owed: a step without
  // flit and with the same `back` would change nothing.
  bool is_idle(const LinkBack& back) const;
  // A flit in the replay buffer.
  const std::uint32_t* flit(LinkSeq seq) const { return &flits_[slot(seq)]; }
  LinkSeq come() const { return come_; }
  std::uint32_t owed_credits(int vc) const;  // credits received and not given yet

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
  std::vector<std::uint32_t> flits_;  // replay buffer by slot, then the flit on the wire
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
  // Word that arrives from the wire. `flit` is copied.
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
  // Returns true if no flit is inside and `back` is up to date.
  bool is_idle() const;

 private:
  // Sampled inputs.
  bool here_ = false, intact_ = false;
  LinkSeq seq_ = 0;
  std::uint8_t seq_round_ = 0;
  std::vector<std::uint32_t> in_, out_;
  // State of the receiver.
  LinkSeq expected_ = 0;
  std::uint8_t round_ = 0;
  bool asked_ = false;
  bool passes_ = false, damaged_ = false;
  std::array<std::uint8_t, kNumVcs> given_{};
  LinkBack back_;
};

}  // namespace fredsim
