// Contiguous shares of a vector of flits, as even as flit granularity allows.
#pragma once

#include <cstdint>

namespace fredsim {

// First flit of share `k` of `total` flits cut into `shares`, 0 <= k <= shares; share k ends where
// share k + 1 begins. Shares differ by at most one flit and the larger ones are spread evenly.
std::uint64_t share_begin(std::uint64_t total, std::uint64_t shares, std::uint64_t k);

}  // namespace fredsim
