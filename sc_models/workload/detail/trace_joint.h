// SPDX-License-Identifier: Apache-2.0
// Operations of traces that say their shapes (workload_files/trace_shapes.h), as trace_export.h
// writes them.
//
// The k-th node of a shape and part at each of the part's ranks is of the k-th operation of that
//   shape.
// Errors: BadInput, naming file, node and field: a shape or part that the metadata does not have,
//   that differs from another rank's, whose group is not there or does not have the rank; ranks of
//   which one has fewer of a shape.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/task_graph.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {

class TraceJoint {
 public:
  // Makes an operation, that of a node; gives its number.
  using Make = std::function<int(OperationShape shape, const TraceNode& node)>;

  // `members`: by rank of the traces (base/member.h). `algorithm`: of all collectives; empty: as
  // the traces say.
  TraceJoint(const std::vector<std::string>& paths, const CommGroups& groups,
             std::vector<int> members, std::string algorithm, Make make)
      : paths_(paths),
        groups_(groups),
        members_(std::move(members)),
        algorithm_(std::move(algorithm)),
        make_(std::move(make)) {}

  // A rank's node that names a shape, of those in its file's metadata: the task's operation, part,
  // rank and category.
  void join(int rank, const TraceNode& node, const TraceShapes& shapes, Task& task);
  void check() const;  // all nodes have been

 private:
  struct Open {
    int operation = 0;
    std::uint64_t times = 1;
    std::size_t left = 0;  // nodes that are still to come
  };
  struct Joint {
    TraceShape said;
    int first_rank = 0;  // first rank that has it
    OperationShape shape;
    std::vector<std::vector<int>> groups;        // by part: ranks
    std::vector<std::vector<std::size_t>> came;  // by part and place in its group: operations
    std::size_t ranks = 0;                       // ranks in all parts
    std::size_t made = 0;                        // operations
    std::map<std::size_t, Open> open;            // by number: those to which a rank has not come
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const;
  Joint& joint_of(int rank, const TraceNode& node, const TraceShapes& shapes);
  CollectiveSpec spec_of(const std::string& place, const TracePart& part) const;

  const std::vector<std::string>& paths_;
  const CommGroups& groups_;
  std::vector<int> members_;
  std::string algorithm_;
  Make make_;
  std::map<int, Joint> joints_;  // by number
};

}  // namespace fredsim
