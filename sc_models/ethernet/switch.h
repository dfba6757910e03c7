// SPDX-License-Identifier: Apache-2.0
// Buffer of an Ethernet switch, shared by its ports: bytes by input port and priority, thresholds
// of pauses (PFC).
//
// Threshold: pfc_alpha of the bytes of the shared part that are free. Bytes of an input port above
//   it go into its headroom, and the sender is paused; it is resumed when the headroom is empty and
//   the port pfc_hysteresis below the threshold.
// Headroom of a port: what arrives between XOFF and its effect: twice the latency at the rate, two
//   packets, a frame of 64 bytes, 4 KiB for the sender's response.
// Without PFC: no headroom; a packet that would exceed the threshold is dropped.
// Acknowledgements have a priority of their own and take no room.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ethernet/graph.h"
#include "ethernet/settings.h"

namespace fredsim {

inline constexpr std::uint32_t kPauseBytes = 64;

std::uint64_t pfc_headroom(const EthernetLink& link, const EthernetSettings& settings);

class SharedBuffer {
 public:
  // `headroom`: by input port. BadInput if the buffer does not hold it and a packet.
  SharedBuffer(const EthernetSettings& settings, std::vector<std::uint64_t> headroom);

  struct Admission {
    bool fits = true;
    bool pause = false;  // XOFF is due
  };
  Admission admit(int port, int priority, std::uint32_t bytes);
  // Bytes of the headroom go first, whichever packet they came with. True: XON is due.
  bool release(int port, int priority, std::uint32_t bytes);

  std::uint64_t in_use() const { return shared_ + in_headroom_; }
  std::uint64_t largest_use() const { return largest_; }

 private:
  struct Input {
    std::uint64_t headroom = 0;  // room
    std::array<std::uint64_t, kEthernetPriorities> shared{}, in_headroom{};
    std::uint8_t paused = 0;
  };

  std::uint64_t threshold() const;

  const EthernetSettings* settings_;
  std::vector<Input> inputs_;
  std::uint64_t shared_room_ = 0;
  std::uint64_t shared_ = 0, in_headroom_ = 0, largest_ = 0;
};

}  // namespace fredsim
