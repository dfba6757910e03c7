// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr double kSame = 1e-12;  // times and amounts, in proportion
constexpr double kNever = MinTree::kNone;

double latest_same(double time) { return time + time * kSame; }

}  // namespace

FlowSimulation::Flow FlowSimulation::begin(const FairRates::Demand& demand, double amount) {
  const Flow flow = next_flow_++;
  if (demand.uses.empty() || amount <= 0) {
    call_at(now_, [this, flow] {
      if (on_end_) on_end_(flow);
    });
    return flow;
  }
  const FairRates::FlowClass flows = rates_.add(demand);
  if (progress_.size() <= static_cast<std::size_t>(flows)) {
    progress_.resize(flows + 1);
    ends_.resize(progress_.size());
  }
  Progress& progress = progress_[flows];
  if (progress.targets.empty()) progress = {.at = now_};  // a new class, maybe of an old number
  settle(progress);
  progress.targets.emplace(progress.moved + amount, flow);
  ++moving_;
  return flow;
}

void FlowSimulation::call_at(double time, std::function<void()> callback) {
  calls_.push({std::max(time, now_), next_call_++, std::move(callback)});
}

// Up to now, at the rate that it had.
void FlowSimulation::settle(Progress& progress) const {
  progress.moved += progress.rate * (now_ - progress.at);
  progress.at = now_;
}

void FlowSimulation::update_rates() {
  const auto updated = rates_.update();
  if (!updated.empty()) ++updates_;
  for (const FairRates::FlowClass flows : updated) {
    Progress& progress = progress_[flows];
    const double rate = rates_.rate(flows);
    if (rate != progress.rate) settle(progress);
    progress.rate = rate;
    set_end(flows);
  }
}

void FlowSimulation::set_end(FairRates::FlowClass flows) {
  const Progress& progress = progress_[flows];
  if (progress.targets.empty() || progress.rate <= 0) return ends_.set(flows, kNever);
  const double left = std::max(0.0, progress.targets.top().first - progress.moved);
  ends_.set(flows, progress.at + left / progress.rate);
}

// All flows that end up to a time, which is as good as now.
void FlowSimulation::end_flows(double until) {
  std::vector<std::pair<FairRates::FlowClass, Flow>> ended;
  while (ends_.min() <= until) {
    const auto flows = static_cast<FairRates::FlowClass>(ends_.min_place());
    Progress& progress = progress_[flows];
    settle(progress);
    const double moved = std::max(progress.moved, progress.targets.top().first);
    while (!progress.targets.empty() && progress.targets.top().first <= latest_same(moved)) {
      ended.emplace_back(flows, progress.targets.top().second);
      progress.targets.pop();
      rates_.remove(flows);
    }
    progress.moved = moved;
    ends_.set(flows, kNever);  // until its rate is known again
  }
  std::ranges::sort(ended);
  moving_ -= ended.size();
  if (!on_end_) return;
  for (const auto& [flows, flow] : ended) on_end_(flow);
}

void FlowSimulation::run() {
  for (;;) {
    update_rates();
    const double time = std::min(ends_.min(), calls_.empty() ? kNever : calls_.top().time);
    if (time == kNever) break;
    now_ = std::max(now_, time);
    const double until = latest_same(now_);
    while (!calls_.empty() && calls_.top().time <= until) {
      const std::function<void()> callback = calls_.top().callback;
      calls_.pop();
      callback();
    }
    end_flows(until);
  }
  if (moving_ > 0)
    throw RunFailed(fmt::format(
        "{} flows have no bandwidth, and nothing is to come that could give them some", moving_));
}

}  // namespace fredsim
