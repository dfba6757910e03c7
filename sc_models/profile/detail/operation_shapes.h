// SPDX-License-Identifier: Apache-2.0
// Arithmetic of PyTorch's operations by the dimensions of their inputs.
//
// Known: products of matrices (mm, addmm, bmm, baddbmm, linear, matmul), convolutions without
//   padding told, and attention. A multiplication with an addition is two operations. Bytes: of
//   the matrices at 2 bytes an element where the type is not told.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/kineto.h"

namespace fredsim {

struct Arithmetic {
  std::uint64_t operations = 0, bytes = 0;
};

bool has_arithmetic(std::string_view name);
// {0, 0}: the operation does not have such dimensions.
Arithmetic arithmetic_of(std::string_view name, const Kineto::Shape& inputs);

}  // namespace fredsim
