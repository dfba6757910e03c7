// SPDX-License-Identifier: Apache-2.0
// Plans of the steps of a system's plan (systems/system_plan.h) on the blocks of their dimensions,
// each made once, and their times.
//
// Times: estimated, not simulated: the transfer time of the busiest link, and the link latencies
// along the longest path.
// Errors: errors of the planner, with the dimension.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/collective_spec.h"
#include "plan/plan.h"
#include "systems/detail/system_stages.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr char kThenGathers = '+';

class StepPlans {
 public:
  // Members of the parts of a step, by root and places, with the collectives that share them.
  using Members = std::map<std::pair<int, std::vector<int>>, std::vector<int>>;
  struct Time {
    double transfer = 0, latency = 0;  // ns
  };

  // `system` must outlive the object.
  explicit StepPlans(const Topology& system) : system_(system) {}

  // `algorithm`: a name, or two names joined by +, the second for all-gathers. `asked` supplies the
  // virtual channel.
  std::shared_ptr<const Plan> plan(const Stage& stage, const std::string& algorithm,
                                   const CollectiveSpec& asked, const Members& members);
  Time time(const Stage& stage, const std::string& algorithm, const CollectiveSpec& asked,
            const Members& members);
  // Notes of all plans, without duplicates.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Shape = std::tuple<int, Collective, std::uint64_t, std::string, int,
                           std::vector<std::pair<int, std::vector<int>>>>;

  const Topology& system_;
  std::map<Shape, std::shared_ptr<const Plan>> plans_;
  std::map<const Plan*, Time> times_;  // looked up, never iterated
  std::vector<std::string> notes_;
};

}  // namespace fredsim
