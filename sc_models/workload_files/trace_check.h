// Looks at the traces of all ranks before anything runs.
//
// Files are PREFIX.0.et, PREFIX.1.et, … without a gap. Each is read once as a stream; what is kept of it meanwhile are ids and
//   dependencies, for one rank at a time.
// Errors: BadInput, naming file, node and field: no file, a rank that is missing; an id that comes twice; a dependency on a node
//   that the file does not have; dependencies in a circle, all of whose nodes are named; a send or receive without its
//   counterpart of the same source, destination and tag, or of another size; and those of ChakraReader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fredsim {

struct TraceFiles {
  std::vector<std::string> paths{};  // by rank
  std::uint64_t nodes = 0;           // of all
};

TraceFiles check_traces(const std::string& prefix);

}  // namespace fredsim
