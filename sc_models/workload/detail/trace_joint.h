// SPDX-License-Identifier: Apache-2.0
// Matching of trace nodes by the shapes that the traces state (workload_files/trace_shapes.h), as
// trace_export.h writes them.
//
// The k-th node of a shape and part at each of the part's ranks belongs to the k-th operation of
//   that shape.
// Errors: BadInput, naming file, node and field: a shape or part that is missing in the metadata,
//   that differs from another rank's, or whose group is missing or lacks the rank; ranks with
//   different numbers of nodes of a shape.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/task_graph.h"
#include "workload/trace_rules.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {

class TraceJoint {
 public:
  // Makes the operation of a node; returns its number.
  using Make = std::function<int(OperationShape shape, const TraceNode& node)>;

  // `members`: by rank of the traces (base/member.h). `rules`: algorithms of collectives; without
  // one the traces say it. Paths, groups and rules outlive the object.
  TraceJoint(const std::vector<std::string>& paths, const CommGroups& groups,
             std::vector<int> members, const TraceRules& rules, Make make)
      : paths_(paths),
        groups_(groups),
        members_(std::move(members)),
        rules_(rules),
        make_(std::move(make)) {}

  // Sets operation, part, rank and category of the task of a node that names a shape in its file's
  // metadata.
  void join(int rank, const TraceNode& node, const TraceShapes& shapes, Task& task);
  void check() const;  // after the last node of every rank

 private:
  struct Open {
    int operation = 0;
    std::uint64_t times = 1;
    std::size_t left = 0;  // nodes that have not been read
  };
  struct Joint {
    TraceShape said;
    int first_rank = 0;  // first rank that has it
    OperationShape shape;
    std::vector<std::vector<int>> groups;        // by part: ranks
    std::vector<std::vector<std::size_t>> came;  // operations by part and place in its group
    std::size_t ranks = 0;                       // ranks in all parts
    std::size_t made = 0;                        // operations
    std::map<std::size_t, Open> open;  // operations that some rank has not reached, by number
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const;
  Joint& joint_of(int rank, const TraceNode& node, const TraceShapes& shapes);
  CollectiveSpec spec_of(const std::string& place, const TracePart& part) const;

  const std::vector<std::string>& paths_;
  const CommGroups& groups_;
  std::vector<int> members_;
  const TraceRules& rules_;
  Make make_;
  std::map<int, Joint> joints_;  // by number
};

}  // namespace fredsim
