// SPDX-License-Identifier: Apache-2.0
// Random numbers of a range, both ends included.
#pragma once

#include <concepts>
#include <cstdint>

#include "base/random.h"

namespace fredsim::test {

// Uniform in [least, most].
template <std::integral Number>
Number random_between(Random& random, Number min, Number max) {
  return min + static_cast<Number>(random.below(static_cast<std::uint64_t>(max - min) + 1));
}

}  // namespace fredsim::test
