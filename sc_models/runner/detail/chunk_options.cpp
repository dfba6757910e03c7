// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/chunk_options.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {

void name_orders(const Chunking& chunking, RunResult& result) {
  if (!result.system) return;
  result.system->dimension_order =
      kDimensionOrders[static_cast<std::size_t>(chunking.dimension_order)];
  result.system->chunk_order = kChunkOrders[static_cast<std::size_t>(chunking.chunk_order)];
}

void complete_chunking(const OptionTexts& texts, Chunking& chunking) {
  const bool is_themis = chunking.dimension_order == DimensionOrder::kThemis;
  if (texts.has("--dimension-order") && !texts.has("--chunk-order"))
    chunking.chunk_order = ChunkOrder::kFifo;
  if (is_themis && chunking.chunk_order == ChunkOrder::kPipelined)
    throw BadInput(
        "--chunk-order: found 'pipelined' with --dimension-order themis; allowed: fifo, scf");
  if (!is_themis && texts.has("--threshold"))
    throw BadInput("--threshold: found without --dimension-order themis; allowed: with it");
}

void check_chunking(const Chunking& chunking, bool has_system) {
  if (has_system) return;
  constexpr const char* kAllowed = "allowed with a system (fabric.type: dimensions)";
  if (chunking.chunks > 0)
    throw BadInput(fmt::format("--chunks: found {}; {}", chunking.chunks, kAllowed));
  if (chunking.dimension_order != DimensionOrder::kBaseline)
    throw BadInput(fmt::format("--dimension-order: found themis; {}", kAllowed));
  if (chunking.chunk_order != ChunkOrder::kPipelined)
    throw BadInput(fmt::format("--chunk-order: found {}; {}",
                               kChunkOrders[static_cast<std::size_t>(chunking.chunk_order)],
                               kAllowed));
}

}  // namespace fredsim
