// SPDX-License-Identifier: Apache-2.0
#include "collective/link_waves.h"

#include <algorithm>
#include <map>

#include "plan/link_walk.h"

namespace fredsim {
namespace {

// Waves by part, for parts with trees in the switches alone.
std::map<int, StateDigest> waves_of(const Plan& plan, bool is_step) {
  std::map<int, int> last_phases;
  for (const Tree& tree : plan.trees) {
    if (tree.transport != Transport::kInSwitch) continue;
    const int phase = tree.ranks.front().phase;  // phase of all its ranks
    int& last = last_phases[tree.part];
    last = std::max(last, phase);
  }
  std::map<int, StateDigest> waves;
  for (const auto& [number, phase] : last_phases) {
    const Part& part = plan.parts[number];
    std::vector<NodeId> members = part.members;
    std::ranges::sort(members);
    StateDigest wave(0);
    wave.add_all(members);
    if (!is_step && part.dimension < 0) wave.add(static_cast<std::uint64_t>(phase));
    waves.emplace(number, wave);
  }
  return waves;
}

}  // namespace

std::vector<LinkWave> link_waves(const Topology& topology, std::span<const Plan* const> plans,
                                 bool are_steps) {
  std::map<std::pair<int, int>, LinkWave> links;  // by VC and link
  for (const Plan* const plan : plans) {
    if (plan->programs.empty()) continue;
    const std::map<int, StateDigest> waves = waves_of(*plan, are_steps);
    const LinkWalk walk(topology, *plan, false);
    for (const Tree& tree : plan->trees) {
      walk.walk_in_switch(tree, [&](int link) {
        LinkWave use{.vc = plan->parts[tree.part].vc, .link = link, .wave = waves.at(tree.part)};
        const auto [at, is_new] = links.try_emplace(use.place(), use);
        if (!is_new && !(at->second.wave == use.wave)) at->second.is_mixed = true;
      });
    }
  }
  std::vector<LinkWave> sorted;
  for (const auto& [place, wave] : links) sorted.push_back(wave);
  return sorted;
}

}  // namespace fredsim
