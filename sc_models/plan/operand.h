// SPDX-License-Identifier: Apache-2.0
// Operands of ranks and results of their sums: the data that runs carry and verify.
#pragma once

#include <cstdint>

#include "base/fp.h"
#include "routing/flows.h"

namespace fredsim {

// Seed of the operands of a part; part 0 has the seed of the run.
std::uint64_t operand_seed(std::uint64_t seed, int part);
// Operand of `rank` at (flit, lane): random, finite, both signs, magnitudes 2^-2 … 2^2, such that
// sums over a wafer stay finite and need rounding.
std::uint16_t operand(FpFormat format, std::uint64_t seed, int rank, std::uint64_t flit, int lane);
// Operands of `rank` in all lanes of `flits` flits from `first_flit`, flit-major.
void fill_operands(FpFormat format, std::uint64_t seed, int rank, std::uint64_t first_flit,
                   int flits, int lanes, std::uint16_t* out);
// Result prescribed by `order` at (flit, lane).
std::uint16_t expected(FpFormat format, std::uint64_t seed, const SumOrder& order,
                       std::uint64_t flit, int lane);

}  // namespace fredsim
