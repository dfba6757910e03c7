// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems (topology/system.h): their number, the order in which each takes
// the dimensions, and the order in which a dimension serves them (systems/detail/chunk_schedule.h).
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
  kPipelined,  // order: chunk number plus step; each starts when the one before is complete
  kFifo,       // order of arrival; the latency of each overlaps with the next one
  kScf,        // smallest first; latencies overlap as in kFifo
};
// Names by value of the enum.
inline constexpr auto kDimensionOrders = std::to_array<std::string_view>({"baseline", "themis"});
inline constexpr auto kChunkOrders = std::to_array<std::string_view>({"pipelined", "fifo", "scf"});

struct Chunking {
  int chunks = 0;  // 0: chosen by size
  DimensionOrder dimension_order = DimensionOrder::kBaseline;
  ChunkOrder chunk_order = ChunkOrder::kPipelined;
  // Resolution of Themis: loads that differ by less than the time of a chunk / threshold in the
  // least loaded dimension count as equal.
  int threshold = 16;

  auto operator<=>(const Chunking&) const = default;
};

}  // namespace fredsim
