// SPDX-License-Identifier: Apache-2.0
// Options of chunks, of any question that has a Chunking at kPath (results/option_row.h).
#pragma once

#include <array>

#include "plan/chunking.h"
#include "results/option_row.h"

namespace fredsim {

// Numbers in the meanings.
static_assert(kMaxChunks == 4096 && kMaxThreshold == 1024 && Chunking{}.threshold == 16);

template <auto... kPath>
inline constexpr auto kChunkRows =
    rows::under(headings::kSystems,
                rows::number<kPath..., &Chunking::chunks>(
                    "--chunks", "N",
                    "on a system of dimensions: parts of the vector that go their way one after "
                    "the other, 1 to 4096 (default: by size)",
                    {.max = kMaxChunks}),
                rows::word<kPath..., &Chunking::dimension_order>(
                    "--dimension-order", "NAME",
                    "on a system: dimensions that each chunk of an all_reduce, reduce_scatter or "
                    "all_gather goes through on the way up. baseline (default): lowest first; "
                    "themis: least loaded first",
                    {.words = "baseline themis"}),
                rows::word<kPath..., &Chunking::chunk_order>(
                    "--chunk-order", "NAME",
                    "of chunks in a dimension. pipelined (default): by number of chunk and step "
                    "together, each when the one before is complete; fifo (default with "
                    "--dimension-order): as they arrive, or scf: smallest first, the latency of "
                    "each overlaps with the next one",
                    {.words = "pipelined fifo scf"}),
                rows::number<kPath..., &Chunking::threshold>(
                    "--threshold", "N",
                    "of themis: loads that differ by less than the time of one Nth of a chunk are "
                    "equal, 1 to 1024 (default 16)",
                    {.max = kMaxThreshold}));

}  // namespace fredsim
