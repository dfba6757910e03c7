// SPDX-License-Identifier: Apache-2.0
// A plan made ready to be issued: its phases as sets of rows, and what it uses of the switches, by
// which two operations are found to be in each other's way.
//
// Rows: phase p of the plan is rows[p], node -> row; a phase is known by them, whatever plan it is
//   of, so that equal phases of different operations are one in the switches. Start cycles of the
//   specs are not part of a plan here: a communicator takes them when it issues.
// Conflicts: two operations must not be under way at once where their packets could wait for each
//   other in a circle:
//     in-switch trees of both cross a link on one virtual channel, and are not one wave there
//     (collective/link_waves.h) of the same rows: joins could find the packets of one first at one
//     input, those of the other at another; one has in-switch trees, the other unicasts on one
//     virtual channel: unicasts would wait behind operands that wait for a rank which has not
//     begun.
//   A plan whose parts wait for each other (Part::after) may be in conflict with itself: each
//     repetition then waits for the one before.
//   Operations of one wave follow each other without a gap: every rank sends the packets of the
//     first one first
//   (npu/npu.h), and a flow that joins takes them in that order from all of its ports.
// Errors: those of make_plan(); std::logic_error for a part that comes after none of the plan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "collective/link_waves.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

// Plans of systems (systems/system_plan.h): expanded, as the exact engine takes them, or as steps,
// as flows do. All others are as they are.
enum class SystemForm : std::uint8_t { kExpanded, kSteps };

using PhaseRows = std::map<NodeId, std::vector<std::uint32_t>>;

struct PreparedPlan {
  Plan
      plan;  // starts at 0; of one that is simulated in part (engine/simulated_plans.h), these trees
  std::vector<int> copies;      // by tree: how many of the whole plan do the same; empty: one each
  std::uint64_t additions = 0;  // sum of additions_of() its trees; a system's steps have none
  int streams = 0;              // numbers that it takes: the trees of the whole plan
  StateDigest identity{
      0};  // plans of a PlanCache that are of the same have the same, all others one of their own
  std::vector<PhaseRows> rows;
  std::vector<std::uint16_t> missing_bytes;  // by tree: what its last flit is short of
  bool needs_online_routes = false;
  // Steps on a system (systems/system_plan.h), for flows alone; `plan` has the collectives as
  // parts, and no trees.
  std::shared_ptr<const SystemPlan> system{};

  StateDigest rows_identity{0};   // equal for equal rows
  std::vector<LinkWave> links{};  // in-switch trees, ascending; on systems those of all blocks
  unsigned tree_channels = 0,
           unicast_channels = 0;  // VCs of in-switch trees and of unicasts: a bit each

  std::uint64_t copies_of(std::size_t tree) const {
    return copies.empty() ? 1 : static_cast<std::uint64_t>(copies[tree]);
  }
};

// By tree: what its last flit is short of.
std::vector<std::uint16_t> missing_bytes(const Plan& plan);

bool in_conflict(const PreparedPlan& a, const PreparedPlan& b);

// Bytes of results of one operation, at all ranks.
std::uint64_t result_bytes(const PreparedPlan& plan);

// All of a spec that a plan depends on.
std::string key_of(const CollectiveSpec& spec);

// Its identity is its own, or as given.
std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            std::vector<int> copies = {});
std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            const StateDigest& identity);

// By its steps.
std::shared_ptr<const PreparedPlan> prepare(const Topology& system, SystemPlan plan);

// Plans by what they are of: collective, group, size, algorithm, priority, root and order; the
// least recently used one is forgotten when there are more than kPlans.
class PlanCache {
 public:
  static constexpr std::size_t kPlans = 64;
  explicit PlanCache(const Topology& topology) : topology_(topology) {}
  std::shared_ptr<const PreparedPlan> plan(std::span<const CollectiveSpec> work,
                                           OnConflict on_conflict);
  std::uint64_t hits() const { return hits_; }
  std::uint64_t made() const { return made_; }

 private:
  struct Entry {
    std::shared_ptr<const PreparedPlan> plan;
    std::uint64_t used = 0;
  };
  const Topology& topology_;
  std::map<std::string, Entry> plans_;
  std::uint64_t hits_ = 0, made_ = 0;
};

}  // namespace fredsim
