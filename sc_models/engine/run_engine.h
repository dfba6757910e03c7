// SPDX-License-Identifier: Apache-2.0
// Interface of a run of operations by either engine to whoever issues them: frame of the run, and its results.
//
// Errors: those of the engine (operations/operation_engine.h) and of what the run issues.
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

// Progress of the run under way, for a progress display.
struct Progress {
  std::uint64_t cycle = 0;
  std::uint64_t bytes_delivered = 0;  // bytes of results complete at the NPUs, all together
  std::uint64_t bytes_total = 0;
  // Work as it takes time: that of the first round, and that of later ones, which may be replayed. In the engine's unit.
  struct Work {
    double done = 0, total = 0;
  };
  Work first{}, repeated{};
};

// Steps of a run that are its own.
struct RunSteps {
  std::vector<const Part*> parts{};  // parts of its result, for the machine's observers
  std::uint64_t total_bytes = 0;     // bytes of results, at all NPUs
  std::uint64_t operations = 0;
  bool routes = true;             // Communicator::begin()
  bool memoises = true;           // Communicator::skip_idle()
  std::function<void()> issue{};  // issues operations before cycle 0
  std::vector<std::shared_ptr<const PreparedPlan>>
      expected{};  // issued later; Communicator::expect()
  // Issues of the first round by plan, such as the first iteration; empty: all are.
  std::vector<std::uint64_t> first_issues{};
  // Cycles of the run, once all is complete; none: those until the last operation is.
  std::function<std::uint64_t()> cycles{};
  // After the run, complete and balanced, or stopped: what the engine leaves out.
  std::function<void(RunResult&)> fill{};
};

class RunEngine {
 public:
  RunEngine() = default;
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;
  virtual ~RunEngine() = default;

  // Arrivals of NPUs at the operations of the run; those who issue see to them.
  void set_arrivals(const Arrivals& arrivals) { arrivals_ = arrivals; }
  const Arrivals& arrivals() const { return arrivals_; }

  virtual const Topology& topology() const = 0;
  virtual std::uint64_t seed() const = 0;  // seed of the payload
  virtual OperationEngine& operations() = 0;
  // Plans of the run as they are to be issued, in the order in which it was given them.
  virtual const std::vector<std::shared_ptr<const PreparedPlan>>& plans() const = 0;
  virtual bool is_observed() const { return false; }  // operations need their labels
  // All of the run, until everything that was issued is complete or it is stopped, which is marked as incomplete.
  virtual RunResult run(const RunSteps& steps,
                        const std::function<void(const Progress&)>& on_progress) = 0;
  // RunResult::operations.
  virtual void fill_operations(RunResult& result) const = 0;

 private:
  Arrivals arrivals_{};
};

}  // namespace fredsim
