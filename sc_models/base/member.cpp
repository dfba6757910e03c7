// SPDX-License-Identifier: Apache-2.0
#include "base/member.h"

#include <fmt/format.h>

namespace fredsim {

std::string member_name(int member) {
  return is_io_member(member) ? fmt::format("io{}", io_of_member(member)) : fmt::to_string(member);
}

std::string member_names(std::span<const int> members) {
  std::string names;
  for (const int member : members) names += (names.empty() ? "" : ",") + member_name(member);
  return names;
}

}  // namespace fredsim
