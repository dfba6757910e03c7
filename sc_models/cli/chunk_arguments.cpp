// SPDX-License-Identifier: Apache-2.0
#include "cli/chunk_arguments.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/add_option.h"
#include "runner/option_values.h"

namespace fredsim {

void ChunkStrings::add_to(CLI::App& command) {
  under(command, heading::kSystems);
  add(command, "--chunks", chunks, "N",
      fmt::format("on a system of dimensions: parts of the vector that go their way one after the "
                  "other, 1 to {} (default: by size)",
                  kMaxChunks));
  offer(add(command, "--dimension-order", dimension_order, "NAME",
            "on a system: dimensions that each chunk of an all_reduce, reduce_scatter or "
            "all_gather goes through on the way up. baseline (default): lowest first; themis: "
            "least loaded first"),
        kDimensionOrders);
  offer(add(command, "--chunk-order", chunk_order, "NAME",
            "of chunks in a dimension. pipelined (default): by number of chunk and step together, "
            "each when the one before is complete; fifo (default with --dimension-order): as they "
            "arrive, or scf: smallest first, the latency of each overlaps with the next one"),
        kChunkOrders);
  add(command, "--threshold", threshold, "N",
      fmt::format("of themis: loads that differ by less than the time of one Nth of a chunk are "
                  "equal, 1 to {} (default {})",
                  kMaxThreshold, Chunking{}.threshold));
}

Chunking ChunkStrings::checked() const {
  Chunking chunking;
  if (!chunks.empty())
    chunking.chunks = static_cast<int>(parse_number(chunks, "--chunks", 1, kMaxChunks));
  if (!dimension_order.empty()) {
    chunking.dimension_order = static_cast<DimensionOrder>(
        parse_word("--dimension-order", dimension_order, kDimensionOrders));
    chunking.chunk_order = ChunkOrder::kFifo;
  }
  const bool is_themis = chunking.dimension_order == DimensionOrder::kThemis;
  if (!chunk_order.empty()) {
    chunking.chunk_order =
        static_cast<ChunkOrder>(parse_word("--chunk-order", chunk_order, kChunkOrders));
    if (is_themis && chunking.chunk_order == ChunkOrder::kPipelined) {
      throw BadInput(
          "--chunk-order: found 'pipelined' with --dimension-order themis; allowed: fifo, scf");
    }
  }
  if (!threshold.empty()) {
    if (!is_themis)
      throw BadInput("--threshold: found without --dimension-order themis; allowed: with it");
    chunking.threshold = static_cast<int>(parse_number(threshold, "--threshold", 1, kMaxThreshold));
  }
  return chunking;
}

}  // namespace fredsim
