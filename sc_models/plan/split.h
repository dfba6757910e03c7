// SPDX-License-Identifier: Apache-2.0
// Contiguous shares of a collective's data, as even as whole bytes or whole flits allow.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

// First item of share `k` of `total` items cut into `shares`, 0 <= k <= shares; share k ends where
// share k + 1 begins. Shares differ by at most one item, the first ones are the larger ones.
std::uint64_t share_begin(std::uint64_t total, std::uint64_t shares, std::uint64_t k);

// Flits of a rank's data, and the payload in them: the last flit may be short.
struct FlitRange {
  std::uint64_t first_flit = 0;
  std::uint64_t flits = 0;
  std::uint64_t bytes = 0;
};

FlitRange whole_range(std::uint64_t first_flit, std::uint64_t bytes);
// Share `k` of a range's flits.
FlitRange share_of(const FlitRange& range, std::uint64_t shares, std::uint64_t k);
// The flits [begin, end) of a range, counted from its first one.
FlitRange part_of(const FlitRange& range, std::uint64_t begin, std::uint64_t end);
// Blocks of the given sizes one after the other, each padded to whole flits.
std::vector<FlitRange> padded_blocks(const std::vector<std::uint64_t>& sizes);
// Sizes of the blocks of `bytes` cut evenly for `ranks`.
std::vector<std::uint64_t> block_sizes(std::uint64_t bytes, int ranks);

}  // namespace fredsim
