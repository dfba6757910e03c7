// SPDX-License-Identifier: Apache-2.0
// Common part of the kinds of switches with a phase store (rtl/phased/phased_switch.sv): everything
// but their interconnects.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "switch/phased/phased_routes.h"
#include "switch/phased/phased_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {

class PhasedKind : public SwitchKind {
 public:
  using SwitchKind::SwitchKind;

  virtual PhasedNetwork network(const SwitchShape& shape) const = 0;
  // Routing of online unicasts: by a table, unless a kind overrides it.
  virtual std::unique_ptr<PhasedRoutes> routes(const SwitchShape& shape) const;

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& name) const override;
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }
  int num_phases(const SwitchShape& shape) const override;
  int phase_words(const SwitchShape& shape) const override;
  std::optional<SwitchTiming> timing(const SwitchShape& shape) const override;
  std::vector<std::uint32_t> phase_row(const SwitchShape& shape, int vc,
                                       std::span<const Flow> flows,
                                       const RoutedFlows& routed) const override;
  std::vector<Flow> phase_flows(const SwitchShape& shape,
                                std::span<const std::uint32_t> row) const override;
  bool has(const CounterInfo& /*counter*/) const override { return true; }
  void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const override;
  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const override;

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override;
};

}  // namespace fredsim
