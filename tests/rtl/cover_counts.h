// SPDX-License-Identifier: Apache-2.0
// Counts of the cover points reached in a Verilated model; the model is made with --coverage-user.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "verilated.h"

namespace fredsim {

// Counts by "file label", summed over all instances.
using CoverCounts = std::map<std::string, std::uint64_t>;

// Adds the counts of a context's models since they were made.
void add_cover_counts(VerilatedContext& context, CoverCounts& counts);
// Counts of the models of all Benches (bench.h) that begin and end in `work`.
CoverCounts cover_counts_of(const std::function<void()>& work);

}  // namespace fredsim
