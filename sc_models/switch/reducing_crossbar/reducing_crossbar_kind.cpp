#include "switch/reducing_crossbar/reducing_crossbar_kind.h"

#include <fmt/format.h>

#include <stdexcept>

#include "rtl/reducing_crossbar_pkg.h"
#include "switch/phased/phased_kind.h"

namespace fredsim {
namespace {

// The trees add what the flows say; a row has nothing else.
PhasedRow decode_row(int ports, std::span<const std::uint32_t> words) {
  PhasedRow row = decode_flows(ports, words);
  for (const PhasedRow::Flow& flow : row.flows) {
    const SumOrder order = balanced_sum(ports, flow.inputs);
    for (int p = 0; p < ports; ++p) {
      if ((flow.outputs >> p & 1U) != 0) add_output(row, order.postfix, p);
    }
  }
  return row;
}

class ReducingCrossbarKind final : public PhasedKind {
 public:
  ReducingCrossbarKind() : PhasedKind(switch_facts("reducing_crossbar")) {}

  PhasedNetwork network(const SwitchShape& shape) const override {
    const int ports = shape.value("P");
    return {
        .ports = ports,
        .stages = static_cast<int>(reducing_crossbar_pkg::stages(ports)),
        .config_stages = reducing_crossbar_pkg::CONFIG_STAGES,
        .config_edges = 2,
        .row_words = static_cast<int>(reducing_crossbar_pkg::row_words(ports)),
        .num_phases = static_cast<int>(reducing_crossbar_pkg::num_phases(ports)),
        .apart_levels = 0,
        .id = identity(),
        .shape = static_cast<std::uint32_t>(ports),
        .decode = [ports](std::span<const std::uint32_t> row) { return decode_row(ports, row); }};
  }
  std::uint32_t identity() const override { return reducing_crossbar_pkg::REDUCING_CROSSBAR_ID; }

  // Every output has a tree of its own, so disjoint flows never meet.
  RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const override {
    const int ports = shape.ports();
    check_flows(ports, flows);
    RoutedFlows routed{.routed = true};
    for (const Flow& flow : flows) routed.order.push_back(balanced_sum(ports, flow.inputs));
    return routed;
  }
  std::string describe_conflict(const SwitchShape& /*shape*/, const ConflictingFlows& /*conflict*/,
                                std::span<const std::string> /*names*/) const override {
    throw std::logic_error("flows do not conflict in a reducing crossbar");
  }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("reducing crossbar({})", shape.ports());
  }
  std::string_view parts_title() const override {
    return "adders of one chiplet, for every lane: a tree at every output";
  }
  std::vector<NamedValue> parts(const SwitchShape& shape) const override {
    const int ports = shape.ports();
    return {{"trees", ports}, {"adders", ports * (ports - 1)}};
  }
};

}  // namespace

const SwitchKind& reducing_crossbar_kind() {
  static const ReducingCrossbarKind kKind;
  return kKind;
}

}  // namespace fredsim
