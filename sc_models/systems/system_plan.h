// SPDX-License-Identifier: Apache-2.0
// Plans of collectives on systems (topology/system.h): hierarchical, dimension by dimension, each
// step planned once on the block of its dimension for all groups with equal work.
//
// Groups of a collective: boxes, all combinations of some places of each dimension, in any order of
//   ranks.
// Steps: an all-reduce is a reduce-scatter in every dimension but the highest that its group has,
//   lowest first, an all-reduce there, and all-gathers on the way down. A reduce-scatter goes up,
//   an all-gather down. An all-to-all goes up with all its bytes in every dimension. A reduce goes
//   up to the NPUs that have the root's places in the dimensions below, a broadcast down from them.
//   A multicast to a box without its root takes the fewest hops to the box, lowest dimension first,
//   through NPUs, which forward a chunk once it is complete.
// Chunks: the vector is cut into chunks, which go through the steps independently.
// Order: a block runs one step of a family of similar collectives at a time, for any chunk, in the
//   same order at all of its NPUs. The order is by chunk and step together, so that the first
//   chunks are on the way down while the last ones are on the way up. With the order of
//   systems/detail/chunk_schedule.h the latency of each step overlaps with the next one, and an
//   all-reduce is a reduce-scatter and an all-gather in its last dimension, too, unless that takes
//   longer. A block whose switches add runs one step of all families at a time, without such
//   overlap.
// Algorithms: by dimension, "ring,direct" lowest first; one word or "auto" for all.
// Sizes: the share of a vector after a reduce-scatter is rounded up to bytes.
// Collectives of one request that have the same shape are planned together: different groups of a
//   dimension share the steps.
// Idealised: the data of a chunk is complete in a step, at all NPUs of the groups with equal work,
//   before the next step begins with it; the data of each step is verified by itself, not the sum
//   over all dimensions.
// Errors: BadInput for groups that are no boxes, collectives without a hierarchical form,
//   algorithms for dimensions that do not exist, numbers of chunks out of range, and phases of all
//   steps together that exceed the phase stores of the switches.
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
  std::vector<int> groups{};           // groups that do the step at the same time; ascending
  std::shared_ptr<const Plan> plan{};  // on the block; its parts begin together
  std::vector<int> after{};            // earlier steps that must be complete before this one starts
  // `behind`: earlier steps on the same blocks whose data have left when this step starts, but need
  // not have arrived. `settled`: steps whose data have arrived by then, since the steps in between
  // cover the latency.
  std::vector<int> behind{}, settled{};
  std::vector<int> collectives{};  // indices in SystemPlan::collectives to which the step belongs
};

struct SystemPlan {
  std::vector<Part> collectives{};  // as requested; members of the system; no trees
  std::vector<SystemStep> steps{};  // topological order: each step after its dependencies
  int chunks = 1;                   // maximum over the collectives
  Chunking chunking{};              // chunking of the first collective
  std::vector<std::string> notes{};
  double bound_ns = 0;  // as Plan::bound_ns
};

// Chunking of a collective as requested, with the baseline's order of dimensions where Themis does
// not apply: collectives that Themis does not cover, and groups in one dimension.
Chunking chunking_for(const Topology& system, const CollectiveSpec& spec, Chunking asked);

SystemPlan plan_system(const Topology& system, std::span<const CollectiveSpec> work);

// Expands a system's plan to a plan of its own nodes: a part per step, group and part of the step's
// plan. Plan::collectives are the collectives of the system.
Plan expanded(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
