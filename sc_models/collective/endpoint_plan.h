// One part of a plan at the endpoints: on any fabric, by unicast packets between NPUs (§7.2).
//
//   all_reduce, reduce_scatter, all_gather: ring, hier_ring, tree, direct, hier_direct or multi_tree. On a mesh
//     hier_ring is the hierarchical 2D ring in both dimension orders (collective/mesh_rings.h) and takes the whole mesh.
//     On a FRED tree what is hierarchical runs inside the L1 switches, then across them, level by level, where every
//     switch of a level holds as many members. multi_tree: collective/multi_tree.h.
//   reduce, broadcast, multicast: chain, from or to the root in ring order, in two halves that go the same
//     way round or one each, what is faster (collective/chains.h); or one tree of the shapes above; with an I/O controller
//     of a grid for a root edge_tree (collective/edge_tree.h).
//   the others: direct, each block straight to its receiver.
//   paper: hier_ring where it exists, else ring; edge_tree where it exists, else chain; direct.
// Rings go in group order, on a whole mesh along single hops. On a FRED tree everything is cut over
// the slices, and slice s's share goes by NIC port s.
#pragma once

#include <string>
#include <vector>

#include "collective/chains.h"
#include "collective/collective_spec.h"
#include "collective/plan.h"

namespace fredsim {

// Fills algorithm, window and the trees of plan.parts[part], whose members are set (two or more); in place of the
// trees of a chain, whose directions depend on all other parts, its description is appended to `chains`.
// Errors: BadInput for an algorithm that the group, fabric or collective does not have.
void plan_endpoint(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan,
                   std::vector<ChainSpec>& chains);

// Whether the group and the fabric have what spec.algorithm, one of those of the collective, asks for.
bool endpoint_algorithm_fits(const Topology& topology, const CollectiveSpec& spec, int part,
                             Plan& plan);

// What plan_endpoint takes for a collective, as a message lists it: "auto or direct".
std::string endpoint_algorithms(Collective collective);
// The names that it takes, but for "auto" and "paper".
std::vector<std::string> algorithms_of(Collective collective);
// What it takes where there is no hierarchy: "ring", "chain" or "direct".
std::string plain_algorithm(Collective collective);

}  // namespace fredsim
