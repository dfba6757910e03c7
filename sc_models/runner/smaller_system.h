// SPDX-License-Identifier: Apache-2.0
// A small system of the same blocks as a large one (topology/system.h), on which the error of flows is measured.
//
// Sizes: those of the smallest such system with kMeasuredNpus NPUs, or as many as the large one has: blocks that are machines keep theirs, the
//   largest of the others are halved first, and no ring gets below 4 but to 2.
// Collectives: of as many NPUs in each dimension as on the large one, or all that there are, at the lowest places.
// Errors: those of reload_config(), plan_system() and exact runs; Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "runner/step_surplus.h"
#include "systems/system_plan.h"

namespace fredsim {

inline constexpr int kMeasuredNpus = 64;
inline constexpr std::uint64_t kMaxCheckedHops = 1'000'000;  // flits x links of an exact run

std::vector<int> smaller_sizes(const Topology& system);

class SmallerSystem {
 public:
  struct Checked {
    std::uint64_t bytes = 0;
    double exact = 0, flow = 0;  // cycles
    double percent() const;      // by which they differ
  };

  // Before the simulation begins: elaborates the machines of the exact runs. `system` must outlive it.
  SmallerSystem(const MachineConfig& system, const FabricOptions& options, const std::string& name);

  // From an SC_THREAD. Of one of SystemPlan::collectives of the large system, with so many bytes; none: it would take long, a step
  // has no surplus, or the system cannot run exactly.
  std::optional<Checked> check(const Part& collective, std::uint64_t bytes,
                               const Chunking& chunking);
  // The same with its bytes halved until it does not take long.
  std::optional<Checked> check_halved(const Part& collective, const Chunking& chunking);
  // It is as large as the large one, and runs exactly.
  bool is_whole() const;
  // From an SC_THREAD. Of a plan of the large system, where it is as large.
  RunResult exact_run(const SystemPlan& plan);
  std::string name() const;  // "system with 64 NPUs"

 private:
  CollectiveSpec spec_here(const Part& collective) const;

  const MachineConfig& system_;
  MachineConfig smaller_;
  std::unique_ptr<StepSurplus> surplus_{};  // null: it cannot run exactly
  std::unique_ptr<Machine> machine_{};
  // Collective, algorithms, bytes, virtual channel, chunks, group and root.
  using Shape =
      std::tuple<Collective, std::string, std::uint64_t, int, Chunking, std::vector<int>, int>;
  std::map<Shape, std::optional<Checked>> known_;
};

}  // namespace fredsim
