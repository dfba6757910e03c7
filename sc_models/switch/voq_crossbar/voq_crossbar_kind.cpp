// SPDX-License-Identifier: Apache-2.0
#include "switch/voq_crossbar/voq_crossbar_kind.h"

#include <fmt/format.h>

#include "base/error.h"
#include "rtl/voq_crossbar_pkg.h"
#include "switch/phased/phased_waves.h"
#include "switch/voq_crossbar/voq_crossbar_twin.h"

namespace fredsim {
namespace {

using enum TraceFormat;

class VoqCrossbarKind final : public SwitchKind {
 public:
  VoqCrossbarKind() : SwitchKind(switch_facts("voq_crossbar")) {}
  std::string_view aliases() const override { return "crossbar voq xbar iq islip"; }

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<VoqCrossbarTwin>(shape, identity());
  }

  std::uint32_t identity() const override { return voq_crossbar_pkg::VOQ_CROSSBAR_ID; }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }
  // The queues of a virtual channel share its slots, so that credits do not show which queue a flit
  // left.
  std::optional<SwitchTiming> timing(const SwitchShape& shape) const override {
    return SwitchTiming{
        .to_leave = 2, .to_pins = 5, .in_order = false, .staging = shape.value("OUT_DEPTH")};
  }

  bool has(const CounterInfo& counter) const override {
    return counter.value == &SwitchCounters::stall_credit ||
           counter.value == &SwitchCounters::stall_arbiter ||
           counter.value == &SwitchCounters::stall_link;
  }

  void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const override {
    const auto core = top.around("i_scheduler");
    if (!core) return;
    const WaveScope scheduler = core->inside("i_scheduler");
    save.group("scheduler", true, [&] {
      scheduler.show(kDecimal, "stall_credit_o");
      scheduler.show(kDecimal, "stall_arbiter_o");
      scheduler.show(kBinary, "reserve_o");
      for (int p = 0; p < ports; ++p) {
        scheduler.show(kBinary, fmt::format("output_{}_from_inputs", p), "pair_o", p, ports);
      }
    });
  }

  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const override {
    const auto core = top.around("i_scheduler");
    if (!core) return;
    const WaveScope at = core->inside(fmt::format("gen_port[{}]", port));
    save.group("input queues", false, [&] {
      const WaveScope input = at.inside("i_input");
      input.show(kBinary, "in_valid_i");
      input.show(kBinary, "overflow_o");
      show_each_vc(save, [&](int vc) {
        input.show(kBinary, "hol_by_output", "valid_o", vc, kNumVcs);
        input.show(kBinary, "hol_tails", "tail_o", vc, kNumVcs);
        input.show(kBinary, "pop_by_output", "pop_i", vc, kNumVcs);
        input.show(kBinary, "credit_back", "credit_o", vc, kNumVcs);
        core->inside("i_scheduler")
            .show(kBinary, "output_inside_packet", "locked_q", kNumVcs * port + vc,
                  kNumVcs * ports);
      });
    });
    show_output_staging(save, at);
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("VOQ crossbar({})", shape.ports());
  }
  std::string_view parts_title() const override { return "virtual output queues of one chiplet"; }
  std::vector<NamedValue> parts(const SwitchShape& shape) const override {
    return {{"queues", static_cast<int>(voq_crossbar_pkg::queues(shape.ports()))},
            {"rounds of iSLIP", shape.value("ITERATIONS")}};
  }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    check_vc_order(shape, name);
    const int depth = shape.value("OUT_DEPTH");
    const int packet = shape.value("PACKET_FLITS");
    if (depth >= packet) return;
    throw BadInput(
        fmt::format("{}: OUT_DEPTH of a {} switch: found {}; allowed: a packet of {} flits or more",
                    name, shape.kind->name(), depth, packet));
  }
};

}  // namespace

const SwitchKind& voq_crossbar_kind() {
  static const VoqCrossbarKind kKind;
  return kKind;
}

}  // namespace fredsim
