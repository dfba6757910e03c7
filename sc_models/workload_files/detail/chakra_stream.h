// SPDX-License-Identifier: Apache-2.0
// Messages of a Chakra file, one at a time, whatever its format.
//
// Formats: ".et", protobuf; JSON, as protobuf's mapping (detail/chakra_json.h): messages one after
//   the other, with or without line ends between, or in a list; and the feeder's
//   {"workload_graph": [{"Id": …}]}. Either may be gzip's. Names that end on .json or .jsonl, with
//   or without .gz, are JSON; of other names the first bytes decide.
// Errors: BadInput with file and node, or the offset at which a file is damaged or ends; profiles
//   and host traces of PyTorch, with the command that converts them.
#pragma once

#include <memory>
#include <string>

#include "workload_files/chakra.pb.h"

namespace fredsim {

class ChakraStream {
 public:
  static std::unique_ptr<ChakraStream> open(const std::string& path);
  virtual ~ChakraStream() = default;

  virtual void metadata(pb::ChakraMetadata& message) = 0;  // first, once
  virtual bool next(pb::ChakraNode& message) = 0;          // false at the end
  virtual bool is_json() const = 0;
};

}  // namespace fredsim
