// SPDX-License-Identifier: Apache-2.0
// Reference of a voq_scheduler's work at an edge, written from its contract: lists of requests, the
// first of them by a key.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/vc_order.h"

namespace fredsim {

class SchedulerReference {
 public:
  SchedulerReference(int ports, int iterations, const VcOrder& order);

  struct Queue {  // queue of (input, VC, output), with a head-of-line flit
    int in = 0, vc = 0, out = 0;
    bool tail = false, several = false;
  };
  struct Edge {
    std::vector<Queue> moved;
    int credit = 0, arbiter = 0;  // inputs that had a head-of-line flit and moved none, by reason
  };
  // `room`: (output, VC) with room for a packet.
  Edge step(const std::vector<Queue>& queues, const std::set<std::pair<int, int>>& room);
  bool is_idle() const;  // no pairs for edges to come

 private:
  struct Keep {
    std::map<int, int> pairs;  // output -> input
    std::set<int> ins, outs;   // ports that do not count as free
  };
  enum class Side : std::uint8_t { kOutput, kInput };

  std::vector<Queue> round(const std::vector<Queue>& asks, const Keep& keep, bool over_vcs) const;
  const Queue* choose(const std::vector<const Queue*>& asks, Side side, const Keep& keep,
                      bool over_vcs) const;
  static Keep keep_of(const std::vector<Queue>& pairs);

  int ports_, iterations_;
  VcOrder order_;
  std::map<std::pair<int, int>, int> owner_;  // (output, VC) inside a packet -> its input
  std::map<std::pair<int, int>, int> grant_turn_, accept_turn_;  // (port, VC) -> first in turn
  std::vector<Queue> streams_;             // moved at the last edge, and go on
  std::vector<std::vector<Queue>> ahead_;  // queues matched in the earlier rounds
};

}  // namespace fredsim
