// SPDX-License-Identifier: Apache-2.0
// Interface of a run of operations on either engine: frame of the run, and its results.
//
// Errors: the engine's (operations/operation_engine.h) and the run's issues'.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "operations/arrivals.h"
#include "operations/operation_engine.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

// Progress of the current run, for a progress display.
struct Progress {
  std::uint64_t cycle = 0;
  std::uint64_t bytes_delivered = 0;  // bytes of complete results, summed over the NPUs
  std::uint64_t bytes_total = 0;
  // Work in terms of time, in the engine's unit: of the first round, and of later rounds, which may
  // be replayed.
  struct Work {
    double done = 0, total = 0;
  };
  Work first{}, repeated{};
};

// Steps of a run that its issuer defines.
struct RunSteps {
  std::vector<const Part*> parts{};  // parts of its result, for the machine's observers
  std::uint64_t total_bytes = 0;     // bytes of results, at all NPUs
  std::uint64_t operations = 0;
  bool routes = true;             // argument of Communicator::begin()
  bool memoises = true;           // argument of Communicator::skip_idle()
  std::function<void()> issue{};  // issues operations before cycle 0
  std::vector<std::shared_ptr<const PreparedPlan>>
      expected{};  // issued later; Communicator::expect()
  // Issues of the first round by plan, such as the first iteration; empty: all issues.
  std::vector<std::uint64_t> first_issues{};
  // Cycles of the run, once all is complete; no function: the cycles of the last completion.
  std::function<std::uint64_t()> cycles{};
  // Called after the run, complete and balanced, or stopped: fills the fields that the engine
  // leaves out.
  std::function<void(RunResult&)> fill{};
};

class RunEngine {
 public:
  RunEngine() = default;
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;
  virtual ~RunEngine() = default;

  // Arrivals of NPUs at the operations of the run; the issuers apply them.
  void set_arrivals(const Arrivals& arrivals) { arrivals_ = arrivals; }
  const Arrivals& arrivals() const { return arrivals_; }

  virtual const Topology& topology() const = 0;
  virtual std::uint64_t seed() const = 0;  // seed of the payload
  virtual OperationEngine& operations() = 0;
  // Plans of the run, ready to be issued, in the order in which it was given them.
  virtual const std::vector<std::shared_ptr<const PreparedPlan>>& plans() const = 0;
  virtual bool is_observed() const { return false; }  // operations need their labels
  // Runs until all issued operations are complete or the run is stopped; a stopped result is marked
  // as incomplete.
  virtual RunResult run(const RunSteps& steps,
                        const std::function<void(const Progress&)>& on_progress) = 0;
  // Fills RunResult::operations.
  virtual void fill_operations(RunResult& result) const = 0;

 private:
  Arrivals arrivals_{};
};

}  // namespace fredsim
