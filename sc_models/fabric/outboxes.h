// SPDX-License-Identifier: Apache-2.0
// Flits and credits in flight from one partition to others, by the edge at which they arrive.
//
// Two outboxes take turns, so that one is read while the other is filled (fabric/partition.h).
// Edges are kept by their lower 32 bits: no flit or credit is in flight for longer.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fabric/link_wheel.h"
#include "links/link.h"
#include "ranks/rank_message.h"

namespace fredsim {

class Outboxes {
 public:
  // Outboxes to `partitions` partitions; `words`: words of a flit.
  Outboxes(std::size_t partitions, std::size_t words) : words_(words) {
    for (auto& boxes : boxes_) boxes.resize(partitions);
  }

  void reset() {
    has_put_ = {};
    for (auto& boxes : boxes_) {
      for (Box& box : boxes) box.clear();
    }
  }
  // Selects the outbox to be filled from now on, 0 or 1; its old contents have been taken.
  void fill(int box) {
    filled_ = static_cast<std::size_t>(box);
    has_put_[filled_] = false;
  }
  // Adds a flit and returns the room for its words.
  std::uint32_t* add_flit(std::uint32_t partition, std::uint64_t edge, InputPin to) {
    has_put_[filled_] = true;
    std::vector<std::uint32_t>& flits = boxes_[filled_][partition].flits;
    flits.insert(flits.end(), {static_cast<std::uint32_t>(edge), to.word()});
    flits.resize(flits.size() + words_);
    return &flits[flits.size() - words_];
  }
  void add_credit(std::uint32_t partition, std::uint64_t edge, LinkWheel::Credit credit) {
    has_put_[filled_] = true;
    boxes_[filled_][partition].credits.push_back({static_cast<std::uint32_t>(edge), credit});
  }
  // Moves the contents of outbox `box` for `partition` to its wheel, which is at `edge`.
  void hand_over(int box, std::uint32_t partition, std::uint64_t edge, LinkWheel& wheel) {
    if (!has_put_[static_cast<std::size_t>(box)]) return;
    Box& from = boxes_[static_cast<std::size_t>(box)][partition];
    deliver(from, words_, edge, wheel);
    from.clear();
  }
  // Packs the contents of outbox `box` for a partition into a message to its process.
  void pack(int box, std::uint32_t partition, RankMessage& message) {
    Box& from = boxes_[static_cast<std::size_t>(box)][partition];
    message.put_all(from.flits);
    message.put_all(from.credits);
    from.clear();
  }
  void unpack(RankMessage& message, std::uint64_t edge, LinkWheel& wheel) {
    message.get_all(unpacked_.flits);
    message.get_all(unpacked_.credits);
    deliver(unpacked_, words_, edge, wheel);
  }

  // Edges from `edge` on until the first arrival of all that outbox `box` has; the highest number
  // if it is empty. Box -1: none.
  std::uint64_t edges_to_first(int box, std::uint64_t edge) const {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    if (box < 0) return first;
    const auto add = [&](std::uint32_t at) {
      first = std::min(first, std::uint64_t{at - static_cast<std::uint32_t>(edge)});
    };
    for (const Box& of : boxes_[static_cast<std::size_t>(box)]) {
      for (std::size_t i = 0; i < of.flits.size(); i += kHeader + words_) add(of.flits[i]);
      for (const Credit& crossing : of.credits) add(crossing.edge);
    }
    return first;
  }

 private:
  struct Credit {
    std::uint32_t edge = 0;
    LinkWheel::Credit credit;
  };
  struct alignas(64) Box {
    std::vector<std::uint32_t> flits;  // entries: edge, input pin, words of the flit
    std::vector<Credit> credits;
    void clear() {
      flits.clear();
      credits.clear();
    }
  };
  static constexpr std::size_t kHeader = 1 + LinkWheel::kHeader;

  static void deliver(const Box& from, std::size_t words, std::uint64_t edge, LinkWheel& wheel) {
    const auto now = static_cast<std::uint32_t>(edge);
    for (std::size_t i = 0; i < from.flits.size(); i += kHeader + words) {
      const std::uint32_t* const entry = &from.flits[i];
      assert(entry[0] - now < wheel.slots());
      std::copy_n(entry + kHeader, words, wheel.add_flit(entry[0] - now, InputPin(entry[1])));
    }
    for (const Credit& crossing : from.credits) {
      assert(crossing.edge - now < wheel.slots());
      wheel.add_credit(crossing.edge - now, crossing.credit);
    }
  }

  std::size_t words_;
  std::array<std::vector<Box>, 2> boxes_;  // index: destination partition
  std::size_t filled_ = 0;
  std::array<bool, 2> has_put_{};  // index: outbox; true if it has contents for another partition
  Box unpacked_;                   // contents of a received message
};

}  // namespace fredsim
