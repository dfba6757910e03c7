// SPDX-License-Identifier: Apache-2.0
// Options of chunks, for any question that has a Chunking at kPath (results/option_row.h).
#pragma once

#include <array>

#include "plan/chunking.h"
#include "results/option_row.h"

namespace fredsim {

// Numbers in the texts of the meanings.
static_assert(kMaxChunks == 4096 && kMaxThreshold == 1024 && Chunking{}.threshold == 16);

template <auto... kPath>
inline constexpr auto kChunkRows = rows::under(
    headings::kSystems,
    rows::number<kPath..., &Chunking::chunks>("--chunks", "N",
                                              "on a system of dimensions: chunks of the vector, "
                                              "one after the other, 1 to 4096 (default: by size)",
                                              {.max = kMaxChunks}),
    rows::word<kPath..., &Chunking::dimension_order>(
        "--dimension-order", "NAME",
        "on a system: order of the dimensions for each chunk of an all_reduce, reduce_scatter or "
        "all_gather. baseline (default): lowest first; themis: least loaded first",
        {.words = "baseline themis"}),
    rows::word<kPath..., &Chunking::chunk_order>(
        "--chunk-order", "NAME",
        "order of chunks within a dimension. pipelined (default): by the sum of chunk and step "
        "number, each after its predecessor; fifo (default with --dimension-order): by arrival; "
        "scf: smallest first, latencies overlap",
        {.words = "pipelined fifo scf"}),
    rows::number<kPath..., &Chunking::threshold>("--threshold", "N",
                                                 "themis: loads closer than the time of 1/N of a "
                                                 "chunk count as equal, 1 to 1024 (default 16)",
                                                 {.max = kMaxThreshold}));

}  // namespace fredsim
