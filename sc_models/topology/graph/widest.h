// SPDX-License-Identifier: Apache-2.0
// Choice among ways of different bandwidth that share a load evenly: more of them carry more, but none more than the narrowest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace fredsim {

// So many of the widest, in the order given, that their number times the width of the narrowest of them is the most; the fewest of equals.
template <typename Way, typename Width>
std::vector<Way> widest(std::vector<Way> ways, const Width& width) {
  if (ways.size() < 2) return ways;
  std::vector<double> widths;
  widths.reserve(ways.size());
  for (const Way& way : ways) widths.push_back(width(way));
  std::ranges::sort(widths, std::greater{});
  std::size_t best = 0;
  for (std::size_t i = 1; i < widths.size(); ++i)
    if (static_cast<double>(i + 1) * widths[i] > static_cast<double>(best + 1) * widths[best])
      best = i;
  // All ways as wide as the narrowest are kept: they are equal.
  std::erase_if(ways, [&](const Way& way) { return width(way) < widths[best]; });
  return ways;
}

}  // namespace fredsim
