// SPDX-License-Identifier: Apache-2.0
#include "bus_kind.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bus_twin.h"
#include "rtl/bus_pkg.h"

namespace fredsim {
namespace {

class BusKind final : public SwitchKind {
 public:
  BusKind() : SwitchKind(switch_facts("bus")) {}

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<BusTwin>(shape);
  }
  std::uint32_t identity() const override { return bus_pkg::BUS_ID; }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }

  bool has(const CounterInfo& counter) const override {
    return counter.value == &SwitchCounters::stall_credit ||
           counter.value == &SwitchCounters::stall_arbiter ||
           counter.value == &SwitchCounters::stall_link;
  }

  void show_control(GtkwaveSave& save, const WaveScope& top, int /*ports*/) const override {
    const auto bus = top.around("i_arbiter");
    if (!bus) return;  // RTL of a user's own
    const WaveScope arbiter = bus->inside("i_arbiter");
    save.group("bus", true, [&] {
      arbiter.show(TraceFormat::kBinary, "pop_o");
      arbiter.show(TraceNames::kVc, "pop_vc_o");
      arbiter.show(TraceFormat::kDecimal, "pop_to_o");
      arbiter.show(TraceFormat::kDecimal, "stall_credit_o");
      arbiter.show(TraceFormat::kDecimal, "stall_arbiter_o");
      arbiter.show(TraceFormat::kBinary, "stall_link_o");
    });
  }
  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int /*ports*/) const override {
    const auto bus = top.around("i_arbiter");
    if (!bus) return;
    const WaveScope input = bus->inside(fmt::format("gen_input[{}].i_input", port));
    save.group("input buffer, credits", false, [&] {
      input.show(TraceFormat::kBinary, "pop_i");
      show_each_vc(save, [&](int vc) {
        input.show(TraceFormat::kBinary, "hol", "hol_o", vc, kNumVcs);
        bus->inside(fmt::format("gen_output[{}].gen_vc[{}].i_credits", port, vc))
            .show(TraceFormat::kDecimal, "credits", "credits_q", 0, 1);
      });
    });
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("bus({})", shape.ports());
  }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    check_vc_order(shape, name);
    // A packet starts only where a receiver has room for the longest.
    if (shape.value("VC_DEPTH") >= shape.value("PACKET_FLITS")) return;
    throw BadInput(
        fmt::format("{}: VC_DEPTH of a bus switch: found {}; allowed: {} or more, a packet", name,
                    shape.value("VC_DEPTH"), shape.value("PACKET_FLITS")));
  }
};

}  // namespace

const SwitchKind& bus_kind() {
  static const BusKind kKind;
  return kKind;
}

}  // namespace fredsim
