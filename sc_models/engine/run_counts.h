// SPDX-License-Identifier: Apache-2.0
// Traffic, links and switches of a RunResult (results/results.h), from the counters of a finished
// run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "operations/equal_slices.h"
#include "plan/plan.h"
#include "results/results.h"
#include "switch/switch_kind.h"

namespace fredsim {

// A link's result with its ends, and no counts.
LinkResult named_link(const Topology& topology, const Link& link);
// Reductions, phase changes and stalls of a switch, as far as its kind has them.
void fill_peeked(const SwitchCounters& counters, const SwitchKind& kind, SwitchResult& r);
// Fills the injected and carried traffic from result.links, which are in the topology's order.
// `acknowledgements`: as in fill_counts().
void fill_traffic(const Topology& topology, const std::vector<std::uint64_t>& acknowledgements,
                  RunResult& result);
// Fills traffic, links and switches; unsimulated switches and links get the counts of equal ones.
// `cycles`: length of the run, for utilisation; `models`: by node (switch_models());
// `acknowledgements`: packets without payload that NPUs have sent, by node. Each of several
// processes reads its own switches.
void fill_counts(const EqualSlices& slices, Fabric& fabric, ControlPlane& control,
                 std::span<const std::string> models,
                 const std::vector<std::uint64_t>& acknowledgements, std::uint64_t cycles,
                 RunResult& result);

}  // namespace fredsim
