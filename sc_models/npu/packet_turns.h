// SPDX-License-Identifier: Apache-2.0
// The packets of a part's ordered trees (collective/detail/packet_order.h) on one channel of an
// NPU: they leave in the order of their due times, and the channel waits for the next one. Hardware
// cost is like that of a queue: a counter per tree that advances by its interval, and the minimum
// of the counters.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "nic/packet_extension.h"
#include "nic/ring_queue.h"
#include "npu/npu_work.h"

namespace fredsim {

// Sums or results of a tree for one rank.
struct PacketTurn {
  int local = 0;  // local number of a tree
  bool is_result = false;
  bool is_own = false;  // packets started here; else forwarded ones
  int to_rank = 0;
  std::uint64_t interval = 0;
  std::uint64_t due = 0;  // due time of the next packet
  std::uint64_t sent = 0;
  RingQueue<Packet*> ready{};
};

class PacketTurns {
 public:
  // Called by tree, ascending.
  void add(PacketTurn turn);
  bool empty() const { return turns_.empty(); }
  std::size_t ready(int local, int to_rank) const;  // results of a tree that wait for their turn
  bool has_ready() const;                           // packets that wait for their turn
  void push(int local, bool is_result, int to_rank, Packet& packet);
  // Tree whose turn it is; null: all is sent.
  PacketTurn* next(const Work& work);
  std::uint64_t first_due(
      const Work& work) const;  // due time of next(); all sent: the largest number
  void count_sent();            // counts the packet of next() as sent
  void add_state(const Work& work, StateDigest& digest) const;

 private:
  using Due = std::pair<std::uint64_t, std::size_t>;  // due time, number of the turn

  std::vector<PacketTurn> turns_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> order_;  // turns of trees that are not
                                                                      // over
};

}  // namespace fredsim
