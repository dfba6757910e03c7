// SPDX-License-Identifier: Apache-2.0
// The fabric's view of an endpoint: one clock edge at a time, the same pins as a switch
// (SwitchPins, switch/switch_core.h; no registers). Implemented by the NIC, or by a test's own
// endpoint.
//
// Waking: an idle endpoint is not stepped until a flit or credit arrives for it. An endpoint that
//   gets work otherwise (a packet from its module) calls wake(), and is stepped from the next edge
//   on.
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
  // Returns true if a step without inputs would change nothing.
  virtual bool idle() const = 0;
  // Takes a credit before an edge, without a step for it. Returns false, and takes none, if it has
  // to step for it, since a flit could leave with it and it is not awake already, or if it takes
  // credits at its pins only.
  virtual bool takes_credit(std::uint32_t port, std::uint32_t vc) {
    static_cast<void>(port);
    static_cast<void>(vc);
    return false;
  }
  // Returns true if no packet is queued, half received or not yet taken by the endpoint's module.
  virtual bool empty() const = 0;
  // Contract: as SwitchCore::add_state().
  virtual bool add_state(StateDigest& digest) const {
    static_cast<void>(digest);
    return false;
  }
  // Lines for the report of a deadlock: one per queue that waits. `peers`: other end of each port.
  virtual void describe_waiting(const std::vector<std::string>& peers,
                                std::vector<std::string>& lines) const = 0;

  // Target of wake(): `bit` of *word.
  void set_waker(std::uint64_t* word, std::uint64_t bit) {
    waker_ = word;
    waker_bit_ = bit;
  }

 protected:
  // Called when idle() may have become false other than by step() or reset().
  void wake() { *waker_ |= waker_bit_; }

 private:
  std::uint64_t nobody_ = 0;
  std::uint64_t* waker_ = &nobody_;
  std::uint64_t waker_bit_ = 0;
};

}  // namespace fredsim
