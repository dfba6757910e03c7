// SPDX-License-Identifier: Apache-2.0
// Surplus of the steps of a system's plans (systems/system_plan.h) over flows, by exact runs on the
// blocks of their dimensions alone.
//
// A step has that of an exact run of the same; one of more than kMaxStepHops flits x links that of
//   a work on the block (runner/detail/machine_calibration.h), where that is too much of other
//   sizes, and then its error is unmeasured. Groups that do the same beside each other in a switch,
//   or in a block where all are joined, share no link there: one of them is measured. Steps that
//   differ in nothing but which NPUs of a switch, or of a block where all are joined, take part,
//   are the same.
// A block of these with too many ports for the exact engine: a step of one group has the surplus of
//   a block of kFewNpus or of kMoreNpus; of a larger group, that which all NPUs of these two have
//   with as many bytes from each NPU to each other, extrapolated as a line. Other steps there, and
//   those of which exact runs would take long, have none.
// Errors: those of run_plan() and reload_config(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "runner/detail/machine_calibration.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr int kFewNpus = 16, kMoreNpus = 32;
inline constexpr std::uint64_t kMaxStepHops = 1'000'000;

// A block that is no machine, of another size: settings of a machine file under which dimension d
// has sizes[d] NPUs, its links as many to each neighbour and as wide; 0, or past the end: its own.
std::vector<std::string> resized_settings(const MachineConfig& config,
                                          const std::vector<int>& sizes);

class StepSurplus {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs. `config` must outlive
  // it.
  StepSurplus(const MachineConfig& config, const FabricOptions& options, const std::string& name);

  // From an SC_THREAD. Of the steps of a plan, 0 where they are not known; measured where all are,
  // at their sizes.
  Surplus of(const SystemPlan& plan);
  // "; pod of 128 extrapolated from 16 and 32", or empty.
  std::string extrapolations() const;

 private:
  struct Block {
    std::shared_ptr<const Topology> topology{};
    std::unique_ptr<Machine> machine{};
    std::unique_ptr<MachineCalibration> calibration{};
    int size() const { return static_cast<int>(topology->npus.size()); }
  };
  // By what makes a step's plan the same.
  using StepShape = std::tuple<int, Collective, std::uint64_t, int,
                               std::vector<std::tuple<std::string, int, std::vector<NodeId>>>>;

  static Block block_on(std::shared_ptr<const Topology> topology, const FabricOptions& options,
                        const std::string& name);
  MachineCalibration::OfPlan of_step(int dimension,
                                     std::vector<Part> parts);  // members of the block
  MachineCalibration::OfPlan measured(int dimension, const std::vector<Part>& parts) const;

  const MachineConfig& config_;
  // By dimension: the block, or of one with too many ports two smaller ones; or none.
  std::vector<std::vector<Block>> blocks_;
  std::map<StepShape, MachineCalibration::OfPlan> known_;
};

}  // namespace fredsim
