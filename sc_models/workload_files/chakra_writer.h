// Writes a rank's Chakra execution trace. What ChakraReader reads from it is what was added.
//
// A node's duration is written twice: in microseconds, rounded down, for other readers, and exactly, as `duration_ps`.
#pragma once

#include <string>

#include "workload_files/trace_node.h"

namespace fredsim {

class ChakraWriter {
 public:
  ChakraWriter();  // with the metadata
  void add(const TraceNode& node);
  const std::string& text() const { return text_; }  // of the file

 private:
  std::string text_;
};

}  // namespace fredsim
