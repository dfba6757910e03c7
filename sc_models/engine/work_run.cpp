// SPDX-License-Identifier: Apache-2.0
#include "engine/work_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/communicator_run.h"
#include "engine/detail/run_observers.h"
#include "engine/joint_plans.h"
#include "engine/part_results.h"
#include "engine/simulated_plans.h"
#include "operations/system_operations.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/link_load.h"
#include "plan/operand.h"

namespace fredsim {
namespace {

// Bits of the issue in an operation's number for lags, below its batch.
constexpr int kIssueBits = 40;

bool go_together(const WorkStep& a, const WorkStep& b) {
  return a.repeat == 1 && b.repeat == 1 && a.delay == b.delay && a.after == b.after;
}

// Bound of the steps that are the longest by themselves: separate steps may be in other dimensions.
double bound_on_system(const WorkPlan& work) {
  double bound = 0;
  for (const WorkPlan::Batch& batch : work.batches)
    bound = std::max(bound, batch.plan->plan.bound_ns *
                                static_cast<double>(work.steps[batch.steps.front()].repeat));
  return bound;
}

double bound_of(const Topology& topology, const WorkPlan& work) {
  if (topology.has_blocks()) return bound_on_system(work);
  std::vector<std::uint64_t> flits(topology.links.size());
  for (const WorkPlan::Batch& batch : work.batches) {
    const std::vector<std::uint64_t> once = link_flits(topology, batch.plan->plan);
    const std::uint64_t times = work.steps[batch.steps.front()].repeat;
    for (std::size_t l = 0; l < flits.size(); ++l) flits[l] += times * once[l];
  }
  double bound = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    if (flits[l] > 0) bound = std::max(bound, flits_ns(topology.links[l], flits[l]));
  }
  return bound;
}

// Issues steps when their time comes, and collects the results.
class WorkRun {
 public:
  WorkRun(RunEngine& engine, const WorkPlan& work)
      : engine_(engine),
        engine_operations_(engine.operations()),
        work_(work),
        batches_(work.batches.size()) {
    engine_operations_.on_rank_complete(
        [this](OperationHandle handle, int, int) { rank_complete(handle); });
    engine_operations_.on_complete([this](const OperationReport& report) { complete(report); });
  }

  RunResult run(const std::function<void(const Progress&)>& on_progress) {
    return engine_.run({.parts = parts_of_result(),
                        .total_bytes = total_bytes(),
                        .operations = total_operations(),
                        .issue = [this] { issue_first_ones(); },
                        .expected = engine_.plans(),
                        .first_issues = std::vector<std::uint64_t>(batches_.size(), 1),
                        .fill = [this](RunResult& result) { fill(result); }},
                       on_progress);
  }

 private:
  struct BatchState {
    std::uint64_t issued = 0;
    OperationHandle last = 0;
    std::vector<OperationReport::PartTimes> times;  // first repetition's start, last one's end
    std::uint64_t complete = 0;
  };

  const WorkStep& step_of(std::size_t batch) const {
    return work_.steps[work_.batches[batch].steps.front()];
  }

  std::vector<const Part*> parts_of_result() const {
    std::vector<const Part*> parts;
    for (std::size_t s = 0; s < work_.steps.size(); ++s) {
      const WorkPlan::StepPlace& place = work_.places[s];
      for (int i = 0; i < std::ssize(work_.steps[s].specs); ++i)
        parts.push_back(&asked_parts(work_.batches[place.batch].plan->plan)[place.first_part + i]);
    }
    return parts;
  }

  // Label of an operation of a batch: its name, and the places of its parts in the result.
  OperationLabel label_of(std::size_t b) const {
    OperationLabel label;
    for (const int step : work_.batches[b].steps) {
      const WorkStep& of = work_.steps[step];
      label.name += (label.name.empty() ? "" : "+") +
                    (of.name.empty() ? fmt::format("step {}", step) : of.name);
      int part = 0;
      for (int before = 0; before < step; ++before)
        part += static_cast<int>(work_.steps[before].specs.size());
      for (int i = 0; i < std::ssize(of.specs); ++i) label.parts.push_back(part + i);
    }
    if (step_of(b).repeat > 1) label.name += fmt::format(" {}", batches_[b].issued + 1);
    return label;
  }

  // Issues the steps whose predecessors have all been issued.
  void issue_first_ones() {
    const auto is_issued = [&](const WorkStep::After& after) {
      const auto before = static_cast<std::size_t>(work_.places[after.step].batch);
      return batches_[before].issued == step_of(before).repeat;
    };
    for (bool some = true; some;) {
      some = false;
      for (std::size_t b = 0; b < batches_.size(); ++b) {
        if (batches_[b].issued > 0 || !std::ranges::all_of(step_of(b).after, is_issued)) continue;
        issue(b);
        some = true;
      }
    }
  }

