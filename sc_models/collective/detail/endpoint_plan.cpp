// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/endpoint_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/plan_check.h"

namespace fredsim {
namespace {

const Algorithm& stream_algorithm(const std::string& name) {
  const Algorithm* found = find_algorithm(name);
  if (found != nullptr && found->has_streams() && !found->is_in_switches()) return *found;
  throw BadInput(
      fmt::format("algorithm: {} found, streams allow: {}", name, allowed_for_streams()));
}

// The requested algorithm, or the paper's.
const Algorithm& algorithm_of(const Topology& topology, const CollectiveSpec& spec,
                              const Part& part) {
  if (is_choice(spec.algorithm)) return paper_algorithm(topology, part);
  if (part.roots > 0) return stream_algorithm(spec.algorithm);
  const Algorithm* found = find_algorithm(spec.algorithm, spec.collective);
  if (found != nullptr && !found->is_in_switches()) return *found;
  throw BadInput(fmt::format("algorithm: {} found, {} on {} allows: {}", spec.algorithm,
                             to_string(spec.collective), topology.name,
                             allowed_algorithms(spec.collective)));
}

}  // namespace

void plan_endpoint(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan,
                   std::vector<ChainSpec>& chains) {
  Part& of_plan = plan.parts[part];
  const Algorithm& algorithm = algorithm_of(topology, spec, of_plan);
  if (const std::string why = algorithm.refusal(topology, of_plan); !why.empty())
    throw BadInput("algorithm: " + why);
  of_plan.algorithm = algorithm.name();
  of_plan.window = algorithm.window(topology, of_plan);
  EndpointPart planned(topology, spec, part, plan);
  algorithm.plan(planned, chains);
}

void plan_together(const Topology& topology, const std::vector<ChainSpec>& chains, Plan& plan) {
  add_chains(topology, chains, plan);
  for (const Algorithm* algorithm : algorithms()) {
    std::vector<int> parts;
    for (int part = 0; part < std::ssize(plan.parts); ++part)
      if (plan.parts[part].ranks() > 1 && plan.parts[part].algorithm == algorithm->name())
        parts.push_back(part);
    if (!parts.empty()) algorithm->plan_together(topology, parts, plan);
  }
  std::ranges::stable_sort(plan.trees, {}, &Tree::part);
  check_plan(topology, plan);
}

}  // namespace fredsim
