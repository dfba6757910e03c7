#include "collective/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "base/suggest.h"
#include "collective/in_switch_plan.h"
#include "collective/link_load.h"
#include "collective/mesh_plan.h"

namespace fredsim {
namespace {

constexpr auto kAlgorithms =
    std::to_array<std::string_view>({"auto", "ring", "hier_ring", "in_switch"});

// Packets under way per source and tree: enough that credits, not the window, set the pace.
constexpr int kInSwitchWindow = 64;
constexpr int kMeshWindow = 24;  // a source takes part in two trees per NPU of the wafer

std::vector<NodeId> members_of(const Topology& topology, const std::vector<int>& group) {
  const int npus = static_cast<int>(topology.npus.size());
  if (group.empty()) throw BadInput("group: empty, allowed: one NPU or more");
  std::vector<bool> seen(topology.npus.size());
  std::vector<NodeId> members;
  for (const int npu : group) {
    if (npu < 0 || npu >= npus)
      throw BadInput(
          fmt::format("group: NPU {} found, {} has NPUs 0 to {}", npu, topology.name, npus - 1));
    if (seen[npu]) throw BadInput(fmt::format("group: NPU {} found twice", npu));
    seen[npu] = true;
    members.push_back(topology.npus[npu]);
  }
  return members;
}

void check_algorithm(const std::string& algorithm) {
  if (std::ranges::find(kAlgorithms, algorithm) == kAlgorithms.end())
    throw BadInput(fmt::format("algorithm: '{}' found, allowed: {}{}", algorithm,
                               join_words(kAlgorithms), did_you_mean(algorithm, kAlgorithms)));
}

void plan_mesh(const Topology& topology, const std::string& algorithm, Plan& plan) {
  const MeshFacts& mesh = topology.mesh;
  const bool whole = plan.members.size() == topology.npus.size();
  const bool hierarchical = whole && mesh.width > 1 && mesh.height > 1;
  if (algorithm == "in_switch")
    throw BadInput(
        fmt::format("algorithm: in_switch needs a Fred fabric, {} is a mesh, allowed: "
                    "auto, ring{}",
                    topology.name, hierarchical ? " or hier_ring" : ""));
  if (algorithm == "hier_ring" && !hierarchical)
    throw BadInput(
        fmt::format("algorithm: hier_ring needs all {} NPUs of a mesh of more than one row and "
                    "column, this group has {} on {} × {}, allowed: auto or ring",
                    topology.npus.size(), plan.members.size(), mesh.width, mesh.height));
  plan.algorithm = hierarchical && algorithm != "ring" ? "hier_ring" : "ring";
  plan.window = kMeshWindow;
  if (plan.algorithm == "hier_ring") {
    plan.trees = hier_ring_trees(topology, plan.members, plan.flits);
    return;
  }
  std::vector<int> ring(plan.members.size());
  if (whole) {
    ring = mesh_ring(mesh.width, mesh.height);
    const std::vector<int> ranks = ranks_by_cell(topology, plan.members);
    for (int& place : ring) place = ranks[place];
  } else {
    std::iota(ring.begin(), ring.end(), 0);
  }
  plan.trees = ring_trees(topology, plan.members, ring, plan.flits);
}

void plan_fred_tree(const Topology& topology, const std::string& algorithm, Plan& plan) {
  if (!topology.fred.in_switch)
    throw BadInput(
        fmt::format("{}: collectives on a Fred fabric exist in-switch only, this one has "
                    "in-switch collectives switched off",
                    topology.name));
  if (algorithm != "auto" && algorithm != "in_switch")
    throw BadInput(
        fmt::format("algorithm: {} exists on a mesh only, {} is a Fred fabric, allowed: "
                    "auto or in_switch",
                    algorithm, topology.name));
  if (topology.fred.depth() > 2)
    throw BadInput(
        fmt::format("{}: found a FRED tree of {} levels, in-switch collectives exist on "
                    "1 or 2",
                    topology.name, topology.fred.depth()));
  plan.algorithm = "in_switch";
  plan.window = kInSwitchWindow;
  if (plan.members.size() > 1) {
    plan_in_switch(topology, plan);
    return;
  }
  // Alone: nothing to send, the result is the operand.
  Tree tree;
  tree.flits = plan.flits;
  tree.ranks.resize(1);
  tree.ranks[0].contributes = true;
  tree.ranks[0].receives = true;
  tree.order.postfix = {0};
  plan.trees.push_back(std::move(tree));
}

}  // namespace

Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm) {
  if (collective != Collective::kAllReduce)
    throw BadInput(fmt::format("collective: {} found, this version has all_reduce only",
                               to_string(collective)));
  check_algorithm(algorithm);
  if (bytes == 0) throw BadInput("size: 0 bytes found, allowed: one byte or more");

  Plan plan;
  plan.collective = collective;
  plan.members = members_of(topology, group);
  plan.bytes = bytes;
  plan.flits = bytes / kFlitBytes + (bytes % kFlitBytes != 0 ? 1 : 0);
  switch (topology.kind) {
    case FabricKind::kMesh2d:
    case FabricKind::kTorus2d:
      plan_mesh(topology, algorithm, plan);
      break;
    case FabricKind::kFredTree:
      plan_fred_tree(topology, algorithm, plan);
      break;
  }
  plan.bound_ns = busiest_link_ns(topology, plan);
  return plan;
}

}  // namespace fredsim
