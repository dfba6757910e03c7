// SPDX-License-Identifier: Apache-2.0
#include "plan/split.h"

#include <algorithm>

#include "base/flit.h"

namespace fredsim {

std::uint64_t share_begin(std::uint64_t total, std::uint64_t shares, std::uint64_t k) {
  return total / shares * k + std::min(total % shares, k);
}

FlitRange whole_range(std::uint64_t first_flit, std::uint64_t bytes) {
  return {first_flit, bytes / kFlitBytes + (bytes % kFlitBytes != 0 ? 1 : 0), bytes};
}

FlitRange part_of(const FlitRange& range, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t before = std::min(range.bytes, begin * kFlitBytes);
  return {range.first_flit + begin, end - begin,
          std::min(range.bytes - before, (end - begin) * kFlitBytes)};
}

FlitRange share_of(const FlitRange& range, std::uint64_t shares, std::uint64_t k) {
  return part_of(range, share_begin(range.flits, shares, k),
                 share_begin(range.flits, shares, k + 1));
}

std::vector<FlitRange> padded_blocks(const std::vector<std::uint64_t>& sizes) {
  std::vector<FlitRange> blocks;
  blocks.reserve(sizes.size());
  std::uint64_t next = 0;
  for (const std::uint64_t bytes : sizes) {
    blocks.push_back(whole_range(next, bytes));
    next += blocks.back().flits;
  }
  return blocks;
}

std::vector<std::uint64_t> block_sizes(std::uint64_t bytes, int ranks) {
  std::vector<std::uint64_t> sizes;
  const auto n = static_cast<std::uint64_t>(ranks);
  for (std::uint64_t k = 0; k < n; ++k) {
    sizes.push_back(share_begin(bytes, n, k + 1) - share_begin(bytes, n, k));
  }
  return sizes;
}

}  // namespace fredsim
