// Operations of traces that say their shapes (workload_files/trace_shapes.h), as trace_export.h writes them.
//
// The k-th node of a shape and part at each of the part's ranks is of the k-th operation of that shape.
// Errors: BadInput, naming file, node and field: a shape or part that the metadata does not have, that differs from another
//   rank's, whose group is not there or does not have the rank; ranks of which one has fewer of a shape.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/operation_shapes.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {

class TraceJoint {
 public:
  // `members`: by rank of the traces (base/member.h). `algorithm`: of all collectives; empty: as the traces say.
  TraceJoint(const std::vector<std::string>& paths, const CommGroups& groups,
             std::vector<int> members, std::string algorithm, TaskGraph& graph,
             OperationShapes& shapes)
      : paths_(paths),
        groups_(groups),
        members_(std::move(members)),
        algorithm_(std::move(algorithm)),
        graph_(graph),
        shapes_(shapes) {}

  // A rank's node that names a shape, of those in its file's metadata: the task's operation, part, rank and category.
  void join(int rank, const TraceNode& node, const TraceShapes& shapes, Task& task);
  void check() const;  // all nodes have been

 private:
  struct Joint {
    TraceShape said;
    int first_rank = 0;  // who said so
    OperationShape made;
    std::vector<std::vector<int>> groups;        // by part: ranks
    std::vector<std::vector<std::size_t>> came;  // by part and place in its group: operations
    std::vector<int> operations;
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const;
  Joint& joint_of(int rank, const TraceNode& node, const TraceShapes& shapes);
  CollectiveSpec spec_of(const std::string& place, const TracePart& part) const;

  const std::vector<std::string>& paths_;
  const CommGroups& groups_;
  std::vector<int> members_;
  std::string algorithm_;
  TaskGraph& graph_;
  OperationShapes& shapes_;
  std::map<int, Joint> joints_;  // by number
};

}  // namespace fredsim
