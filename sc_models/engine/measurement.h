// SPDX-License-Identifier: Apache-2.0
// Measurement of a fabric between two moments, in the form of a result of `fredsim run`: for
// testbenches with NPUs of their own (testbenches/tb_own_npu).
//
// Use: construct it when the work begins, in an SC_THREAD, once the fabric is ready
//   (Fabric::wait_until_ready); call result() when the work has ended. Results go into the same
//   table and the same JSON as fredsim's: run_table() (report/run_table.h), results_json()
//   (report/json.h); fields that do not apply are "-" there, or null.
// Cycles: as in `fredsim run`. The first is the edge after construction, at which a packet given to
//   a NIC at that time can leave; the last is the edge before result(), at which the delivery that
//   ended the work was made. Bytes count whole flits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/window_counts.h"
#include "fabric/fabric.h"
#include "results/results.h"

namespace fredsim {

// Description of the work, in the testbench's own words. Fields left out do not apply.
struct OwnWork {
  std::string collective;
  std::string algorithm;
  const MachineConfig* machine = nullptr;  // the machine file
  // numbers of NPUs that took part; empty: all that sent or received
  std::vector<int> group{};
  std::optional<std::uint64_t> size_bytes{};
  std::optional<double> bus_factor{};  // busbw / algbw: bus_factor() in plan/collective.h
  std::optional<std::uint64_t> seed{};
  std::string payload{};  // "exact" if the testbench has checked it
};

class Measurement {
 public:
  // The fabric must outlive it.
  explicit Measurement(Fabric& fabric);
  std::uint64_t cycles() const;  // cycles so far
  RunResult result(const OwnWork& work) const;

 private:
  void fill_traffic(RunResult& result) const;
  std::vector<int> npus_with_traffic(const RunResult& result) const;

  Fabric& fabric_;
  std::uint64_t first_edge_;
  std::chrono::steady_clock::time_point wall_start_ = std::chrono::steady_clock::now();
  FabricCounts before_;
};

}  // namespace fredsim
