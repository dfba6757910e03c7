// SPDX-License-Identifier: Apache-2.0
#include "results/version.h"

namespace fredsim {

std::string_view version() { return FREDSIM_VERSION; }

std::string version_text() {
  return "fredsim " FREDSIM_VERSION " (commit " + std::string(commit()) + ")";
}

Origin origin_of(std::string_view command) { return {version(), commit(), command}; }

}  // namespace fredsim
