#include "collective/split.h"

#include <algorithm>

namespace fredsim {

std::uint64_t share_begin(std::uint64_t total, std::uint64_t shares, std::uint64_t k) {
  return total / shares * k + std::min(total % shares, k);
}

}  // namespace fredsim
