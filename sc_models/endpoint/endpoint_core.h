// The fabric's view of an endpoint: one clock edge at a time, the same pins as a switch
// (SwitchPins, switch/switch_core.h; no registers). The NIC answers it; so may a test's
// own endpoint.
#pragma once

#include <string>
#include <vector>

#include "switch/switch_core.h"

namespace fredsim {

class EndpointCore {
 public:
  virtual ~EndpointCore() = default;
  virtual void reset() = 0;
  // Depth of the buffer at the other end of output `port`; called after reset().
  virtual void set_credits(int port, int vc, int flits) = 0;
  virtual void step(SwitchPins& pins) = 0;
  // A step without inputs would change nothing.
  virtual bool idle() const = 0;
  // Nothing queued, half received or not yet taken by the endpoint's module.
  virtual bool empty() const = 0;
  // For the report of a deadlock: one line per queue that waits. `peers`: what each port leads to.
  virtual void describe_waiting(const std::vector<std::string>& peers,
                                std::vector<std::string>& lines) const = 0;
};

}  // namespace fredsim