  void issue(std::size_t b) {
    const WorkPlan::Batch& batch = work_.batches[b];
    const WorkStep& step = step_of(b);
    BatchState& state = batches_[b];
    IssueOptions options{
        .seed = operand_seed(engine_.seed(), static_cast<int>(operations_++)),
        .delay = step.delay,
        .lags = engine_.arrivals().lags(b << kIssueBits | state.issued, engine_.topology())};
    if (engine_.is_observed()) options.label = label_of(b);
    std::vector<std::uint64_t> starts;
    if (state.issued > 0) {
      options.after = {{.operation = state.last}};
    } else {
      for (const std::uint64_t start : batch.starts)
        starts.push_back(start - std::min(start, engine_operations_.cycle()));
      for (const WorkStep::After& after : step.after) {
        const WorkPlan::StepPlace& place = work_.places[after.step];
        Dependency dependency{batches_[place.batch].last, {}, after.all_ranks};
        for (int i = 0; i < std::ssize(work_.steps[after.step].specs); ++i)
          dependency.parts.push_back(place.first_part + i);
        options.after.push_back(std::move(dependency));
      }
    }
    state.last = engine_operations_.issue(engine_.plans()[b], starts, options);
    of_operation_[state.last] = b;
    ++state.issued;
  }

  // The next repetition waits for this one rank by rank, so it must be issued when the first rank
  // is complete.
  void rank_complete(OperationHandle handle) {
    const std::size_t b = of_operation_.at(handle);
    if (batches_[b].last != handle || batches_[b].issued == step_of(b).repeat) return;
    issue(b);
    if (batches_[b].issued == step_of(b).repeat) issue_first_ones();
  }

  void complete(const OperationReport& report) {
    BatchState& state = batches_[of_operation_.at(report.handle)];
    of_operation_.erase(report.handle);
    if (state.complete++ == 0) state.times = report.parts;
    for (std::size_t p = 0; p < report.parts.size(); ++p)
      state.times[p].end = std::max(state.times[p].end, report.parts[p].end);
  }

  std::uint64_t total_bytes() const {
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      total += step_of(b).repeat * result_bytes(*engine_.plans()[b]);
    }
    return total;
  }

  std::uint64_t total_operations() const {
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < batches_.size(); ++b) total += step_of(b).repeat;
    return total;
  }

  void fill(RunResult& result) const {
    engine_.fill_operations(result);
    result.bound_ns = work_.bound_ns;
    fill_parts(result);
  }

  void fill_parts(RunResult& result) const {
    std::vector<PartTime> times;
    for (std::size_t s = 0; s < work_.steps.size(); ++s) {
      const WorkPlan::StepPlace& place = work_.places[s];
      const BatchState& state = batches_[place.batch];
      for (int i = 0; i < std::ssize(work_.steps[s].specs); ++i) {
        const int p = place.first_part + i;
        PartTime time{.name = work_.steps[s].name, .operations = work_.steps[s].repeat};
        time.incomplete = state.complete < time.operations;
        if (state.complete > 0)
          time.start = state.times[p].start, time.end = state.times[p].end;
        else
          time.start = work_.batches[place.batch].starts[p];
        times.push_back(std::move(time));
      }
    }
    const std::vector<const Part*> parts = parts_of_result();
    fredsim::fill_parts(engine_.topology(), parts, times, result);
  }

  RunEngine& engine_;  // its plans are in the order of batches
  OperationEngine& engine_operations_;
  const WorkPlan& work_;
  std::vector<BatchState> batches_;
  std::map<OperationHandle, std::size_t> of_operation_;  // operations in flight
  std::uint64_t operations_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<const PreparedPlan>> plans_of(const WorkPlan& work) {
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  for (const WorkPlan::Batch& batch : work.batches) plans.push_back(batch.plan);
  return plans;
}

WorkPlan plan_steps(const Topology& topology, std::vector<WorkStep> steps, OnConflict on_conflict,
                    SystemForm form) {
  WorkPlan work;
  work.steps = std::move(steps);
  work.places.resize(work.steps.size());
  std::vector<std::vector<CollectiveSpec>> specs;
  for (int s = 0; s < std::ssize(work.steps); ++s) {
    const WorkStep& step = work.steps[s];
    const auto same = [&](const WorkPlan::Batch& batch) {
      return go_together(step, work.steps[batch.steps.front()]);
    };
    auto batch = std::ranges::find_if(work.batches, same);
    if (batch == work.batches.end()) {
      batch = work.batches.insert(batch, WorkPlan::Batch{});
      specs.emplace_back();
    }
    const auto b = batch - work.batches.begin();
    batch->steps.push_back(s);
    work.places[s] = {static_cast<int>(b), static_cast<int>(specs[b].size())};
    for (const CollectiveSpec& spec : step.specs) {
      batch->starts.push_back(spec.start_cycle);
      specs[b].push_back(spec);
    }
  }
  std::vector<ApartWork> apart;
  for (std::vector<CollectiveSpec>& of_batch : specs)
    apart.push_back({.work = std::move(of_batch)});
  const auto plans = plan_apart(topology, apart, on_conflict, form);
  for (std::size_t b = 0; b < work.batches.size(); ++b) {
    work.batches[b].plan = plans[b];
    for (const std::string& note : work.batches[b].plan->plan.notes) {
      if (std::ranges::find(work.notes, note) == work.notes.end()) work.notes.push_back(note);
    }
  }
  work.bound_ns = bound_of(topology, work);
  return work;
}

RunResult run_work(Machine& machine, const WorkPlan& work,
                   const std::function<void(const Progress&)>& on_progress, int rows,
                   const Arrivals& arrivals) {
  return run_for_wave(machine, [&] {
    ExactRun engine(machine, plans_of(work), rows);
    engine.set_arrivals(arrivals);
    return run_work(engine, work, on_progress);
  });
}

RunResult run_work(RunEngine& engine, const WorkPlan& work,
                   const std::function<void(const Progress&)>& on_progress) {
  return WorkRun(engine, work).run(on_progress);
}

}  // namespace fredsim
