// SPDX-License-Identifier: Apache-2.0
// Reads a rank's Chakra execution trace node by node: protobuf (.et) or JSON, plain or gzip
// (detail/chakra_stream.h has the forms).
//
// A file is a stream, of which one node is held at a time. Nodes come in the order of the file,
//   which need not be that of their dependencies; workload_files/trace_check.h checks a whole
//   file.
// Accepted: integers of any kind for the same attribute; an attribute without value, which is 0;
//   ids from 0; unknown attributes; as recorded traces have them: collectives without comm_type on
//   the CPU, which launch others and are computations; involved_dim as one boolean, which names no
//   dimension; nodes of type INVALID, which are left out. Durations are whole microseconds; an
//   attribute `duration_ps`, written by ChakraWriter, is exact.
// Groups: of METADATA nodes "process_group:init", which list them as JSON in their inputs or have
//   attributes pg_name and ranks; no ranks mean the first group_size ones.
// Errors: BadInput with file, node and field, or the offset at which a file is truncated or
// damaged.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "workload_files/comm_groups.h"
#include "workload_files/trace_node.h"
#include "workload_files/trace_shapes.h"

namespace fredsim {

class ChakraStream;

class ChakraReader {
 public:
  explicit ChakraReader(std::string path, TraceDependencies dependencies = TraceDependencies::kAll);
  ~ChakraReader();
  ChakraReader(const ChakraReader&) = delete;
  ChakraReader& operator=(const ChakraReader&) = delete;

  const std::string& path() const { return path_; }
  const TraceShapes& shapes() const { return shapes_; }  // shapes in the metadata
  // Texts in the metadata, by the names of their attributes.
  const std::map<std::string, std::string>& texts() const { return texts_; }
  bool next(TraceNode& node);                         // false at the end
  std::uint64_t invalid() const { return invalid_; }  // nodes of type INVALID, left out

  const CommGroups& groups() const { return groups_; }  // of the nodes read so far

 private:
  std::string path_;
  TraceDependencies dependencies_;
  std::uint64_t invalid_ = 0;
  TraceShapes shapes_;
  std::map<std::string, std::string> texts_;
  CommGroups groups_;
  std::unique_ptr<ChakraStream> stream_;
};

}  // namespace fredsim
