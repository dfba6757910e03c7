// SPDX-License-Identifier: Apache-2.0
#include "runner/chunk_options.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {

void name_orders(const Chunking& chunking, RunResult& result) {
  if (!result.system) return;
  result.system->dimension_order =
      kDimensionOrders[static_cast<std::size_t>(chunking.dimension_order)];
  result.system->chunk_order = kChunkOrders[static_cast<std::size_t>(chunking.chunk_order)];
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
