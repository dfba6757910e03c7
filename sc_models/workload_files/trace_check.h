// SPDX-License-Identifier: Apache-2.0
// Looks at the traces of all ranks before anything runs.
//
// Files are PREFIX.0.et, PREFIX.1.et, … without a gap. They are read as streams, side by side; what is kept meanwhile are ranges of ids, and
//   messages that have met no counterpart yet. A file in which a node comes before one that it depends on is read again by itself, and its
//   ids and dependencies are held.
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
  std::uint64_t nodes = 0;           // total number
  // Computations, loads and stores, and those without a duration, operations and bytes, which take no time.
  std::uint64_t computations = 0, untimed = 0;
  std::uint64_t communications = 0;  // sends, receives and collectives
};

TraceFiles check_traces(const std::string& prefix);
// Errors: BadInput for traces in which nothing takes time, such as PyTorch's of a host that were linked with no profile.
void check_takes_time(const TraceFiles& files);

}  // namespace fredsim
