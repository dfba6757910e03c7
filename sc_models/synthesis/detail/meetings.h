// SPDX-License-Identifier: Apache-2.0
// Groups in which the ranks of a token's collective meet, and shapes of groups that meet together.
//
// A group meets if all of its ranks take part; others, and groups of one rank, do not.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "synthesis/detail/synthetic_ranks.h"
#include "workload_files/trace_shapes.h"

namespace fredsim {

class Meetings {
 public:
  // Model and ranks outlive the object.
  Meetings(const TraceModel& model, const SyntheticRanks& ranks) : model_(model), ranks_(ranks) {}

  // Sets group, peer, shape and part of a rank's collective; false: its group does not meet. The
  // node's bytes are those of one repetition.
  bool meet(int rank, const TraceToken& token, TraceNode& node);
  std::set<int> numbers_of(int rank) const;  // shapes of the rank's collectives so far
  TraceShapes shapes(const std::set<int>& numbers) const;

 private:
  struct Meeting {
    const SyntheticGroup* group = nullptr;
    int root = TraceNode::kNobody;  // rank
    int part = TraceNode::kNobody;  // kNobody: the group does not meet
  };
  using ByGroup = std::map<int, Meeting>;

  int root_of(const SyntheticGroup& group, int role) const;
  const ByGroup& meetings_of(const TraceToken& token);
  int shape_number(const TraceToken& token, const ByGroup& groups, std::uint64_t bytes);
  TracePart part_of(const SyntheticGroup& group, const PlannedCollective& planned,
                    std::uint64_t bytes) const;
  std::vector<TracePart> parts_of(const std::vector<PlannedCollective>& planned,
                                  std::uint64_t bytes) const;

  const TraceModel& model_;
  const SyntheticRanks& ranks_;
  std::map<const TraceToken*, ByGroup> meetings_;
  std::map<std::pair<const TraceToken*, std::uint64_t>, int> known_;  // shapes by size
  std::map<std::string, int> numbers_;                                // by text
  TraceShapes shapes_;
  std::map<int, std::set<int>> used_;  // by rank
};

}  // namespace fredsim
