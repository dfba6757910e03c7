// SPDX-License-Identifier: Apache-2.0
// Writes a rank's Chakra execution trace. ChakraReader reads back exactly the added nodes.
//
// Shapes come from the nodes that have one (workload_files/trace_shapes.h).
// A node's duration is written twice: in microseconds, rounded down, for other readers, and
// exactly, as `duration_ps`.
#pragma once

#include <string>

#include "workload_files/trace_node.h"
#include "workload_files/trace_shapes.h"

namespace fredsim {

class ChakraWriter {
 public:
  explicit ChakraWriter(const TraceShapes& shapes = {});  // writes the metadata
  void add(const TraceNode& node);
  const std::string& text() const { return text_; }  // text of the file

 private:
  std::string text_;
};

}  // namespace fredsim
