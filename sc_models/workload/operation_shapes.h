// SPDX-License-Identifier: Apache-2.0
// Builder of the labels and operations of a task graph: equal labels are stored once, operations of
// equal work share a shape.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workload/task_graph.h"

namespace fredsim {

// All collectives of a shape: before its own, its own, beside its own.
std::vector<CollectiveSpec> all_specs(const OperationShape& shape);

class OperationShapes {
 public:
  explicit OperationShapes(TaskGraph& graph) : graph_(graph) {}

  int label(const std::string& text);                             // TaskGraph::labels
  int add(OperationShape shape, const std::string& label_of_it);  // TaskGraph::operations

 private:
  TaskGraph& graph_;
  std::map<std::string, int> labels_, shapes_;
};

}  // namespace fredsim
