// SPDX-License-Identifier: Apache-2.0
// Latencies of packets in whole cycles, all of them: mean, maximum and percentiles are exact.
//
// Memory: 8 bytes per cycle of the largest latency, doubled when a larger one comes; below
//   kReserved cycles add() never allocates.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fredsim {

class LatencyHistogram {
 public:
  LatencyHistogram() : packets_(kReserved) {}

  void clear() {
    std::ranges::fill(packets_, 0U);
    count_ = sum_ = 0;
  }
  void add(std::uint64_t cycles) {
    if (cycles >= packets_.size()) packets_.resize(std::bit_ceil(cycles + 1));
    ++packets_[cycles];
    ++count_;
    sum_ += cycles;
  }
  void add(const LatencyHistogram& more) { add_packets(more.packets_); }

  // Packets by latency, from 0 on; add() also merges such a histogram.
  const std::vector<std::uint64_t>& packets() const { return packets_; }
  void add_packets(const std::vector<std::uint64_t>& more) {
    packets_.resize(std::max(packets_.size(), more.size()));
    for (std::size_t cycles = 0; cycles < more.size(); ++cycles) {
      packets_[cycles] += more[cycles];
      count_ += more[cycles];
      sum_ += more[cycles] * cycles;
    }
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  // The smallest latency that at least `percent` of 100 packets do not exceed; 0 without packets.
  std::uint64_t percentile(unsigned percent) const {
    const std::uint64_t wanted = count_ / 100 * percent + (count_ % 100 * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t cycles = 0; cycles < packets_.size(); ++cycles) {
      seen += packets_[cycles];
      if (seen >= wanted && seen > 0) return cycles;
    }
    return 0;
  }
  std::uint64_t max() const { return percentile(100); }

 private:
  static constexpr std::size_t kReserved = 8192;

  std::vector<std::uint64_t> packets_;  // index: latency
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace fredsim
