// SPDX-License-Identifier: Apache-2.0
// Reads a rank's Chakra execution trace node by node.
//
// A file is a stream: what is held of it is one node. Nodes come in the order of the file, which need not be that of their
//   dependencies; workload_files/chakra_check.h looks at a whole file.
// Taken as found: integers of any kind for the same attribute; an attribute without value, which is 0; ids from 0; attributes
//   that are not known. Durations are whole microseconds; an attribute `duration_ps`, as ChakraWriter writes it, is exact.
// Errors: BadInput with file, node and field, or the offset at which a file ends in the middle or is damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workload_files/trace_node.h"
#include "workload_files/trace_shapes.h"

namespace fredsim {

class ChakraReader {
 public:
  explicit ChakraReader(std::string path);
  ~ChakraReader();
  ChakraReader(const ChakraReader&) = delete;
  ChakraReader& operator=(const ChakraReader&) = delete;

  const std::string& path() const { return path_; }
  const TraceShapes& shapes() const { return shapes_; }  // shapes in the metadata
  bool next(TraceNode& node);                            // false: the end

 private:
  struct Stream;
  std::string path_;
  TraceShapes shapes_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace fredsim
