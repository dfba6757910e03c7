// SPDX-License-Identifier: Apache-2.0
// Groups that cannot be in the switches together: the reason, and what a planner does then.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "routing/flows.h"

namespace fredsim {

// Treatment of a part whose flows cannot be routed together with those of the parts before it.
enum class OnConflict : std::uint8_t {
  kRefuse,   // GroupConflict
  kLater,    // it starts when those are complete
  kUnicast,  // it becomes unicasts between the endpoints
};

struct Obstacle {
  enum class Kind : std::uint8_t {
    kSharedNpu,  // two of them send, or receive, at one NPU on one virtual channel
    kUplinks,    // no choice of uplinks gives every group its own
    kLinks,   // on a grid: no choice of rows and columns does; chiplet: a router where trees meet
    kFlows,   // whatever the choice, flows of a chiplet have no routing
    kGaveUp,  // the search was too long
  };
  Kind kind = Kind::kFlows;
  std::string why{};
  // kFlows: with the last choice tried, a chiplet and a minimal set of flows that it cannot route,
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
  // Without any one of them the others fit, or meet another kind of obstacle; kGaveUp: all.
  const std::vector<int>& parts() const { return parts_; }
  const Obstacle& obstacle() const { return obstacle_; }

 private:
  std::vector<int> parts_;
  Obstacle obstacle_;
};

}  // namespace fredsim
