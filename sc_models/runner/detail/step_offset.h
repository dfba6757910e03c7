// SPDX-License-Identifier: Apache-2.0
// Calibration offsets of the steps of a system's plans (systems/system_plan.h) over flows, by exact
// runs on single blocks of their dimensions.
//
// A step is measured by an exact run of the same step on its block. A step of more than
//   kMaxStepHops flits x links is treated like a work on the block
//   (runner/detail/machine_calibration.h): if it is too large for an exact run, its offset comes
//   from other sizes and its error is unmeasured. In a switch, or a block in which all NPUs are
//   joined, groups with equal concurrent work share no link: only one of them is measured. In such
//   a block, steps that differ only in the participating NPUs are one step.
// A switch or such a block with too many ports for the exact engine is measured on smaller blocks
//   of kFewNpus and kMoreNpus NPUs, for steps of one group only. A group that fits into one of them
//   is measured there. For a larger group, the offsets of groups of all NPUs of the two blocks,
//   with as many bytes between each pair, are extrapolated on a line. All other steps there have no
//   offset.
// Errors: errors of run_plan() and reload_config(); Interrupted, while exact runs are in progress.
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

// Settings that resize a block that is no machine: under them dimension d has sizes[d] NPUs, with
// the same number and width of links to each neighbour; 0, or past the end: size unchanged.
std::vector<std::string> resized_settings(const MachineConfig& config,
                                          const std::vector<int>& sizes);

class StepOffset {
 public:
  // Elaborates the machines of the exact runs; called before the simulation begins. `config` must
  // outlive the object.
  StepOffset(const MachineConfig& config, const FabricOptions& options, const std::string& name);

  // Offsets of the steps of a plan, 0 if unknown; measured if all steps are, at their sizes. Called
  // from an SC_THREAD.
  CalibrationOffset of(const SystemPlan& plan);
  // "; pod of 128 extrapolated from 16 and 32", or empty.
  std::string extrapolations() const;

 private:
  struct Block {
    std::shared_ptr<const Topology> topology{};
    std::unique_ptr<Machine> machine{};
    std::unique_ptr<MachineCalibration> calibration{};
    int size() const { return static_cast<int>(topology->npus.size()); }
  };
  // Key of a step: steps with equal plans share it.
  using StepShape = std::tuple<int, Collective, std::uint64_t, int,
                               std::vector<std::tuple<std::string, int, std::vector<NodeId>>>>;

  static Block block_on(std::shared_ptr<const Topology> topology, const FabricOptions& options,
                        const std::string& name);
  MachineCalibration::OfPlan of_step(int dimension,
                                     std::vector<Part> parts);  // members of the block
  MachineCalibration::OfPlan measured(int dimension, const std::vector<Part>& parts) const;

  const MachineConfig& config_;
  // Blocks by dimension: the block itself; two smaller ones if it has too many ports; or none.
  std::vector<std::vector<Block>> blocks_;
  std::map<StepShape, MachineCalibration::OfPlan> known_;
};

}  // namespace fredsim
