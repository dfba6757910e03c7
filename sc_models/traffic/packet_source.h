// SPDX-License-Identifier: Apache-2.0
// The packets that one node creates: a Bernoulli process in time, destinations by a pattern.
//
// Time: every cycle has `trials` trials, each of which creates a packet with the gap's probability.
//   One trial per cycle unless the rate asks for more than a packet per cycle.
// The packets depend on seed, node, rate and pattern alone, not on the fabric: a copy predicts the
//   packets of its original. Waiting packets take no memory.
#pragma once

#include <cstdint>

#include "base/geometric.h"
#include "base/random.h"
#include "traffic/traffic_pattern.h"

namespace fredsim {

class PacketSource {
 public:
  // Gap and pattern must outlive the source. The node must be one that sends.
  PacketSource(const TrafficPattern& pattern, int node, const GeometricGap& gap, int trials,
               std::uint64_t seed)
      : pattern_(&pattern),
        gap_(&gap),
        random_(mix64(seed) + static_cast<std::uint64_t>(node)),
        trials_(static_cast<std::uint64_t>(trials)),
        trial_(gap.draw(random_) - 1),
        creation_(trial_ / trials_),
        node_(node) {}

  // Cycle at which the next packet is created, never before that of the last one.
  std::uint64_t creation() const { return creation_; }
  // Takes the next packet: its destination, a rank.
  int take() {
    const int destination = pattern_->destination(node_, random_);
    trial_ += gap_->draw(random_);
    creation_ = trials_ == 1 ? trial_ : trial_ / trials_;
    return destination;
  }

 private:
  const TrafficPattern* pattern_;
  const GeometricGap* gap_;
  Random random_;
  std::uint64_t trials_;
  std::uint64_t trial_;     // number of the trial that creates the next packet
  std::uint64_t creation_;  // cycle that creates the next packet
  int node_;
};

}  // namespace fredsim
