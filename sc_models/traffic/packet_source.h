// SPDX-License-Identifier: Apache-2.0
// The packets that one node creates: times by a creation process, destinations by a pattern.
//
// Time: every cycle has `trials` trials, each of which creates a packet with the gap's probability.
//   One trial per cycle unless the rate asks for more than a packet per cycle. In bursts only cycles
//   that are on count.
// The packets depend on seed, node, rate and pattern alone, not on the fabric: a copy predicts the
//   packets of its original. Waiting packets take no memory.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "traffic/creation_process.h"
#include "traffic/packet_kinds.h"
#include "traffic/traffic_pattern.h"

namespace fredsim {

class PacketSource {
 public:
  struct Packet {
    int destination = 0;  // a rank
    PacketKind kind{};
  };

  // Pattern, process and kinds must outlive the source. The node must be one that sends.
  PacketSource(const TrafficPattern& pattern, int node, const CreationProcess& process,
               const PacketKinds& kinds, std::uint64_t seed)
      : pattern_(&pattern),
        process_(&process),
        kinds_(&kinds),
        random_(mix64(seed) + static_cast<std::uint64_t>(node)),
        trial_(process.gap.draw(random_) - 1),
        node_(node) {
    if (process.bursts) {
      if (random_.next() >> 11 >= process.bursts->begins_on)
        off_cycles_ = process.bursts->off.draw(random_);
      on_until_ = process.bursts->on.draw(random_);
    }
    find_creation();
  }

  // Cycle at which the next packet is created, never before that of the last one.
  std::uint64_t creation() const { return creation_; }
  // Takes the next packet.
  Packet take() {
    Packet packet{.destination = pattern_->destination(node_, random_)};
    packet.kind = kinds_->draw(random_);
    trial_ += process_->gap.draw(random_);
    find_creation();
    return packet;
  }

 private:
  void find_creation() {
    const auto trials = static_cast<std::uint64_t>(process_->trials);
    creation_ = trials == 1 ? trial_ : trial_ / trials;
    if (!process_->bursts) return;
    while (creation_ >= on_until_) {
      off_cycles_ += process_->bursts->off.draw(random_);
      on_until_ += process_->bursts->on.draw(random_);
    }
    creation_ += off_cycles_;
  }

  const TrafficPattern* pattern_;
  const CreationProcess* process_;
  const PacketKinds* kinds_;
  Random random_;
  std::uint64_t trial_;           // number of the trial that creates the next packet
  std::uint64_t creation_ = 0;    // cycle that creates the next packet
  std::uint64_t on_until_ = 0;    // bursts: cycles that are on, up to the end of this period
  std::uint64_t off_cycles_ = 0;  // bursts: cycles that are off, up to its beginning
  int node_;
};

}  // namespace fredsim
