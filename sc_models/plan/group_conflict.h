// SPDX-License-Identifier: Apache-2.0
// Conflicts between groups that the switches cannot serve together: the reason, and the planner's
// reaction.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "routing/flows.h"

namespace fredsim {

// Treatment of a part whose flows cannot be routed together with the flows of earlier parts.
enum class OnConflict : std::uint8_t {
  kRefuse,   // throws GroupConflict
  kLater,    // the part starts when the conflicting parts are complete
  kUnicast,  // the part becomes unicasts between the endpoints
};

struct Obstacle {
  enum class Kind : std::uint8_t {
    kSharedNpu,  // two groups send, or receive, at one NPU on one virtual channel
    kUplinks,    // no choice of uplinks gives every group its own uplink
    kLinks,   // on a grid: no choice of rows and columns works; chiplet: a router where trees meet
    kFlows,   // flows of a chiplet have no routing for any choice of uplinks
    kGaveUp,  // the search exceeded its limit
  };
  Kind kind = Kind::kFlows;
  std::string why{};
  // kFlows: for the last choice tried, a chiplet with a minimal set of flows that it cannot route,
  // and the outermost level at which no colouring works (routing/fred_routing.h).
  struct PartFlow {
    int part = 0;
    Flow flow;
  };
  std::string chiplet{};
  int level = 0;
  std::vector<PartFlow> flows{};
};

class GroupConflict : public RoutingConflict {
 public:
  GroupConflict(const std::string& what, std::vector<int> parts, Obstacle obstacle)
      : RoutingConflict(what), parts_(std::move(parts)), obstacle_(std::move(obstacle)) {}
  // Minimal set of parts in conflict: without any one of them the remaining parts fit, or fail for
  // another kind of obstacle. kGaveUp: all parts.
  const std::vector<int>& parts() const { return parts_; }
  const Obstacle& obstacle() const { return obstacle_; }

 private:
  std::vector<int> parts_;
  Obstacle obstacle_;
};

}  // namespace fredsim
