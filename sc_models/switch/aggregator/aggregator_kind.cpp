// SPDX-License-Identifier: Apache-2.0
#include "switch/aggregator/aggregator_kind.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "rtl/aggregator_pkg.h"
#include "switch/aggregator/adder_pool.h"
#include "switch/phased/phased_kind.h"

namespace fredsim {
namespace {

using enum TraceFormat;

class AggregatorKind final : public PhasedKind {
 public:
  AggregatorKind() : PhasedKind(switch_facts("aggregator")) {}

  PhasedNetwork network(const SwitchShape& shape) const override {
    const int ports = shape.value("P");
    const int adders = shape.value("ADDERS");
    return {.ports = ports,
            .stages = aggregator_pkg::BYPASS_STAGES,
            .config_stages = aggregator_pkg::CONFIG_STAGES,
            .config_edges = 2,
            .row_words = static_cast<int>(aggregator_pkg::row_words(ports)),
            .num_phases = static_cast<int>(aggregator_pkg::num_phases(ports)),
            .apart_levels = 0,
            .id = identity(),
            .shape = static_cast<std::uint32_t>(ports | adders << 8),
            .decode =
                [ports](std::span<const std::uint32_t> row) {
                  return decode_sums(ports, row, sequential_sum);
                },
            .make_interconnect = [ports,
                                  adders] { return std::make_unique<AdderPool>(ports, adders); }};
  }
  std::uint32_t identity() const override { return aggregator_pkg::AGGREGATOR_ID; }
  // An adder takes one operand an edge.
  std::optional<SwitchTiming> timing(const SwitchShape& shape) const override {
    SwitchTiming timing = *PhasedKind::timing(shape);
    timing.sum = timing.per_operand = 1;
    return timing;
  }

  // A crossbar in which any flow may use any adder: disjoint flows may wait for each other, but do
  // not conflict.
  RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const override {
    check_flows(shape.ports(), flows);
    RoutedFlows routed{.routed = true};
    for (const Flow& flow : flows) routed.order.push_back(sequential_sum(flow.inputs));
    return routed;
  }
  std::string describe_conflict(const SwitchShape& /*shape*/, const ConflictingFlows& /*conflict*/,
                                std::span<const std::string> /*names*/) const override {
    throw std::logic_error("flows do not conflict in an aggregator");
  }

  void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const override {
    PhasedKind::show_control(save, top, ports);
    if (const auto pool = top.around("i_scheduler")) {
      save.group("adders", true, [&] { show_pool(save, *pool); });
    }
  }
  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const override {
    PhasedKind::show_port(save, top, port, ports);
    const auto pool = top.around("i_scheduler");
    if (!pool) return;
    const WaveScope operands = pool->inside(fmt::format("gen_input[{}].i_operands", port));
    save.group("operands", false, [&] {
      operands.show(TraceFormat::kDecimal, "flits", "count_q", 0, 1);
      operands.show(kBinary, "write", "write_i", 0, 1);
      operands.show(kBinary, "read", "read_i", 0, 1);
    });
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("aggregator({})", shape.ports());
  }
  std::string_view parts_title() const override {
    return "adders of one chiplet, for every lane: a pool for all flows";
  }
  std::vector<NamedValue> parts(const SwitchShape& shape) const override {
    return {{"adders", shape.value("ADDERS")}};
  }

 private:
  // Shows the flows that wait for an adder, the reason why no more flits of them fire, and the
  // state of every adder.
  static void show_pool(GtkwaveSave& save, const WaveScope& pool) {
    const WaveScope scheduler = pool.inside("i_scheduler");
    scheduler.show(kBinary, "flows_that_wait", "waiting_o", 0, 1);
    scheduler.show(kBinary, "flows_held_back", "hold_o", 0, 1);
    scheduler.show(kBinary, "adders_free", "free_i", 0, 1);
    pool.show(kBinary, "phase_waits_for_sums", "pending", 0, 1);
    for (int k = 0;; ++k) {
      const WaveScope adder = pool.inside(fmt::format("gen_adder[{}]", k));
      if (!adder.around("i_adder")) return;
      save.group(fmt::format("adder {}", k), false, [&] {
        adder.show(kBinary, "starts_flow_of_inputs", "start_first", 0, 1);
        const WaveScope inside = adder.inside("i_adder");
        inside.show(kBinary, "looks_for_operands", "active_o", 0, 1);
        inside.show(kBinary, "last_operand", "last_o", 0, 1);
        inside.show(kBinary, "reads_inputs", "read_o", 0, 1);
        inside.show(kBinary, "adds", "add3_q", 0, 1);
        inside.show(kBinary, "sum_to_outputs", "sum_to_o", 0, 1);
      });
    }
  }
};

}  // namespace

const SwitchKind& aggregator_kind() {
  static const AggregatorKind kKind;
  return kKind;
}

}  // namespace fredsim
