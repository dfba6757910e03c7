// SPDX-License-Identifier: Apache-2.0
// Options of chunks, of any question that has a Chunking at kPath (results/option_row.h).
#pragma once

#include <array>

#include "plan/chunking.h"
#include "results/option_row.h"

namespace fredsim {

// Numbers in the meanings.
static_assert(kMaxChunks == 4096 && kMaxThreshold == 1024 && Chunking{}.threshold == 16);

template <class Question, auto... kPath>
inline constexpr auto kChunkRows = std::to_array<OptionRow<Question>>(
    {rows::number<Question, kPath..., &Chunking::chunks>(
         {.name = "--chunks",
          .value = "N",
          .heading = headings::kSystems,
          .max = kMaxChunks,
          .meaning = "on a system of dimensions: parts of the vector that go their way one after "
                     "the other, 1 to 4096 (default: by size)"}),
     rows::word<Question, kPath..., &Chunking::dimension_order>(
         {.name = "--dimension-order",
          .value = "NAME",
          .heading = headings::kSystems,
          .words = "baseline themis",
          .meaning = "on a system: dimensions that each chunk of an all_reduce, reduce_scatter or "
                     "all_gather goes through on the way up. baseline (default): lowest first; "
                     "themis: least loaded first"}),
     rows::word<Question, kPath..., &Chunking::chunk_order>(
         {.name = "--chunk-order",
          .value = "NAME",
          .heading = headings::kSystems,
          .words = "pipelined fifo scf",
          .meaning = "of chunks in a dimension. pipelined (default): by number of chunk and step "
                     "together, each when the one before is complete; fifo (default with "
                     "--dimension-order): as they arrive, or scf: smallest first, the latency of "
                     "each overlaps with the next one"}),
     rows::number<Question, kPath..., &Chunking::threshold>(
         {.name = "--threshold",
          .value = "N",
          .heading = headings::kSystems,
          .max = kMaxThreshold,
          .meaning = "of themis: loads that differ by less than the time of one Nth of a chunk are "
                     "equal, 1 to 1024 (default 16)"})});

}  // namespace fredsim
