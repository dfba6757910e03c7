// SPDX-License-Identifier: Apache-2.0
#include "topology/topology_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

std::vector<const TopologyKind*>& added_topologies() {
  static std::vector<const TopologyKind*> kinds;
  return kinds;
}

}  // namespace

void TopologyKind::leave_switches(const FabricKeys& /*keys*/, Topology& /*topology*/,
                                  const std::string& why) const {
  throw std::logic_error(fmt::format("{} has no key for collectives in switches: {}", name(), why));
}

std::optional<MachineExample> TopologyKind::example(
    const std::filesystem::path& /*configs*/) const {
  return std::nullopt;
}

std::string TopologyKind::bisection_method(const Topology& /*topology*/) const { return {}; }

int TopologyKind::diameter(const Topology& /*topology*/) const { return 0; }

std::vector<const TopologyKind*> topology_kinds() {
  std::vector<const TopologyKind*> kinds = built_in_topologies();
  kinds.insert(kinds.end(), added_topologies().begin(), added_topologies().end());
  return kinds;
}

const TopologyKind* find_topology_kind(std::string_view name) {
  const std::vector<const TopologyKind*> kinds = topology_kinds();
  const auto found =
      std::ranges::find(kinds, name, [](const TopologyKind* kind) { return kind->name(); });
  return found == kinds.end() ? nullptr : *found;
}

const TopologyKind& topology_kind(std::string_view name) {
  if (const TopologyKind* kind = find_topology_kind(name)) return *kind;
  std::vector<std::string_view> names;
  for (const TopologyKind* kind : topology_kinds()) names.push_back(kind->name());
  throw BadInput(fmt::format("topology kind: found '{}'; {}", name,
                             advice(name, names, {.aliases = topology_aliases()})));
}

std::vector<Alias> topology_aliases() {
  std::vector<Alias> aliases;
  for (const TopologyKind* kind : topology_kinds())
    aliases.push_back({kind->name(), kind->aliases()});
  return aliases;
}

void add_topology_kind(const TopologyKind& kind) {
  if (find_topology_kind(kind.name()) != nullptr) {
    throw std::logic_error(fmt::format("two kinds of topologies are called {}", kind.name()));
  }
  added_topologies().push_back(&kind);
}

}  // namespace fredsim
