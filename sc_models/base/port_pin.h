// SPDX-License-Identifier: Apache-2.0
// Ports of a fabric's nodes in a word: input ports of flits, and output ports and virtual channels
// of credits, in the numbering of the holder of the nodes.
//
// The top bit tells ports of switches from ports of endpoints, so that the holder's lists of
// arrivals are of one sort each; it is no part of the number.
#pragma once

#include <cstdint>

#include "base/flit.h"

namespace fredsim {

// Bits of both words.
struct PinBits {
  static constexpr int kPortBits = 5;
  static constexpr std::uint32_t kOfSwitch = 1U << 31;
};

class InputPin : PinBits {
 public:
  InputPin() = default;
  InputPin(std::uint32_t node, std::uint32_t port, bool of_switch = false)
      : word_((of_switch ? kOfSwitch : 0) | node << kPortBits | port) {}
  explicit InputPin(std::uint32_t word) : word_(word) {}
  std::uint32_t node() const { return (word_ & ~kOfSwitch) >> kPortBits; }
  std::uint32_t port() const { return word_ & ((1U << kPortBits) - 1); }
  bool is_of_switch() const { return (word_ & kOfSwitch) != 0; }
  std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_ = 0;
};

// Output port of a flit's sender, to which the credit returns, and its virtual channel.
class CreditPin : PinBits {
 public:
  CreditPin() = default;
  CreditPin(std::uint32_t node, std::uint32_t port, std::uint32_t vc, bool of_switch = false)
      : word_((of_switch ? kOfSwitch : 0) | (node << kPortBits | port) * kNumVcs | vc) {}
  // The credit of another virtual channel of the port; `this` is of channel 0.
  CreditPin on(std::uint32_t vc) const {
    CreditPin pin;
    pin.word_ = word_ | vc;
    return pin;
  }
  std::uint32_t node() const { return (word_ & ~kOfSwitch) / kNumVcs >> kPortBits; }
  std::uint32_t port() const { return word_ / kNumVcs & ((1U << kPortBits) - 1); }
  std::uint32_t vc() const { return word_ % kNumVcs; }
  bool is_of_switch() const { return (word_ & kOfSwitch) != 0; }
  std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_ = 0;
};

}  // namespace fredsim
