// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_kind.h"

#include <fmt/format.h>

#include "base/error.h"
#include "routing/phase_row.h"
#include "switch/phased/phased_twin.h"
#include "switch/phased/phased_waves.h"

namespace fredsim {

std::unique_ptr<SwitchCore> PhasedKind::make_twin(const SwitchShape& shape,
                                                  const std::string& /*name*/) const {
  return std::make_unique<PhasedTwin>(PhasedShape(shape), network(shape), routes(shape));
}

std::unique_ptr<PhasedRoutes> PhasedKind::routes(const SwitchShape& shape) const {
  return std::make_unique<TableRoutes>(shape.ports(), route_table(shape));
}

int PhasedKind::num_phases(const SwitchShape& shape) const { return network(shape).num_phases; }

int PhasedKind::phase_words(const SwitchShape& shape) const { return network(shape).row_words; }

// Pin register, buffer; memory, flit register, stages, staging, output pins.
std::optional<SwitchTiming> PhasedKind::timing(const SwitchShape& shape) const {
  return SwitchTiming{
      .to_leave = 2, .to_pins = network(shape).stages + 4, .staging = shape.value("OUT_DEPTH")};
}

std::vector<std::uint32_t> PhasedKind::phase_row(const SwitchShape& shape, int vc,
                                                 std::span<const Flow> flows,
                                                 const RoutedFlows& routed) const {
  return fredsim::phase_row(shape.ports(), vc, flows, routed.bits);
}

std::vector<Flow> PhasedKind::phase_flows(const SwitchShape& shape,
                                          std::span<const std::uint32_t> row) const {
  return fredsim::phase_flows(shape.ports(), row);
}

void PhasedKind::show_control(GtkwaveSave& save, const WaveScope& top, int ports) const {
  if (const auto core = top.around("i_control")) {
    save.group("control unit", true,
               [&] { show_phased_control(save, core->inside("i_control"), ports); });
  }
}

void PhasedKind::show_port(GtkwaveSave& save, const WaveScope& top, int port, int /*ports*/) const {
  if (const auto core = top.around("i_control")) {
    show_phased_port(save, core->inside(fmt::format("gen_port[{}]", port)));
  }
}

void PhasedKind::check_together(const SwitchShape& shape, const std::string& name) const {
  check_vc_order(shape, name);
  const int depth = shape.value("OUT_DEPTH");
  const int packet = shape.value("PACKET_FLITS");
  if (depth >= packet) return;
  throw BadInput(
      fmt::format("{}: OUT_DEPTH of a {} switch: found {}; allowed: a packet of {} flits or more",
                  name, shape.kind->name(), depth, packet));
}

}  // namespace fredsim
