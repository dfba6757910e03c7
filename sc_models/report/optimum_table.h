// SPDX-License-Identifier: Apache-2.0
// Results of `fredsim optimize` as a table and JSON: the bandwidth of each dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "report/table_output.h"
#include "results/document.h"

namespace fredsim {

struct OptimumSetup {
  std::string config{};
  Settings settings{};
  std::vector<MachineKey> machine{};
  std::string fabric{};
  int npus = 0;
  bool is_flow = false;
  bool has_cost = false;
  std::string accounting{};
  double total_gbps = 0;
  std::vector<std::string> constraints{};
  std::vector<std::string> workloads{};
  std::vector<double> weights{};
};

struct OptimumResult {
  struct Bandwidth {
    std::string dimension{}, block{};
    double gbps = 0;
    double dollars = 0;  // cost per GB/s of an NPU
  };
  std::vector<Bandwidth> bandwidths{};
  double objective = 0, time_ns = 0;
  double dollars = 0;  // the whole network
  std::optional<double> equal_over_optimum{};
  bool converged = false;
  std::uint64_t evaluations = 0;
};

TitledTable optimum_table(const OptimumSetup& setup, const OptimumResult& result);
// Result in a sentence, below the table.
std::string optimum_summary(const OptimumSetup& setup, const OptimumResult& result);
std::string optimum_legend(const OptimumSetup& setup);
std::string optimum_json(const Origin& origin, const OptimumSetup& setup,
                         const OptimumResult& result);

}  // namespace fredsim
