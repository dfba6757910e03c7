// SPDX-License-Identifier: Apache-2.0
// Returns the nodes of a rank's trace as they become ready, and reads ahead no more than necessary.
//
// next(): returns a node whose dependencies are all complete, the first of them in the file; no
//   value if none is ready now. The file must have passed check_traces().
// Memory: up to `window` nodes that were read and are not complete. More are read only if none of
//   these can begin or is in flight, since their dependencies come later in the file. Complete
//   nodes are kept as ranges of ids.
// `order`: dependencies that the file lacks (workload_files/stream_order.h); outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "workload_files/chakra_reader.h"
#include "workload_files/id_ranges.h"
#include "workload_files/stream_order.h"

namespace fredsim {

class TraceFeeder {
 public:
  static constexpr std::size_t kWindow = 4096;

  explicit TraceFeeder(std::string path, std::size_t window = kWindow,
                       TraceDependencies dependencies = TraceDependencies::kAll,
                       const StreamOrder* order = nullptr);

  std::optional<TraceNode> next();
  void complete(std::uint64_t id);  // completes a node that next() gave
  const TraceShapes& shapes() const { return reader_.shapes(); }
  // Returns true if all nodes are complete.
  bool is_done();
  std::size_t held() const { return waiting_.size() + ready_.size() + in_flight_; }

 private:
  struct Waiting {
    TraceNode node;
    std::size_t lacks = 0;
  };

  bool read_one();

  ChakraReader reader_;
  std::size_t window_;
  const StreamOrder* order_;
  bool at_end_ = false;
  std::uint64_t read_ = 0;
  std::size_t in_flight_ = 0;
  std::map<std::uint64_t, TraceNode> ready_;            // key: place in the file
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // key: place in the file
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>>
      for_;  // id -> places that wait for it
  IdRanges complete_;
};

}  // namespace fredsim
