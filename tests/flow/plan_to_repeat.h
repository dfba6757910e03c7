// SPDX-License-Identifier: Apache-2.0
// Random plans of works that repeat: streams from or to all I/O controllers, or collectives of NPUs.
#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "operations/prepared_plan.h"
#include "topology/topology.h"

namespace fredsim::test {

// `most_bytes`: largest size. Streams are drawn with `streams` chances of `out_of`, where there are
// controllers.
std::shared_ptr<const PreparedPlan> plan_to_repeat(const Topology& topology, Random& random,
                                                   std::uint64_t most_bytes, std::uint64_t streams,
                                                   std::uint64_t out_of);

}  // namespace fredsim::test
