// SPDX-License-Identifier: Apache-2.0
// Links that open operations cross with trees in the switches. No two operations may cross a link
// on the same virtual channel unless they are one wave there (collective/link_waves.h). A scheduler
// that opens such a pair has a fault that could make joining flows wait in a circle.
//
// Errors: std::logic_error from open().
// Internal to the communicator.
#pragma once

#include <vector>

#include "base/state_digest.h"
#include "operations/prepared_plan.h"
#include "topology/topology.h"

namespace fredsim {

class OpenLinks {
 public:
  explicit OpenLinks(const Topology& topology);  // `topology` outlives it

  void open(const PreparedPlan& plan);
  void close(const PreparedPlan& plan);  // the plan was opened

 private:
  struct Use {
    int operations = 0;
    bool is_mixed = false;
    StateDigest wave{0}, rows{0};
  };
  Use& use_of(const LinkWave& wave) {
    return uses_[static_cast<std::size_t>(wave.vc) * topology_.links.size() +
                 static_cast<std::size_t>(wave.link)];
  }

  const Topology& topology_;
  std::vector<Use> uses_;  // index: VC and link
};

}  // namespace fredsim
