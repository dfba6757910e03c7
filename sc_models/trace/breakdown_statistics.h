// SPDX-License-Identifier: Apache-2.0
// Statistics of packets' breakdowns: by stage and cause, for all packets of a kind.
//
// A packet counts as often as it says (slices that do the same are simulated once). Memory: a place
//   per number of cycles that has occurred, by stage and cause.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/breakdown.h"
#include "trace/breakdown_stages.h"

namespace fredsim {

// Histogram of cycles, exact. figures(): over `packets` packets; packets that were not added count
// as zeros.
class CycleCounts {
 public:
  void add(std::uint64_t cycles, std::uint64_t times);
  std::uint64_t total() const { return total_; }
  std::uint64_t count() const { return count_; }
  CycleFigures figures(std::uint64_t packets) const;

 private:
  static constexpr std::uint64_t kShort = 4096;
  std::uint64_t percentile(std::uint64_t packets, std::uint64_t percent) const;

  std::vector<std::uint64_t> short_;             // index: cycles
  std::map<std::uint64_t, std::uint64_t> long_;  // larger numbers of cycles
  std::uint64_t count_ = 0, total_ = 0;
};

// Cycles of one packet, or of several one after the other: by stage and cause.
class StageCycles {
 public:
  explicit StageCycles(int stages = 0) : cycles_(static_cast<std::size_t>(stages)) {}
  void add(int stage, DelayCause cause, std::uint64_t more) {
    count(cycles_[static_cast<std::size_t>(stage)], cause) += more;
  }
  void add(int stage, const CyclesByCause& more);
  struct Item {
    int stage = 0;
    DelayCause cause{};
    std::uint64_t cycles = 0;
  };
  void add(const Item& more) { add(more.stage, more.cause, more.cycles); }
  void list(std::vector<Item>& items) const;  // appends all nonzero items
  void clear();
  int stages() const { return static_cast<int>(cycles_.size()); }
  const CyclesByCause& of(int stage) const { return cycles_[static_cast<std::size_t>(stage)]; }

 private:
  std::vector<CyclesByCause> cycles_;
};

NamedCycles named_cycles(const CyclesByCause& cycles);

class BreakdownStatistics {
 public:
  explicit BreakdownStatistics(int stages) : stages_(static_cast<std::size_t>(stages)) {}

  // `visits`: stages on the packet's path, one entry for each visit.
  void add(std::uint64_t latency, const StageCycles& cycles, const std::vector<int>& visits,
           std::uint64_t times);
  void add_join(int stage, std::uint64_t cycles, std::uint64_t times) {
    stages_[static_cast<std::size_t>(stage)].joins.add(cycles, times);
  }
  std::uint64_t packets() const { return latency_.count(); }
  std::uint64_t latencies() const { return latency_.total(); }
  LatencyBreakdown result(const BreakdownStages& names) const;

 private:
  struct Stage {
    std::uint64_t visits = 0;
    std::array<CycleCounts, kDelayCauses> causes;
    CycleCounts joins;
  };
  std::vector<Stage> stages_;
  CycleCounts latency_;
};

}  // namespace fredsim
