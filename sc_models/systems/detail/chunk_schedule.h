// SPDX-License-Identifier: Apache-2.0
// Schedule of the chunks of a collective over the dimensions of a system: which dimensions each
// chunk takes first, and in which order a dimension serves them. Planned before the run, so that
// all NPUs agree.
//
// Order of dimensions, Themis: loads are times that the dimensions have work for. They begin with
//   the latency of a step; each chunk takes the dimensions by ascending load on the way up and the
//   reverse down, and adds its time to each. While the loads differ by less than the time of a part
//   of the chunk in the least loaded dimension, the order is the baseline's. Dimensions of equal
//   load: lowest first.
// Order of service: an event model. All chunks are there at 0; a dimension moves one chunk at a
//   time, at full rate, and takes the next one when that has moved; it arrives a latency later.
// Units: times in one unit of the caller's.
// Source: Rashidi et al., Themis, ISCA 2022, §4.2 to §4.4, algorithm 1.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/chunking.h"

namespace fredsim {

// The dimensions that a collective goes through, lowest first, counted from 0.
struct ScheduledDimensions {
  std::vector<std::uint64_t>
      sizes{};  // places; a step leaves so large a part of a chunk on the way up
  std::vector<double> latencies{};  // a step's, of the first chunk in baseline order
  // Time of a step up without its latency, of a chunk that has so many bytes before.
  std::function<double(int dimension, std::uint64_t bytes)> transfer{};
};

// By chunk: dimensions in the order in which it takes them on the way up.
std::vector<std::vector<int>> dimension_orders(const ScheduledDimensions& dimensions,
                                               std::span<const std::uint64_t> chunk_bytes,
                                               const Chunking& chunking);

// A chunk's step in a dimension.
struct ChunkStep {
  int dimension = 0;
  double transfer = 0;
  double latency = 0;
  std::uint64_t bytes = 0;  // smallest first: before it on the way up, after it on the way down
};

// By chunk and step: its place in the order in which steps begin, of all dimensions.
std::vector<std::vector<int>> service_order(const std::vector<std::vector<ChunkStep>>& chunks,
                                            ChunkOrder order);

}  // namespace fredsim
