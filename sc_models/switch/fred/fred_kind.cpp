#include "switch/fred/fred_kind.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "routing/fred_routing.h"
#include "routing/micro_switches.h"
#include "switch/fred/fred_shape.h"
#include "switch/phased/phased_twin.h"
#include "switch/phased/phased_waves.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

FredSwitchShape network(const SwitchShape& shape) { return {shape.value("P"), shape.value("M")}; }

class FredKind final : public SwitchKind {
 public:
  FredKind() : SwitchKind(switch_facts("fred")) {}

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<PhasedTwin>(FredShape(shape));
  }

  std::uint32_t identity() const override { return reg::kFredId; }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }

  int num_phases(const SwitchShape& shape) const override {
    return fredsim::num_phases(network(shape));
  }
  RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const override {
    try {
      FredRoute route = fredsim::route_flows(network(shape), flows);
      return {.routed = true, .bits = std::move(route.bits), .order = std::move(route.order)};
    } catch (const FlowConflict& conflict) {
      return {.conflict = conflict.conflict()};
    }
  }
  std::string describe_conflict(const SwitchShape& shape, const ConflictingFlows& conflict,
                                std::span<const std::string> names) const override {
    return describe(network(shape), conflict, names);
  }
  std::vector<std::uint32_t> phase_row(const SwitchShape& shape, int vc,
                                       std::span<const Flow> flows,
                                       const RoutedFlows& routed) const override {
    FredRoute route;
    route.bits = routed.bits;
    return fredsim::phase_row(network(shape), vc, flows, route);
  }
  std::vector<Flow> phase_flows(const SwitchShape& shape,
                                std::span<const std::uint32_t> row) const override {
    return fredsim::phase_flows(network(shape), row);
  }

  bool has(const CounterInfo& /*counter*/) const override { return true; }

  void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const override {
    if (const auto core = top.around("i_control")) {
      save.group("control unit", true,
                 [&] { show_phased_control(save, core->inside("i_control"), ports); });
    }
  }
  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int /*ports*/) const override {
    if (const auto core = top.around("i_control")) {
      show_phased_port(save, core->inside(fmt::format("gen_port[{}]", port)));
    }
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("Fred_{}({})", shape.value("M"), shape.value("P"));
  }
  std::string_view parts_title() const override {
    return "µSwitches of one chiplet (R reduces, D distributes, RD both)";
  }
  std::vector<NamedValue> parts(const SwitchShape& shape) const override {
    const MicroSwitchCount count = count_micro_switches(network(shape));
    return {{"R", count.reduce},
            {"D", count.distribute},
            {"RD", count.reduce_distribute},
            {"demux", count.demuxes},
            {"mux", count.muxes}};
  }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    check_vc_order(shape, name);
    const int depth = shape.value("OUT_DEPTH");
    const int packet = shape.value("PACKET_FLITS");
    if (depth >= packet) return;
    throw BadInput(fmt::format(
        "{}: OUT_DEPTH of a fred switch: found {}; allowed: a packet of {} flits or more", name,
        depth, packet));
  }
};

}  // namespace

const SwitchKind& fred_kind() {
  static const FredKind kKind;
  return kKind;
}

FredShape::FredShape(const SwitchShape& shape)
    : fred{shape.value("P"), shape.value("M")},
      lanes(shape.lanes()),
      buffers{.data_flits = shape.value("VC_DEPTH"),
              .control_flits = shape.value("CTRL_DEPTH"),
              .output_flits = shape.value("OUT_DEPTH")},
      format(static_cast<FpFormat>(shape.value("FORMAT"))),
      packet_flits(shape.value("PACKET_FLITS")),
      yield(shape.value("YIELD")),
      quantum(shape.value("QUANTUM")),
      vc_order(vc_order_of(shape.value("VC_ORDER"))),
      rtl_top(shape.rtl_top) {}

FredShape::operator SwitchShape() const {
  SwitchShape shape =
      fred_kind().shape(std::vector<NamedValue>{{"P", fred.ports},
                                                {"M", fred.middle},
                                                {"LANES", lanes},
                                                {"VC_DEPTH", buffers.data_flits},
                                                {"CTRL_DEPTH", buffers.control_flits},
                                                {"OUT_DEPTH", buffers.output_flits},
                                                {"FORMAT", static_cast<int>(format)},
                                                {"PACKET_FLITS", packet_flits},
                                                {"YIELD", yield},
                                                {"QUANTUM", quantum},
                                                {"VC_ORDER", number_of(vc_order)}});
  shape.rtl_top = rtl_top;
  return shape;
}

}  // namespace fredsim
