// SPDX-License-Identifier: Apache-2.0
// Results of `fredsim optimize --topology` as a table and JSON: a network without switches, and the
// strategy for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "report/table_output.h"
#include "results/document.h"

namespace fredsim {

struct NetworkSetup {
  std::string config{};
  Settings settings{};
  std::vector<MachineKey> machine{};
  std::string fabric{};
  int npus = 0, degree = 0;
  double link_gbps = 0, link_latency_ns = 0;
  bool primes = false, both_ways = false, each = false;
  int paths = 0;
  std::uint64_t seed = 0;
  std::string accounting{}, workload{};
  std::uint64_t minibatch = 0;  // 0: given by a text workload
};

struct NetworkResult {
  struct Rings {
    int members = 0, groups = 0;
    std::vector<int> jumps{};
  };
  struct Round {
    std::string strategy{};
    double time_ns = 0;
  };
  std::string strategy{}, switch_strategy{};
  double time_ns = 0, switch_time_ns = 0, best_switch_time_ns = 0;
  int ring_interfaces = 0, pair_interfaces = 0;
  std::vector<Rings> rings{};
  bool has_joining_ring = false;
  std::vector<int> matchings{};  // pairs in each matching
  int links = 0, diameter = 0;
  std::vector<Round> rounds{};
  bool converged = false;
  int evaluations = 0;
};

TitledTable network_table(const NetworkSetup& setup, const NetworkResult& result);
std::string network_legend(const NetworkResult& result);
std::string network_json(const Origin& origin, const NetworkSetup& setup,
                         const NetworkResult& result);

}  // namespace fredsim
