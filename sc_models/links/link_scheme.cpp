// SPDX-License-Identifier: Apache-2.0
#include "links/link_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "links/link_policy.h"

namespace fredsim {
namespace {

std::vector<const LinkScheme*>& added_schemes() {
  static std::vector<const LinkScheme*> schemes;
  return schemes;
}

}  // namespace

std::vector<const LinkScheme*> link_schemes() {
  std::vector<const LinkScheme*> schemes = built_in_link_schemes();
  schemes.insert(schemes.end(), added_schemes().begin(), added_schemes().end());
  return schemes;
}

void add_link_scheme(const LinkScheme& scheme) {
  const std::vector<const LinkScheme*> schemes = link_schemes();
  if (std::ranges::find(schemes, scheme.name(), &LinkScheme::name) != schemes.end())
    throw std::logic_error(fmt::format("two schemes of links are called {}", scheme.name()));
  added_schemes().push_back(&scheme);
}

LinkChanges::LinkChanges(const FabricKeys& keys) {
  for (const LinkScheme* const scheme : link_schemes())
    if (LinkChange change = scheme->change(keys))
      changes_.emplace_back(scheme->stage(), std::move(change));
}

void LinkChanges::make(LinkStage stage, Topology& topology) const {
  for (const auto& [when, change] : changes_)
    if (when == stage) change(topology);
}

std::vector<std::pair<std::string, std::uint64_t>> policy_counters(const Link& link,
                                                                   const LinkCount& before,
                                                                   const LinkCount& after) {
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  if (link.policy == nullptr) return counters;
  const std::span<const std::string_view> names = link.policy->counters();
  for (std::size_t i = 0; i < names.size(); ++i)
    counters.emplace_back(names[i], after.of_policy.at(i) - before.of_policy.at(i));
  return counters;
}

void set_wafer_policy(Topology& topology, const std::shared_ptr<const LinkPolicy>& policy) {
  for (Link& link : topology.links) {
    if (link.on_die) continue;
    if (link.policy != nullptr) {
      throw BadInput(fmt::format("{}: found links of two schemes: {}, and {}; allowed: one of them",
                                 topology.name, link.policy->title(), policy->title()));
    }
    link.policy = policy;
  }
}

const LinkPolicy* find_link_policy(const Topology& topology) {
  const auto found =
      std::ranges::find_if(topology.links, [](const Link& link) { return link.policy != nullptr; });
  return found == topology.links.end() ? nullptr : found->policy.get();
}

}  // namespace fredsim
