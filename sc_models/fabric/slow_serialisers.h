// SPDX-License-Identifier: Apache-2.0
// Serialisers of slow links, whose flits take longer than the wheel (fabric/link_wheel.h) covers:
// flits being sent, by the edge at which the wire has all of them.
//
// Places are the links' outputs, in the owner's numbering. At most LinkTx::kSlots flits of
// a link are here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/flit.h"
#include "base/state_digest.h"
#include "links/link.h"

namespace fredsim {

class SlowSerialisers {
 public:
  // Serialisation beyond this limit is not in the wheel, which would be as long.
  static constexpr std::uint32_t kMaxBeyondInWheel = 15;
  static bool takes(const LinkTx& link) { return link.beyond() >= kMaxBeyondInWheel; }

  SlowSerialisers() = default;  // no link is slow
  // `words`: words of a flit; `links`: slow links of the outputs.
  SlowSerialisers(std::size_t outputs, std::size_t links, std::size_t words)
      : words_(words), flits_(LinkTx::kSlots * outputs * words), next_slot_(outputs) {
    in_flight_.reserve(LinkTx::kSlots * links);
  }

  bool empty() const { return in_flight_.empty(); }
  void clear() { in_flight_.clear(); }
  // Adds a flit that is sent at edge `until` and returns the room for its words.
  std::uint32_t* add(std::uint32_t place, std::uint64_t until) {
    const std::uint32_t slot = LinkTx::kSlots * place + next_slot_[place];
    next_slot_[place] = static_cast<std::uint8_t>((next_slot_[place] + 1U) % LinkTx::kSlots);
    in_flight_.push_back({until, slot});
    std::ranges::push_heap(in_flight_, std::greater{}, &Flit::until);
    return &flits_[slot * words_];
  }
  // Calls on_flit(place, words) for flits that are sent at `edge`.
  template <typename OnFlit>
  void end_edge(std::uint64_t edge, const OnFlit& on_flit) {
    while (!in_flight_.empty() && in_flight_.front().until == edge) {
      const std::uint32_t slot = in_flight_.front().slot;
      std::ranges::pop_heap(in_flight_, std::greater{}, &Flit::until);
      in_flight_.pop_back();
      on_flit(slot / LinkTx::kSlots, std::span(&flits_[slot * words_], words_));
    }
  }
  // Edges to the end of the next flit; the highest number if there is none.
  std::uint64_t edges_to_next(std::uint64_t edge) const {
    return in_flight_.empty() ? ~std::uint64_t{0} : in_flight_.front().until - edge;
  }

  // Leaves out the slot of a link and the order of a heap, which no behaviour depends on.
  void add_state(StateDigest& digest, std::uint64_t edge) const {
    std::vector<Flit> flits = in_flight_;
    const auto order = [](const Flit& flit) {
      return std::pair(flit.until, flit.slot / LinkTx::kSlots);
    };
    std::ranges::sort(flits, {}, order);
    for (const Flit& flit : flits) {
      digest.add(flit.until - edge);
      digest.add(flit.slot / LinkTx::kSlots);
      digest.add_flit(&flits_[flit.slot * words_]);
    }
  }
  void skip(std::uint64_t edges) {
    for (Flit& flit : in_flight_) flit.until += edges;
  }
  int count(std::uint32_t place, int vc) const {
    return static_cast<int>(std::ranges::count_if(in_flight_, [&](const Flit& flit) {
      return flit.slot / LinkTx::kSlots == place && vc_of(&flits_[flit.slot * words_]) == vc;
    }));
  }

 private:
  struct Flit {
    std::uint64_t until = 0;  // edge at which the wire has all of the flit
    std::uint32_t slot = 0;   // kSlots x place of the output + index among its slots
  };

  std::size_t words_ = 0;
  std::vector<Flit> in_flight_;          // heap, earliest first
  std::vector<std::uint32_t> flits_;     // words of flits, by slot
  std::vector<std::uint8_t> next_slot_;  // index: place of the output; slot of its next flit
};

}  // namespace fredsim
