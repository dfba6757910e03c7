// SPDX-License-Identifier: Apache-2.0
// A set of ids, as ranges: consecutive ids, added in any order, take two numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fredsim {

class IdRanges {
 public:
  bool has(std::uint64_t id) const;
  bool add(std::uint64_t id);  // false: already a member
  std::size_t ranges() const { return last_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> last_;  // key: first id of a range
};

}  // namespace fredsim
