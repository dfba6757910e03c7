// SPDX-License-Identifier: Apache-2.0
// The fabric's view of an endpoint: one clock edge at a time, the same pins as a switch
// (SwitchPins, switch/switch_core.h; no registers). The NIC answers it; so may a test's
// own endpoint.
//
// Waking: an idle endpoint is not stepped until something arrives for it. One that becomes busy otherwise (its
//   module hands it a packet) calls wake(), and is stepped from the next edge on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/switch_core.h"

namespace fredsim {

class EndpointCore {
 public:
  EndpointCore() = default;
  EndpointCore(const EndpointCore&) = delete;
  EndpointCore& operator=(const EndpointCore&) = delete;
  virtual ~EndpointCore() = default;
  virtual void reset() = 0;
  // Depth of the buffer at the other end of output `port`; called after reset().
  virtual void set_credits(int port, int vc, int flits) = 0;
  virtual void step(SwitchPins& pins) = 0;
  // A step without inputs would change nothing.
  virtual bool idle() const = 0;
  // Nothing queued, half received or not yet taken by the endpoint's module.
  virtual bool empty() const = 0;
  // Same contract as SwitchCore::add_state().
  virtual bool add_state(StateDigest& digest) const {
    static_cast<void>(digest);
    return false;
  }
  // For the report of a deadlock: one line per queue that waits. `peers`: what each port leads to.
  virtual void describe_waiting(const std::vector<std::string>& peers,
                                std::vector<std::string>& lines) const = 0;

  // Target of wake(): `bit` of *word.
  void set_waker(std::uint64_t* word, std::uint64_t bit) {
    waker_ = word;
    waker_bit_ = bit;
  }

 protected:
  // idle() may have become false, and not by step() or reset().
  void wake() { *waker_ |= waker_bit_; }

 private:
  std::uint64_t nobody_ = 0;
  std::uint64_t* waker_ = &nobody_;
  std::uint64_t waker_bit_ = 0;
};

}  // namespace fredsim
