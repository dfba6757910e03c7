// SPDX-License-Identifier: Apache-2.0
// Flits and credits in flight on links, by the edge of their arrival: a slot per future edge, each
// with lists of flits and of credits, for switches and for endpoints apart.
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

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounded_list.h"
#include "base/flit.h"
#include "base/port_pin.h"

namespace fredsim {

class LinkWheel {
 public:
  using Credit = CreditPin;
  // Lists of an edge: arrivals at endpoints, and at switches.
  enum List : std::size_t { kAtEndpoints, kAtSwitches };
  static constexpr std::array kLists{kAtEndpoints, kAtSwitches};
  // Words of a flit's entry before its own: the input pin, in a word.
  static constexpr std::size_t kHeader = 1;
  using Flits = BoundedList<std::uint32_t>;
  using Credits = BoundedList<Credit>;

  // `arriving`, `leaving`: links whose flits, and whose credits, it carries; `words`: words of a
  // flit.
  LinkWheel(std::uint32_t longest, std::size_t arriving, std::size_t leaving, std::size_t words)
      : mask_(std::bit_ceil(longest + 1) - 1), words_(words) {
    for (std::uint32_t slot = 0; slot <= mask_; ++slot) {
      Slot& made = slots_.emplace_back();
      for (const List list : kLists) {
        made.flits[list] = Flits(arriving * (kHeader + words));
        made.credits[list] = Credits(leaving * kNumVcs);
      }
    }
  }

  // Adds a flit and returns the room for its words.
  std::uint32_t* add_flit(std::uint32_t cycles, InputPin to) {
    return add_flit(cycles, to, words_);
  }
  // Variant for callers that know the words of a flit at compile time.
  [[gnu::always_inline]] std::uint32_t* add_flit(std::uint32_t cycles, InputPin to,
                                                 std::size_t words) {
    std::uint32_t* const entry = at(cycles).flits[list_of(to)].grow(kHeader + words);
    entry[0] = to.word();
    return entry + kHeader;
  }
  [[gnu::always_inline]] void add_credit(std::uint32_t cycles, Credit credit) {
    at(cycles).credits[list_of(credit)].add(credit);
  }

  Flits& flits(List list) { return slots_[now_].flits[list]; }
  Credits& credits(List list) { return slots_[now_].credits[list]; }
  // Arrivals at the edge `cycles` after the current one.
  const Flits& flits(std::uint32_t cycles, List list) const {
    return slots_[(now_ + cycles) & mask_].flits[list];
  }
  const Credits& credits(std::uint32_t cycles, List list) const {
    return slots_[(now_ + cycles) & mask_].credits[list];
  }
  bool has_arrivals(std::uint32_t cycles) const {
    const Slot& slot = slots_[(now_ + cycles) & mask_];
    return !slot.flits[0].empty() || !slot.flits[1].empty() || !slot.credits[0].empty() ||
           !slot.credits[1].empty();
  }
  std::uint32_t slots() const { return mask_ + 1; }

  void turn(std::uint64_t edges = 1) { now_ = static_cast<std::uint32_t>(now_ + edges) & mask_; }
  void reset() {
    now_ = 0;
    for (Slot& slot : slots_) {
      for (Flits& flits : slot.flits) flits.clear();
      for (Credits& credits : slot.credits) credits.clear();
    }
  }

 private:
  struct Slot {
    std::array<Flits, kLists.size()> flits;
    std::array<Credits, kLists.size()> credits;
  };
  template <typename Pin>
  static std::size_t list_of(Pin to) {
    return to.is_of_switch() ? kAtSwitches : kAtEndpoints;
  }
  Slot& at(std::uint32_t cycles) { return slots_[(now_ + cycles) & mask_]; }

  std::uint32_t mask_;  // slots - 1
  std::uint32_t now_ = 0;
  std::size_t words_;
  std::vector<Slot> slots_;
};

}  // namespace fredsim
