// SPDX-License-Identifier: Apache-2.0
// Specs of collectives in a line, for tests that write them by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective_spec.h"

namespace fredsim::test {

struct SpecOptions {
  std::string algorithm = "auto";
  int vc = kDp;
  std::uint64_t start_cycle = 0;
};

// `group`: in rank order; `bytes`: as CollectiveSpec has them.
inline CollectiveSpec spec_of(Collective collective, std::vector<int> group, std::uint64_t bytes,
                              const SpecOptions& options = {}) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = std::move(group);
  spec.bytes = bytes;
  spec.algorithm = options.algorithm;
  spec.vc = options.vc;
  spec.start_cycle = options.start_cycle;
  return spec;
}

}  // namespace fredsim::test
