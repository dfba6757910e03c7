// SPDX-License-Identifier: Apache-2.0
#include "switch/fred/fred_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "routing/fred_routing.h"
#include "routing/micro_switches.h"
#include "rtl/fred_pkg.h"
#include "rtl/phased_pkg.h"
#include "switch/fred/fred_row.h"
#include "switch/fred/fred_shape.h"
#include "switch/phased/phased_kind.h"

namespace fredsim {
namespace {

FredSwitchShape fred_of(const SwitchShape& shape) { return {shape.value("P"), shape.value("M")}; }

class FredKind final : public PhasedKind {
 public:
  FredKind() : PhasedKind(switch_facts("fred")) {}

  PhasedNetwork network(const SwitchShape& shape) const override {
    const FredSwitchShape fred = fred_of(shape);
    const int stages = fred_stages(fred.ports, adder_stages_of(shape));
    return {.ports = fred.ports,
            .stages = stages,
            .config_stages = stages,
            .config_edges = stages + 2,
            .row_words = phase_row_words(fred),
            .num_phases = std::min<int>(
                phased_pkg::MAX_PHASES,
                phases_in_use_of(shape) * phased_pkg::PHASE_STORE_WORDS / phase_row_words(fred)),
            .row_bits =
                static_cast<int>(phased_pkg::row_config_lsb(fred.ports)) + fred_config_bits(fred),
            .config_field_bits = fred_pkg::USEL_W,
            .apart_levels = fred_apart_levels(fred),
            .id = fred_pkg::FRED_ID,
            .shape = static_cast<std::uint32_t>(fred.ports | fred.middle << 8),
            .decode = [fred](std::span<const std::uint32_t> row) { return decode_row(fred, row); },
            .carry =
                [fred](const PhasedRow& row, std::uint32_t inputs, std::uint32_t outputs,
                       std::span<const PhasedUnicast> unicasts) {
                  return carry(fred, row, inputs, outputs, unicasts);
                }};
  }
  std::uint32_t identity() const override { return fred_pkg::FRED_ID; }

  RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const override {
    try {
      FredRoute route = fredsim::route_flows(fred_of(shape), flows, phases_in_use_of(shape) > 1);
      return {.routed = true, .bits = std::move(route.bits), .order = std::move(route.order)};
    } catch (const FlowConflict& conflict) {
      return {.conflict = conflict.conflict()};
    }
  }
  std::string describe_conflict(const SwitchShape& shape, const ConflictingFlows& conflict,
                                std::span<const std::string> names) const override {
    return describe(fred_of(shape), conflict, names);
  }

  // Rows whose flows are numbered by their lowest input ports have no number in common if they have
  // no port in common.
  std::vector<std::uint32_t> phase_row(const SwitchShape& shape, int vc,
                                       std::span<const Flow> flows,
                                       const RoutedFlows& routed) const override {
    if (phases_in_use_of(shape) == 1) return PhasedKind::phase_row(shape, vc, flows, routed);
    std::vector<Flow> by_port(static_cast<std::size_t>(shape.ports()));
    for (const Flow& flow : flows) {
      if (flow.inputs != 0) by_port[std::countr_zero(flow.inputs)] = flow;
    }
    return PhasedKind::phase_row(shape, vc, by_port, routed);
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("Fred_{}({})", shape.value("M"), shape.value("P"));
  }
  std::string_view parts_title() const override {
    return "µSwitches of one chiplet (R reduces, D distributes, RD both)";
  }
  std::vector<NamedValue> parts(const SwitchShape& shape) const override {
    const MicroSwitchCount count = count_micro_switches(fred_of(shape));
    return {{"R", count.reduce},
            {"D", count.distribute},
            {"RD", count.reduce_distribute},
            {"demux", count.demuxes},
            {"mux", count.muxes}};
  }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    PhasedKind::check_together(shape, name);
    const int middle = shape.value("M");
    const int in_use = phases_in_use_of(shape);
    if (in_use == 1 || fred_pkg::sel_w(middle) == fred_pkg::USEL_W) return;
    throw BadInput(
        fmt::format("{}: PHASES_IN_USE of a fred switch with M={}: found {}; allowed: 1, or M of 3 "
                    "or less",
                    name, middle, in_use));
  }
};

}  // namespace

const SwitchKind& fred_kind() {
  static const FredKind kKind;
  return kKind;
}

FredShape::FredShape(const SwitchShape& shape) : PhasedShape(shape), fred(fred_of(shape)) {}

FredShape::operator SwitchShape() const {
  std::vector<NamedValue> given = values();
  given.push_back({"P", fred.ports});
  given.push_back({"M", fred.middle});
  SwitchShape shape = fred_kind().shape(given);
  shape.rtl_top = rtl_top;
  return shape;
}

}  // namespace fredsim
