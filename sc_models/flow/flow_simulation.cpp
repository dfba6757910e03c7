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
  if (demand.uses.empty() || amount <= 0) return end_at_once();
  const FairRates::FlowClass flows = rates_.add(demand);
  add(flows, next_flow_, amount);
  return next_flow_++;
}

FlowSimulation::Flow FlowSimulation::begin(FairRates::FlowClass flows, double amount) {
  if (amount <= 0) return end_at_once();
  rates_.add(flows);
  add(flows, next_flow_, amount);
  return next_flow_++;
}

FlowSimulation::Flow FlowSimulation::end_at_once() {
  call_at(now_, [this, flow = next_flow_] {
    if (on_end_) on_end_(flow);
  });
  return next_flow_++;
}

void FlowSimulation::add(FairRates::FlowClass flows, Flow flow, double amount) {
  if (progress_.size() <= static_cast<std::size_t>(flows)) {
    progress_.resize(flows + 1);
    ends_.resize(progress_.size());
  }
  Progress& progress = progress_[flows];
  if (progress.targets.empty()) {
    progress.moved = progress.rate = 0;
    progress.at = now_;
  }
  settle(progress);
  progress.targets.emplace(progress.moved + amount, flow);
  touch(flows);
  ++moving_;
}

void FlowSimulation::touch(FairRates::FlowClass flows) {
  if (!std::exchange(progress_[flows].is_touched, true)) touched_.push_back(flows);
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
  for (const FairRates::FlowClass flows : updated) set_rate(flows);
  for (const FairRates::FlowClass flows : touched_)
    if (std::exchange(progress_[flows].is_touched, false)) set_rate(flows);
  touched_.clear();
}

void FlowSimulation::set_rate(FairRates::FlowClass flows) {
  Progress& progress = progress_[flows];
  progress.is_touched = false;
  const double rate = rates_.rate(flows);
  if (rate != progress.rate) settle(progress);
  progress.rate = rate;
  set_end(flows);
}

void FlowSimulation::set_end(FairRates::FlowClass flows) {
  const Progress& progress = progress_[flows];
  if (progress.targets.empty() || progress.rate <= 0) return ends_.set(flows, kNever);
  const double left = std::max(0.0, progress.targets.top().first - progress.moved);
  ends_.set(flows, progress.at + left / progress.rate);
}

// All flows that end up to a time, which is as good as now.
void FlowSimulation::end_flows(double until) {
  ended_.clear();
  while (ends_.min() <= until) {
    const auto flows = static_cast<FairRates::FlowClass>(ends_.min_place());
    Progress& progress = progress_[flows];
    settle(progress);
    const double moved = std::max(progress.moved, progress.targets.top().first);
    while (!progress.targets.empty() && progress.targets.top().first <= latest_same(moved)) {
      ended_.emplace_back(flows, progress.targets.top().second);
      progress.targets.pop();
      rates_.remove(flows);
    }
    progress.moved = moved;
    touch(flows);
    ends_.set(flows, kNever);  // until its rate is known again
  }
  std::ranges::sort(ended_);
  moving_ -= ended_.size();
  if (!on_end_) return;
  for (const auto& [flows, flow] : ended_) on_end_(flow);
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
