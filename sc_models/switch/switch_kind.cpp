// SPDX-License-Identifier: Apache-2.0
#include "switch/switch_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/vc_order.h"
#include "switch/switch_kinds.h"
#include "topology/topology.h"

namespace fredsim {
namespace {

std::vector<const SwitchKind*>& added_kinds() {
  static std::vector<const SwitchKind*> kinds;
  return kinds;
}

std::vector<SwitchFacts>& added_facts() {
  static std::vector<SwitchFacts> facts;
  return facts;
}

}  // namespace

int SwitchShape::ports() const { return kind->ports(values); }

int SwitchShape::value(std::string_view parameter) const {
  return values.at(static_cast<std::size_t>(kind->index(parameter)));
}

SwitchKind::SwitchKind(SwitchFacts facts) : facts_(std::move(facts)) {
  if (index("LANES") < 0) throw std::logic_error("switch kind " + name() + ": no parameter LANES");
}

int SwitchKind::index(std::string_view parameter) const {
  const auto found = std::ranges::find(facts_.parameters, parameter, &SwitchParameter::name);
  return found == facts_.parameters.end() ? -1
                                          : static_cast<int>(found - facts_.parameters.begin());
}

SwitchShape SwitchKind::shape(std::span<const NamedValue> values) const {
  SwitchShape made{.kind = this, .values = {}};
  for (const SwitchParameter& parameter : facts_.parameters)
    made.values.push_back(parameter.default_value);
  for (const NamedValue& given : values) {
    if (const int at = index(given.name); at >= 0)
      made.values[static_cast<std::size_t>(at)] = given.value;
  }
  return made;
}

void SwitchKind::check(const SwitchShape& shape, const std::string& name) const {
  for (std::size_t i = 0; i < facts_.parameters.size(); ++i) {
    const SwitchParameter& p = facts_.parameters[i];
    if (shape.values[i] >= p.min && shape.values[i] <= p.max) continue;
    throw BadInput(fmt::format("{}: {} of a {} switch ({}): found {}; allowed: {} to {}", name,
                               p.name, facts_.name, p.meaning, shape.values[i], p.min, p.max));
  }
  if (const int found = shape.ports(); found < 1 || found > kMaxPorts) {
    throw BadInput(fmt::format("{}: ports of a {} switch: found {}; allowed: 1 to {}", name,
                               facts_.name, found, kMaxPorts));
  }
  check_together(shape, name);
}

void SwitchKind::check_together(const SwitchShape& /*shape*/, const std::string& /*name*/) const {}

void SwitchKind::check_vc_order(const SwitchShape& shape, const std::string& name) const {
  const int found = shape.value("VC_ORDER");
  if (is_vc_order(vc_order_of(found))) return;
  throw BadInput(
      fmt::format("{}: VC_ORDER of a {} switch: found {}; allowed: every virtual channel once",
                  name, facts_.name, found));
}

std::vector<RegisterWrite> SwitchKind::setup_writes(const Topology& /*topology*/,
                                                    const Node& /*node*/) const {
  return {};
}

int SwitchKind::phase_words(const SwitchShape& /*shape*/) const { return 0; }

int SwitchKind::num_phases(const SwitchShape& /*shape*/) const { return 0; }

RoutedFlows SwitchKind::route_flows(const SwitchShape& /*shape*/,
                                    std::span<const Flow> /*flows*/) const {
  no_flows();
}

std::string SwitchKind::describe_conflict(const SwitchShape& /*shape*/,
                                          const ConflictingFlows& /*conflict*/,
                                          std::span<const std::string> /*names*/) const {
  no_flows();
}

std::vector<std::uint32_t> SwitchKind::phase_row(const SwitchShape& /*shape*/, int /*vc*/,
                                                 std::span<const Flow> /*flows*/,
                                                 const RoutedFlows& /*routed*/) const {
  no_flows();
}

std::vector<Flow> SwitchKind::phase_flows(const SwitchShape& /*shape*/,
                                          std::span<const std::uint32_t> /*row*/) const {
  no_flows();
}

void SwitchKind::no_flows() const {
  throw std::logic_error("switches of the kind " + name() + " have no phases");
}

void SwitchKind::show_control(GtkwaveSave& /*save*/, const WaveScope& /*top*/,
                              int /*ports*/) const {}

void SwitchKind::show_port(GtkwaveSave& /*save*/, const WaveScope& /*top*/, int /*port*/,
                           int /*ports*/) const {}

std::optional<SwitchTiming> SwitchKind::timing(const SwitchShape& /*shape*/) const {
  return std::nullopt;
}

int SwitchKind::head_credits(const Topology& /*topology*/, const Node& /*node*/, int /*input*/,
                             int /*output*/, int /*most*/) const {
  return 1;
}

std::string SwitchKind::label(const SwitchShape& /*shape*/) const { return name(); }

std::string_view SwitchKind::parts_title() const { return ""; }

std::vector<NamedValue> SwitchKind::parts(const SwitchShape& /*shape*/) const { return {}; }

std::vector<const SwitchKind*> switch_kinds() {
  std::vector<const SwitchKind*> kinds = built_in_kinds();
  kinds.insert(kinds.end(), added_kinds().begin(), added_kinds().end());
  return kinds;
}

const SwitchKind* find_switch_kind(std::string_view name) {
  const std::vector<const SwitchKind*> kinds = switch_kinds();
  const auto found = std::ranges::find(
      kinds, name, [](const SwitchKind* kind) { return std::string_view(kind->name()); });
  return found == kinds.end() ? nullptr : *found;
}

std::vector<Alias> switch_aliases() {
  std::vector<Alias> aliases;
  for (const SwitchKind* kind : switch_kinds()) aliases.push_back({kind->name(), kind->aliases()});
  return aliases;
}

const SwitchKind& switch_kind(std::string_view name) {
  if (const SwitchKind* kind = find_switch_kind(name)) return *kind;
  std::vector<std::string_view> names;
  for (const SwitchKind* kind : switch_kinds()) names.push_back(kind->name());
  throw BadInput(fmt::format("switch kind: found '{}'; {}", name,
                             advice(name, names, {.aliases = switch_aliases()})));
}

void add_switch_kind(const SwitchKind& kind) {
  if (find_switch_kind(kind.name()) != nullptr) {
    throw std::logic_error("two kinds of switches are called " + kind.name());
  }
  added_kinds().push_back(&kind);
}

void add_switch_kind(SwitchFacts facts, const SwitchKind& (*kind)()) {
  added_facts().push_back(std::move(facts));
  add_switch_kind(kind());
}

SwitchFacts switch_facts(std::string_view kind) {
  std::vector<SwitchFacts> all = built_in_facts();
  all.insert(all.end(), added_facts().begin(), added_facts().end());
  const auto found = std::ranges::find(all, kind, &SwitchFacts::name);
  if (found == all.end())
    throw std::logic_error("no kind.cmake describes a kind " + std::string(kind));
  return *found;
}

std::string size_entry(const SwitchShape& shape) {
  const auto parameters = shape.kind->parameters();
  std::string entry = shape.kind->name();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (static_cast<int>(i) >= shape.kind->basic_parameters() &&
        shape.values[i] == parameters[i].default_value)
      continue;
    entry += fmt::format(" {}={}", parameters[i].name, shape.values[i]);
  }
  for (const NamedValue& own : shape.own_values)
    entry += fmt::format(" {}={}", own.name, own.value);
  if (!shape.rtl_top.empty()) entry += " " + shape.rtl_top;
  return entry;
}

}  // namespace fredsim
