// SPDX-License-Identifier: Apache-2.0
#include "workload_files/id_ranges.h"

#include <iterator>

namespace fredsim {

bool IdRanges::has(std::uint64_t id) const {
  const auto after = last_.upper_bound(id);
  return after != last_.begin() && std::prev(after)->second >= id;
}

bool IdRanges::add(std::uint64_t id) {
  if (has(id)) return false;
  // Joins the id with the ranges that it touches.
  auto after = last_.upper_bound(id);
  std::uint64_t last = id;
  if (after != last_.end() && after->first == id + 1) {
    last = after->second;
    after = last_.erase(after);
  }
  if (after != last_.begin() && std::prev(after)->second + 1 == id) {
    std::prev(after)->second = last;
  } else {
    last_.emplace_hint(after, id, last);
  }
  return true;
}

}  // namespace fredsim
