// SPDX-License-Identifier: Apache-2.0
#include "config/used_keys.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {

void UsedKeys::refuse_unused() const {
  const TopologyKind& kind = reader_.fabric();
  for (const std::string& path : reader_.values_under("fabric")) {
    const bool is_everybodys = path == "fabric.type" || path == "fabric.packet" ||
                               (path == "fabric.link_latency" && !kind.counts_npus());
    if (is_everybodys || used_.contains(path)) continue;
    throw BadInput(
        fmt::format("{}: found {}; allowed: none here, since nothing in this fabric of type {} "
                    "uses it",
                    label(path), reader_.value_text(path), kind.name()));
  }
}

}  // namespace fredsim
