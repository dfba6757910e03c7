// SPDX-License-Identifier: Apache-2.0
#include "trace/breakdown_statistics.h"

#include <algorithm>

namespace fredsim {

void CycleCounts::add(std::uint64_t cycles, std::uint64_t times) {
  if (cycles >= kShort) {
    long_[cycles] += times;
  } else {
    if (cycles >= short_.size()) short_.resize(cycles + 1);
    short_[cycles] += times;
  }
  count_ += times;
  total_ += cycles * times;
}

// The smallest number that at least `percent` of 100 packets do not exceed.
std::uint64_t CycleCounts::percentile(std::uint64_t packets, std::uint64_t percent) const {
  const std::uint64_t wanted = packets / 100 * percent + (packets % 100 * percent + 99) / 100;
  std::uint64_t seen = packets - count_;
  if (seen >= wanted) return 0;
  for (std::uint64_t cycles = 0; cycles < short_.size(); ++cycles) {
    seen += short_[cycles];
    if (seen >= wanted) return cycles;
  }
  for (const auto& [cycles, times] : long_) {
    seen += times;
    if (seen >= wanted) return cycles;
  }
  return 0;
}

CycleFigures CycleCounts::figures(std::uint64_t packets) const {
  if (packets == 0) return {};
  return {.mean = static_cast<double>(total_) / static_cast<double>(packets),
          .p50 = percentile(packets, 50),
          .p99 = percentile(packets, 99),
          .max = percentile(packets, 100)};
}

void StageCycles::add(int stage, const CyclesByCause& more) {
  CyclesByCause& cycles = cycles_[static_cast<std::size_t>(stage)];
  for (std::size_t cause = 0; cause < cycles.size(); ++cause) cycles[cause] += more[cause];
}

void StageCycles::list(std::vector<Item>& items) const {
  items.clear();
  for (int stage = 0; stage < stages(); ++stage) {
    for (int cause = 0; cause < kDelayCauses; ++cause) {
      const std::uint64_t cycles = of(stage)[static_cast<std::size_t>(cause)];
      if (cycles != 0) items.push_back({stage, static_cast<DelayCause>(cause), cycles});
    }
  }
}

void StageCycles::clear() { std::ranges::fill(cycles_, CyclesByCause{}); }

NamedCycles named_cycles(const CyclesByCause& cycles) {
  NamedCycles named;
  for (std::size_t cause = 0; cause < cycles.size(); ++cause) {
    if (cycles[cause] != 0) named.emplace_back(kDelayCauseNames[cause], cycles[cause]);
  }
  return named;
}

void BreakdownStatistics::add(std::uint64_t latency, const StageCycles& cycles,
                              const std::vector<int>& visits, std::uint64_t times) {
  latency_.add(latency, times);
  for (const int visit : visits) stages_[static_cast<std::size_t>(visit)].visits += times;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const CyclesByCause& of_stage = cycles.of(static_cast<int>(s));
    for (std::size_t cause = 0; cause < of_stage.size(); ++cause) {
      if (of_stage[cause] != 0) stages_[s].causes[cause].add(of_stage[cause], times);
    }
  }
}

LatencyBreakdown BreakdownStatistics::result(const BreakdownStages& names) const {
  LatencyBreakdown result;
  result.packets = packets();
  result.latency = latency_.figures(result.packets);
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    if (stage.visits == 0 && stage.joins.count() == 0) continue;
    BreakdownStage shown{.name = names.name(static_cast<int>(s)),
                         .visits = result.packets == 0 ? 0
                                                       : static_cast<double>(stage.visits) /
                                                             static_cast<double>(result.packets),
                         .causes = {},
                         .operands = stage.joins.count(),
                         .join = stage.joins.figures(stage.joins.count())};
    for (std::size_t cause = 0; cause < stage.causes.size(); ++cause) {
      const CycleCounts& counts = stage.causes[cause];
      if (counts.count() == 0) continue;
      shown.causes.push_back({.name = std::string(kDelayCauseNames[cause]),
                              .cycles = counts.figures(result.packets),
                              .share = static_cast<double>(counts.total()) /
                                       static_cast<double>(std::max(latencies(), std::uint64_t{1})),
                              .total = counts.total()});
    }
    result.stages.push_back(std::move(shown));
  }
  return result;
}

}  // namespace fredsim
