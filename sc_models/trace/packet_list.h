// SPDX-License-Identifier: Apache-2.0
// Packets of a run that are listed one by one: the slowest of all, or the first to be delivered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "results/breakdown.h"

namespace fredsim {

struct BreakdownOptions {
  bool is_on = false;
  std::size_t listed = 0;    // number of packets
  bool lists_first = false;  // true: the first delivered; false: the slowest
};

class PacketList {
 public:
  explicit PacketList(const BreakdownOptions& options)
      : max_(options.listed), keeps_first_(options.lists_first) {}

  void clear() { packets_.clear(); }
  // Returns true if a packet with this latency that is delivered now would be in the list.
  bool wants(std::uint64_t latency) const {
    if (packets_.size() < max_) return true;
    return !keeps_first_ && max_ > 0 && latency > latency_of(packets_.back());
  }
  void add(PacketBreakdown packet) {
    const auto at = keeps_first_ ? packets_.end()
                                 : std::ranges::upper_bound(packets_, latency_of(packet),
                                                            std::greater{}, latency_of);
    packets_.insert(at, std::move(packet));
    if (packets_.size() > max_) packets_.pop_back();
  }
  const std::vector<PacketBreakdown>& packets() const { return packets_; }

 private:
  static std::uint64_t latency_of(const PacketBreakdown& packet) {
    return packet.end - packet.begin;
  }

  std::size_t max_;
  bool keeps_first_;
  std::vector<PacketBreakdown> packets_;
};

}  // namespace fredsim
