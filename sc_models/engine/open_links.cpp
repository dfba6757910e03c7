// SPDX-License-Identifier: Apache-2.0
#include "engine/open_links.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/flit.h"

namespace fredsim {

OpenLinks::OpenLinks(const Topology& topology)
    : topology_(topology), uses_(topology.links.size() * kNumVcs) {}

void OpenLinks::open(const PreparedPlan& plan) {
  for (const LinkWave& link : plan.links) {
    Use& use = use_of(link);
    const bool is_one_wave =
        !use.is_mixed && !link.is_mixed && use.wave == link.wave && use.rows == plan.rows_identity;
    if (use.operations > 0 && !is_one_wave)
      throw std::logic_error(
          fmt::format("link {} VC {}: two operations of different waves are open",
                      topology_.links[link.link].name, kVcTitles[link.vc]));
    use = {use.operations + 1, link.is_mixed, link.wave, plan.rows_identity};
  }
}

void OpenLinks::close(const PreparedPlan& plan) {
  for (const LinkWave& link : plan.links) --use_of(link).operations;
}

}  // namespace fredsim
