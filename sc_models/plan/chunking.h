// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems (topology/system.h): how many, the order of dimensions that each
// goes by, and the order in which a dimension serves them (systems/detail/chunk_schedule.h).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace fredsim {

inline constexpr int kMaxChunks = 4096;
inline constexpr int kMaxThreshold = 1024;

enum class DimensionOrder : std::uint8_t {
  kBaseline,  // lowest first on the way up
  kThemis,    // least loaded first
};
enum class ChunkOrder : std::uint8_t {
  kPipelined,  // by number of chunk and step together; each when the one before is complete
  kFifo,       // as they arrive; the latency of each overlaps with the next one
  kScf,        // smallest first; likewise
};
// By value.
inline constexpr auto kDimensionOrders = std::to_array<std::string_view>({"baseline", "themis"});
inline constexpr auto kChunkOrders = std::to_array<std::string_view>({"pipelined", "fifo", "scf"});

struct Chunking {
  int chunks = 0;  // 0: by size
  DimensionOrder dimension_order = DimensionOrder::kBaseline;
  ChunkOrder chunk_order = ChunkOrder::kPipelined;
  // Themis takes loads for equal that differ by less than the time of a chunk / threshold in the
  // least loaded dimension.
  int threshold = 16;

  auto operator<=>(const Chunking&) const = default;
};

}  // namespace fredsim
