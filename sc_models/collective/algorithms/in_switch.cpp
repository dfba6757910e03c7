// SPDX-License-Identifier: Apache-2.0
// in_switch: inside the switches of a FRED tree, or the routers of a mesh that add
// (collective/in_switch_plan.h).
#include <fmt/format.h>

#include "collective/algorithm.h"
#include "collective/in_switch_plan.h"
#include "collective/in_switch_time.h"
#include "plan/in_switch_roles.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

class InSwitch final : public Algorithm {
 public:
  InSwitch() : Algorithm("in_switch", nullptr, Transport::kInSwitch) {}
  std::string_view aliases() const override { return "nvls sharp switch in_network collnet fred"; }
  bool has(Collective collective) const override { return has_in_switch(collective); }
  bool has_streams() const override { return true; }
  bool exists_on(const Topology& topology) const override {
    return adds_in_switches(topology) && !is_off(topology);
  }
  bool is_papers(const Topology& topology, Collective collective) const override {
    return !topology.has_places() || collective != Collective::kUnicast;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    const std::string why = obstacle(topology, part.collective);
    return why.empty()
               ? why
               : fmt::format("in_switch {}; allowed: {}", why, allowed_algorithms(part.collective));
  }
  int window(const Topology& topology, const Part& part) const override {
    return in_switch_window(topology, part);
  }
  std::optional<double> cycles(const Topology& topology, const LinkWalk& walk,
                               const CollectiveSpec& spec, const Part& part) const override {
    return in_switch_cycles(topology, walk, spec, part);
  }
  bool is_rule_on(const Topology& topology) const override { return topology.in_switch; }
  Layout layout() const override { return Layout::kUplinks; }

 private:
  static bool is_off(const Topology& topology) {
    return topology.has_slices() && !topology.in_switch;
  }

  static std::string obstacle(const Topology& topology, Collective collective) {
    if (!adds_in_switches(topology))
      return fmt::format("needs switches that add, {} has others", topology.name);
    if (is_off(topology))
      return fmt::format("is not there, {} has in-switch collectives switched off", topology.name);
    if (!has_in_switch(collective)) return fmt::format("has no {}", to_string(collective));
    return {};
  }
};

}  // namespace

const Algorithm& in_switch_algorithm() {
  static const InSwitch algorithm;
  return algorithm;
}

}  // namespace fredsim
