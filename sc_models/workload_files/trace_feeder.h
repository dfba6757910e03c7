// SPDX-License-Identifier: Apache-2.0
// Gives out the nodes of a rank's trace as they become ready, and reads ahead no more than it must.
//
// next(): a node all of whose dependencies are complete, those first in the file first; none: there is none now. The file must
//   have passed check_traces().
// Memory: nodes that were read and are not complete, up to `window` of them; more only where none of those can begin or is under
//   way, since what they wait for comes later in the file. Of complete ones ranges of ids.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "workload_files/chakra_reader.h"
#include "workload_files/id_ranges.h"

namespace fredsim {

class TraceFeeder {
 public:
  static constexpr std::size_t kWindow = 4096;

  explicit TraceFeeder(std::string path, std::size_t window = kWindow);

  std::optional<TraceNode> next();
  void complete(std::uint64_t id);  // completes a node that next() gave
  const TraceShapes& shapes() const { return reader_.shapes(); }
  // Nothing is left: all are complete.
  bool is_done();
  std::size_t held() const { return waiting_.size() + ready_.size() + under_way_; }

 private:
  struct Waiting {
    TraceNode node;
    std::size_t lacks = 0;
  };

  bool read_one();

  ChakraReader reader_;
  std::size_t window_;
  bool at_end_ = false;
  std::uint64_t read_ = 0;
  std::size_t under_way_ = 0;
  std::map<std::uint64_t, TraceNode> ready_;            // by place in the file
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // by place in the file
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>>
      for_;  // id -> places that wait for it
  IdRanges complete_;
};

}  // namespace fredsim
