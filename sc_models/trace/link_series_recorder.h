// SPDX-License-Identifier: Apache-2.0
// Records the counters of links and switches at the end of every window of a run
// (results/link_series.h).
//
// Use: begin() when the counters are those at cycle 0 of the windows; edge() after every edge, or
//   sample() at the cycles that next() names; result() with the counters of the whole run, at the
//   same moment at which they were read.
// Cost: a look at all links and switches per window.
// Errors: BadInput from sample() for more windows than a series has room for.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric_core.h"
#include "results/link_series.h"
#include "results/results.h"
#include "switch/switch_core.h"
#include "switch/switch_counters.h"
#include "topology/topology.h"

namespace fredsim {

class LinkSeriesRecorder {
 public:
  // All of them outlive it. `switches`: by node, as Fabric::switches().
  LinkSeriesRecorder(const Topology& topology, const FabricCore& core, SwitchCores switches,
                     std::uint64_t window_cycles);

  void begin(std::uint64_t begin_cycle);
  std::uint64_t next() const { return next_; }  // end of the window, in cycles since begin()
  void edge(std::uint64_t now) {                // `now`: edges since begin()
    if (now == next_) sample();
  }
  void sample();
  // Takes counters by link and by node, for a run that does not move flits.
  using SwitchCounts = std::span<const std::optional<SwitchCounters>>;
  void begin(std::uint64_t begin_cycle, std::span<const LinkCount> links, SwitchCounts switches);
  void sample(std::span<const LinkCount> links, SwitchCounts switches);

  // Results of `cycles` cycles. `links`, `switches`: their counters; `link_like`, `switch_like`:
  // link and node whose counts each copies (operations/equal_slices.h), empty: their own.
  LinkSeries result(std::uint64_t cycles, std::span<const LinkResult> links,
                    std::span<const SwitchResult> switches, std::span<const int> link_like = {},
                    std::span<const NodeId> switch_like = {}) const;

 private:
  struct OnLink {
    std::uint64_t flits = 0, bytes = 0, busy_cycles = 0;
    double sent = 0;
  };
  using OfSwitch = std::array<std::uint64_t, std::size(kSwitchCounters)>;
  struct Counts {  // counts at one moment
    std::vector<OnLink> links;
    std::vector<std::optional<OfSwitch>> switches;  // by node; none: not readable
  };
  static Counts to_counts(std::span<const LinkCount> links, SwitchCounts switches);
  Counts counts() const;
  void begin(std::uint64_t begin_cycle, Counts counts);
  void sample(Counts counts);
  LinkSeries::OfLink of_link(const LinkResult& total, int link, int like,
                             const LinkSeries& shape) const;
  LinkSeries::OfSwitch of_switch(const SwitchResult& total, NodeId like,
                                 std::uint64_t windows) const;

  const Topology& topology_;
  const FabricCore& core_;
  const SwitchCores switches_;
  const std::uint64_t window_cycles_;
  std::uint64_t begin_cycle_ = 0, next_ = 0;
  std::vector<Counts> samples_;  // at the beginning, then at the end of each window
};

}  // namespace fredsim
