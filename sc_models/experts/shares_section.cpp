// SPDX-License-Identifier: Apache-2.0
#include "experts/shares_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {

void check_keys(const ConfigNode& root, std::string_view what,
                std::span<const std::string_view> allowed) {
  for (const ConfigEntry& entry : root.entries)
    if (std::ranges::count(allowed, entry.key) == 0)
      throw BadInput(fmt::format("{}: {}: found the key '{}'; {}", entry.node.where, what,
                                 shown(entry.key), advice(entry.key, allowed, {.last = "and"})));
}

const ConfigNode& list_of(const ConfigNode& node, const std::string& what) {
  if (node.kind != ConfigNode::Kind::kList || node.entries.empty())
    throw BadInput(fmt::format("{}: found no list; allowed: {}", node.where, what));
  return node;
}

}  // namespace fredsim
