// SPDX-License-Identifier: Apache-2.0
// Flits and credits in flight on links, by the edge of their arrival: a slot per future edge, each
// a list of flits and one of credits.
//
// Use: add_flit() and add_credit() for an edge `cycles` from the current one, at most the `longest`
//   of the constructor; at every edge flits() and credits() are the arrivals; clear() them; turn()
//   steps to the next edge.
// Reason for lists: the arrivals of an edge are read in order, whatever their nodes, so that
//   neither caches nor branches depend on the distribution over nodes. The lists have room for the
//   maximum, a flit per link and a credit per link and virtual channel; the memory is touched only
//   as far as it was ever needed.
// Nodes have the numbers of the wheel's holder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounded_list.h"
#include "base/flit.h"
#include "links/link.h"

namespace fredsim {

class LinkWheel {
 public:
  // Credit for an output port of a node, the flits' sender, and a virtual channel.
  class Credit {
   public:
    Credit() = default;
    Credit(std::uint32_t node, std::uint32_t port, std::uint32_t vc)
        : word_((node << kPortBits | port) * kNumVcs + vc) {}
    std::uint32_t node() const { return word_ / kNumVcs >> kPortBits; }
    std::uint32_t port() const { return word_ / kNumVcs & ((1U << kPortBits) - 1); }
    std::uint32_t vc() const { return word_ % kNumVcs; }
    std::uint32_t word() const { return word_; }

   private:
    static constexpr int kPortBits = 5;
    std::uint32_t word_ = 0;
  };
  // Words of a flit's entry before its own: the input pin, in a word.
  static constexpr std::size_t kHeader = 1;
  using Flits = BoundedList<std::uint32_t>;
  using Credits = BoundedList<Credit>;

  // `arriving`, `leaving`: links whose flits, and whose credits, it carries; `words`: words of a
  // flit.
  LinkWheel(std::uint32_t longest, std::size_t arriving, std::size_t leaving, std::size_t words)
      : mask_(std::bit_ceil(longest + 1) - 1), words_(words) {
    for (std::uint32_t slot = 0; slot <= mask_; ++slot) {
      slots_.push_back({Flits(arriving * (kHeader + words)), Credits(leaving * kNumVcs)});
    }
  }

  // Adds a flit and returns the room for its words.
  std::uint32_t* add_flit(std::uint32_t cycles, InputPin to) {
    return add_flit(cycles, to, words_);
  }
  // Variant for callers that know the words of a flit at compile time.
  std::uint32_t* add_flit(std::uint32_t cycles, InputPin to, std::size_t words) {
    std::uint32_t* const entry = at(cycles).flits.grow(kHeader + words);
    entry[0] = to.word();
    return entry + kHeader;
  }
  void add_credit(std::uint32_t cycles, Credit credit) { at(cycles).credits.add(credit); }

  Flits& flits() { return slots_[now_].flits; }
  Credits& credits() { return slots_[now_].credits; }
  // Arrivals at the edge `cycles` after the current one.
  const Flits& flits(std::uint32_t cycles) const { return slots_[(now_ + cycles) & mask_].flits; }
  const Credits& credits(std::uint32_t cycles) const {
    return slots_[(now_ + cycles) & mask_].credits;
  }
  std::uint32_t slots() const { return mask_ + 1; }

  void turn(std::uint64_t edges = 1) { now_ = static_cast<std::uint32_t>(now_ + edges) & mask_; }
  void reset() {
    now_ = 0;
    for (Slot& slot : slots_) {
      slot.flits.clear();
      slot.credits.clear();
    }
  }

 private:
  struct Slot {
    Flits flits;
    Credits credits;
  };
  Slot& at(std::uint32_t cycles) { return slots_[(now_ + cycles) & mask_]; }

  std::uint32_t mask_;  // slots - 1
  std::uint32_t now_ = 0;
  std::size_t words_;
  std::vector<Slot> slots_;
};

}  // namespace fredsim
