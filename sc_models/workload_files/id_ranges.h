// SPDX-License-Identifier: Apache-2.0
// A set of ids, as ranges: of ids that follow each other, in whatever order they come, two numbers are held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fredsim {

class IdRanges {
 public:
  bool has(std::uint64_t id) const;
  bool add(std::uint64_t id);  // false: it is there
  std::size_t ranges() const { return last_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> last_;  // by the first
};

}  // namespace fredsim
