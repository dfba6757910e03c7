#include "switch/fred/fred_kind.h"

#include <fmt/format.h>

#include <utility>

#include "routing/fred_routing.h"
#include "routing/micro_switches.h"
#include "rtl/fred_pkg.h"
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
    const int stages = fred_stages(fred.ports);
    return {.ports = fred.ports,
            .stages = stages,
            .config_stages = stages,
            .config_edges = stages + 2,
            .row_words = phase_row_words(fred),
            .num_phases = fredsim::num_phases(fred),
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
      FredRoute route = fredsim::route_flows(fred_of(shape), flows);
      return {.routed = true, .bits = std::move(route.bits), .order = std::move(route.order)};
    } catch (const FlowConflict& conflict) {
      return {.conflict = conflict.conflict()};
    }
  }
  std::string describe_conflict(const SwitchShape& shape, const ConflictingFlows& conflict,
                                std::span<const std::string> names) const override {
    return describe(fred_of(shape), conflict, names);
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
