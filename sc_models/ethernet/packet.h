// SPDX-License-Identifier: Apache-2.0
// Packets of an Ethernet network, and lists of them. A packet is in one list at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ethernet/congestion_control.h"

namespace fredsim {

enum class EthernetPacketKind : std::uint8_t { kData, kAcknowledgement, kNack, kPause, kResume };

inline constexpr std::uint32_t kNoPacket = UINT32_MAX;

struct EthernetPacket {
  std::uint32_t next = kNoPacket;  // next packet of its list
  std::uint32_t queue_pair = 0;
  std::uint32_t source = 0, destination = 0;  // hosts
  std::uint64_t offset = 0;                   // data: first byte; acknowledgements: next expected
  Picoseconds sent = 0;                       // time at which the source sent the data
  Picoseconds arrives = 0;                    // at the end of its link
  std::uint32_t bytes = 0;                    // on the wire
  std::uint32_t payload = 0;
  std::uint32_t from_link = 0;  // link by which it came to this switch
  std::int32_t pint = 0;
  EthernetPacketKind kind{};
  std::uint8_t priority = 0;
  bool marked = false;
  bool is_last = false;    // last packet of its message
  std::uint8_t ports = 0;  // records of it
};

class EthernetPacketPool {
 public:
  explicit EthernetPacketPool(bool has_records) : has_records_(has_records) {}

  std::uint32_t make() {
    std::uint32_t number = free_;
    if (number == kNoPacket) {
      number = static_cast<std::uint32_t>(packets_.size());
      packets_.emplace_back();
      if (has_records_) records_.emplace_back();
    } else {
      free_ = packets_[number].next;
      packets_[number] = {};
    }
    ++used_;
    return number;
  }
  void release(std::uint32_t number) {
    packets_[number].next = free_;
    free_ = number;
    --used_;
  }
  EthernetPacket& operator[](std::uint32_t number) { return packets_[number]; }
  std::array<PortRecord, kMaxEthernetHops>& records(std::uint32_t number) {
    return records_[number];
  }
  std::size_t used() const { return used_; }

 private:
  bool has_records_;
  std::deque<EthernetPacket> packets_;
  std::deque<std::array<PortRecord, kMaxEthernetHops>> records_;
  std::uint32_t free_ = kNoPacket;
  std::size_t used_ = 0;
};

// First in, first out.
struct EthernetPacketList {
  std::uint32_t first = kNoPacket, last = kNoPacket;

  bool empty() const { return first == kNoPacket; }
  void push(EthernetPacketPool& pool, std::uint32_t number) {
    pool[number].next = kNoPacket;
    if (empty()) {
      first = number;
    } else {
      pool[last].next = number;
    }
    last = number;
  }
  std::uint32_t pop(EthernetPacketPool& pool) {
    const std::uint32_t number = first;
    first = pool[number].next;
    return number;
  }
};

}  // namespace fredsim
