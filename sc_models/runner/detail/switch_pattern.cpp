// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/switch_pattern.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {

void check_switch_pattern(const char* option, const std::string& pattern,
                          std::span<const Topology* const> topologies) {
  std::vector<std::string_view> names;
  for (const Topology* topology : topologies) {
    for (const Node& node : topology->nodes) {
      if (node.is_endpoint()) continue;
      if (::fnmatch(pattern.c_str(), node.name.c_str(), 0) == 0) return;
      names.push_back(node.name);
    }
  }
  throw BadInput(fmt::format("{}: found '{}', which matches no switch; {}", option, pattern,
                             advice(pattern, names, {.more = "fredsim info --parts"})));
}

bool matches_instance(const std::string& pattern, const Topology& topology) {
  return std::ranges::any_of(topology.nodes, [&](const Node& node) {
    return ::fnmatch(pattern.c_str(), node.name.c_str(), 0) == 0;
  });
}

void check_instance_pattern(const char* option, const std::string& pattern,
                            std::span<const Topology* const> topologies) {
  const auto matches = [&](const Topology* topology) {
    return matches_instance(pattern, *topology);
  };
  if (!std::ranges::any_of(topologies, matches)) {
    check_switch_pattern(option, pattern, topologies);  // throws a message that names the switches
  }
}

}  // namespace fredsim
