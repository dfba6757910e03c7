// SPDX-License-Identifier: Apache-2.0
// Plans of collectives on systems (topology/system.h): hierarchical, dimension by dimension, each
// step planned once on the block of its dimension for all groups that do the same.
//
// Groups of a collective: boxes, all combinations of some places of each dimension, in any order of
//   ranks.
// Steps: an all-reduce is a reduce-scatter in every dimension but the highest that its group has,
//   lowest first, an all-reduce there, and all-gathers on the way down. A reduce-scatter goes up,
//   an all-gather down. An all-to-all goes up with all its bytes in every dimension. A reduce goes
//   up to the NPUs that have the root's places in the dimensions below, a broadcast down from them.
//   A multicast, to a box that its root is not in, goes there by the least hops, lowest dimension
//   first, through NPUs, which pass it on once they have all of a chunk.
// Chunks: the vector is cut into so many, each of which goes its way by itself.
// Order: a block has one step of a family of like collectives at a time, whichever of its chunks,
//   in the same order at all of its NPUs: by chunk and step together, so that the first chunks come
//   down while the last ones go up; or as systems/detail/chunk_schedule.h has it, where the latency
//   of each step overlaps with the next one and an all-reduce is a reduce-scatter and an all-gather
//   in its last dimension, too, unless that takes longer. Where switches add up, of all families,
//   without such overlap.
// Algorithms: by dimension, "ring,direct" lowest first; one word or "auto" for all.
// Sizes: what is left of a vector after a reduce-scatter is rounded up to bytes.
// Collectives that are asked for together and have the same shape, groups that are alike, are
//   planned together: those of other groups of a dimension share the steps.
// Idealised: a chunk's data is complete in a step before the next one begins with it, at all NPUs
//   of the groups that do the same; the data of each step is verified by itself, not the sum over
//   all dimensions.
// Errors: BadInput for groups that are no boxes, collectives that have no hierarchical form, words
//   for dimensions that are not there, numbers of chunks out of range, phases of all steps together
//   that the switches have no room for.
// Source: Cho et al., BlueConnect, MLSys 2019; Rashidi et al., Themis, ISCA 2022, §2.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/chunking.h"
#include "plan/collective_spec.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct SystemStep {
  int dimension = 0;
  std::vector<int> groups{};  // groups of the dimension that do it, all at the same time; ascending
  std::shared_ptr<const Plan> plan{};  // on the block; its parts begin together
  std::vector<int> after{};            // steps before, which are complete before it begins
  // Those before it on the blocks, whose data have moved when it begins, but need not have arrived;
  // and those that have, so far before it that the ones between cover the latency.
  std::vector<int> behind{}, settled{};
  std::vector<int> collectives{};  // SystemPlan::collectives that it is part of
};

struct SystemPlan {
  std::vector<Part> collectives{};  // as asked for; members of the system; no trees
  std::vector<SystemStep> steps{};  // each after those that it waits for
  int chunks = 1;                   // most of any collective
  Chunking chunking{};              // the first one's
  std::vector<std::string> notes{};
  double bound_ns = 0;  // as Plan::bound_ns
};

// Chunks of a collective as asked for, with the baseline's order of dimensions where Themis has
// none: other collectives, and groups in one dimension.
Chunking chunking_for(const Topology& system, const CollectiveSpec& spec, Chunking asked);

SystemPlan plan_system(const Topology& system, std::span<const CollectiveSpec> work);

// As a plan of the system's own nodes: a part per step, group and part of the step's plan.
// Plan::collectives are those of the system.
Plan expanded(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
