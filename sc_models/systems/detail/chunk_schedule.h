// SPDX-License-Identifier: Apache-2.0
// Schedule of a collective's chunks over the dimensions of a system: the order in which each chunk
// takes the dimensions, and the order in which a dimension serves the chunks. Computed before the
// run, so that all NPUs agree.
//
// Order of dimensions, Themis: the load of a dimension is the time for which it has work, and
//   starts at the latency of a step. Each chunk takes the dimensions by ascending load on the way
//   up, in reverse order on the way down, and adds its time to each load. The order is the
//   baseline's while the loads differ by less than the time of a fraction of the chunk in the
//   dimension of lowest load. Dimensions of equal load: lowest first.
// Dimensions of equal load: lowest first.
// Order of service: an event model. All chunks are ready at time 0. A dimension moves one chunk at
// a time at full rate, and starts the next one when the transfer is over; the chunk arrives one
// latency later.
// Units: all times in the unit of the caller.
// Source: Rashidi et al., Themis, ISCA 2022, §4.2 to §4.4, algorithm 1.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/chunking.h"

namespace fredsim {

// Dimensions that a collective goes through, lowest first, numbered from 0.
struct ScheduledDimensions {
  std::vector<std::uint64_t> sizes{};  // places; a step on the way up leaves 1 / places of a chunk
  std::vector<double> latencies{};     // latency of a step of the first chunk in baseline order
  // Transfer time of a step up, without its latency, for a chunk that has `bytes` before the step.
  std::function<double(int dimension, std::uint64_t bytes)> transfer{};
};

// Dimensions in their order on the way up, by chunk.
std::vector<std::vector<int>> dimension_orders(const ScheduledDimensions& dimensions,
                                               std::span<const std::uint64_t> chunk_bytes,
                                               const Chunking& chunking);

// Step of a chunk in one dimension.
struct ChunkStep {
  int dimension = 0;
  double transfer = 0;
  double latency = 0;
  std::uint64_t bytes = 0;  // smallest first: size before a step up, after a step down
};

// Rank of each step in the order in which steps of all dimensions start, by chunk and step.
std::vector<std::vector<int>> service_order(const std::vector<std::vector<ChunkStep>>& chunks,
                                            ChunkOrder order);

}  // namespace fredsim
