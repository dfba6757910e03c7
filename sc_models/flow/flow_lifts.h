// SPDX-License-Identifier: Apache-2.0
// Limits of a machine that can be lifted one at a time, to measure their cost in flows (`fredsim
// doctor`). The plan is unchanged: its trees, their order and, if latencies are lifted, the rates
// that credits and windows allow.
#pragma once

namespace fredsim {

struct FlowLifts {
  bool windows = false;  // sources may send without a window
  bool latency = false;  // a link takes a cycle, whatever its length
  bool paths = false;    // a hop goes by all of its shortest paths (flow/detail/spread_paths.h)
  bool turns = false;    // all phases of a switch are in use at a time
};

}  // namespace fredsim
