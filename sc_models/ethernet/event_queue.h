// SPDX-License-Identifier: Apache-2.0
// Events of a packet network, in order of (time, number): a run is the same on any machine.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "ethernet/settings.h"

namespace fredsim {

enum class EthernetEvent : std::uint8_t {
  kArrival,   // arrival of the first packet in flight on a link
  kPortFree,  // a port may send again
  kPace,      // a queue pair of a host may send again
  kTimeOut,   // time-out of a queue pair
};

class EventQueue {
 public:
  struct Entry {
    Picoseconds time = 0;
    std::uint64_t number = 0;  // order of push()
    EthernetEvent event{};
    std::uint32_t index = 0;  // link, host or queue pair

    bool operator<(const Entry& other) const {  // for a heap with the least on top
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  bool empty() const { return heap_.empty(); }
  const Entry& top() const { return heap_.top(); }
  void push(Picoseconds time, EthernetEvent event, std::uint32_t index) {
    heap_.push({time, next_++, event, index});
  }
  void pop() { heap_.pop(); }

 private:
  std::priority_queue<Entry> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace fredsim
