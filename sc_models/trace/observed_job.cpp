// SPDX-License-Identifier: Apache-2.0
#include "trace/observed_job.h"

#include <fmt/format.h>

#include "base/flit.h"

namespace fredsim {

std::string ObservedJob::tree_name(int tree) const {
  return fmt::format("{}{}tree {}", name, name.empty() ? "" : ": ", tree);
}

std::string ObservedJob::packet_name(int tree, std::uint32_t index, int vc) const {
  return fmt::format("{} {}#{}", tree_name(tree), vc == kControl ? "up to " : "", index);
}

}  // namespace fredsim
