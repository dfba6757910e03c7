// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_run.h"

#include <algorithm>
#include <utility>

#include "flow/flow_plan.h"
#include "flow/flow_simulation.h"
#include "flow/phase_turns.h"

namespace fredsim {
namespace {

class FlowRun {
 public:
  FlowRun(const Topology& topology, const Plan& plan, std::span<const double> offset,
          const FlowLifts& lifts)
      : plan_(plan),
        offset_(offset),
        turns_(topology, lifts.turns),
        trees_(flows_of(topology, plan, true, lifts)),
        stays_(turns_.add(plan, trees_)),
        simulation_(turns_.capacities(), credit_limits(topology)),
        parts_(plan.parts.size()),
        trees_of_(plan.parts.size()) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      TreeFlow& tree = trees_[t];
      trees_of_[tree.part].push_back(t);
      // A tree without links has nothing to move, whatever its class.
      if (tree.demand.uses.empty()) tree.flits = 0;
      classes_.push_back(tree.flits > 0 ? simulation_.keep(std::move(tree.demand)) : 0);
    }
    for (int p = 0; p < std::ssize(plan.parts); ++p) {
      parts_[p].waits_for = plan.parts[p].after.size();
      for (const int before : plan.parts[p].after) parts_[before].others.push_back(p);
    }
  }

  FlowTimes run() {
    simulation_.on_end([this](FlowSimulation::Flow flow) { end_tree(tree_of_[flow]); });
    for (int p = 0; p < std::ssize(parts_); ++p)
      if (parts_[p].waits_for == 0) begin_at_start(p);
    simulation_.run();
    times_.parts.clear();
    for (const PartState& part : parts_) {
      times_.parts.push_back({part.start, part.end});
      times_.end = std::max(times_.end, part.end);
    }
    times_.flows = simulation_.flows();
    times_.updates = simulation_.updates();
    return std::move(times_);
  }

 private:
  struct PartState {
    std::size_t waits_for = 0;  // parts
    std::vector<int> others{};  // parts that wait for this one
    std::size_t trees_left = 0;
    double start = 0, end = 0;
  };

  void begin_at_start(int part) {
    simulation_.call_at(static_cast<double>(plan_.parts[part].start_cycle),
                        [this, part] { begin(part); });
  }

  void begin(int part) {
    PartState& state = parts_[part];
    state.start = state.end = simulation_.now();
    state.trees_left = trees_of_[part].size();
    if (state.trees_left == 0) return complete(part);
    turns_.begin(plan_.parts[part], stays_[part], simulation_);
    for (const std::size_t t : trees_of_[part]) {
      tree_of_.push_back(t);
      simulation_.begin(classes_[t], trees_[t].flits);
    }
  }

  void end_tree(std::size_t tree) {
    const int part = trees_[tree].part;
    PartState& state = parts_[part];
    const double moved = simulation_.now() - state.start;
    state.end = std::max(state.end, state.start + with_fill(trees_[tree], moved));
    if (--state.trees_left > 0) return;
    turns_.end(plan_.parts[part], stays_[part], simulation_);
    if (!offset_.empty()) state.end = std::max(state.start, state.end + offset_[part]);
    simulation_.call_at(state.end, [this, part] { complete(part); });
  }

  void complete(int part) {
    for (const int other : parts_[part].others)
      if (--parts_[other].waits_for == 0) begin_at_start(other);
  }

  const Plan& plan_;
  const std::span<const double> offset_;
  PhaseTurns turns_;
  std::vector<TreeFlow> trees_;           // without their demands
  std::vector<PhaseTurns::Stays> stays_;  // by part
  FlowSimulation simulation_;
  std::vector<FairRates::FlowClass> classes_;  // by tree
  std::vector<PartState> parts_;
  std::vector<std::vector<std::size_t>> trees_of_;  // by part
  std::vector<std::size_t> tree_of_;                // by flow
  FlowTimes times_;
};

}  // namespace

FlowTimes run_flows(const Topology& topology, const Plan& plan, std::span<const double> offset,
                    const FlowLifts& lifts) {
  return FlowRun(topology, plan, offset, lifts).run();
}

}  // namespace fredsim
