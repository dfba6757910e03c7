// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

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
  progress.push({progress.moved + amount, flow});
  touch(flows);
  ++moving_;
}

void FlowSimulation::touch(FairRates::FlowClass flows) {
  if (!std::exchange(progress_[flows].is_touched, true)) touched_.push_back(flows);
}

void FlowSimulation::Progress::push(const Target& target) {
  targets.push_back(target);
  std::ranges::push_heap(targets, std::greater<>{});
}

void FlowSimulation::Progress::pop() {
  std::ranges::pop_heap(targets, std::greater<>{});
  targets.pop_back();
}

void FlowSimulation::add_call(double time, std::function<void()> callback, bool is_fixed) {
  calls_.push_back({std::max(time, now_), next_call_++, std::move(callback), is_fixed});
  std::ranges::push_heap(calls_, std::greater<>{});
}

// Advances the progress to now, at the previous rate.
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
  const double left = std::max(0.0, progress.first().first - progress.moved);
  ends_.set(flows, progress.at + left / progress.rate);
}

// Ends all flows up to a time that counts as now.
void FlowSimulation::end_flows(double until) {
  ended_.clear();
  while (ends_.min() <= until) {
    const auto flows = static_cast<FairRates::FlowClass>(ends_.min_place());
    Progress& progress = progress_[flows];
    settle(progress);
    const double moved = std::max(progress.moved, progress.first().first);
    while (!progress.targets.empty() && progress.first().first <= latest_same(moved)) {
      ended_.emplace_back(flows, progress.first().second);
      progress.pop();
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

double FlowSimulation::next_time() const {
  return std::min(ends_.min(), calls_.empty() ? kNever : calls_.front().time);
}

void FlowSimulation::settled() {
  if (!asks_settled_ || next_time() <= latest_same(now_)) return;
  asks_settled_ = false;
  on_settled_();
}

std::uint64_t FlowSimulation::move_origin() {
  const double moved = now_;
  if (moved <= 0 || std::floor(moved) != moved) return 0;
  for (Call& call : calls_) call.time -= moved;
  std::ranges::make_heap(calls_, std::greater<>{});
  for (FairRates::FlowClass flows = 0; flows < std::ssize(progress_); ++flows) {
    Progress& progress = progress_[flows];
    if (progress.targets.empty()) continue;
    settle(progress);
    for (Progress::Target& target : progress.targets) target.first -= progress.moved;
    std::ranges::make_heap(progress.targets, std::greater<>{});
    progress.moved = progress.at = 0;
  }
  origin_ += static_cast<std::uint64_t>(moved);
  now_ = 0;
  for (FairRates::FlowClass flows = 0; flows < std::ssize(progress_); ++flows)
    if (!progress_[flows].targets.empty()) set_end(flows);
  return static_cast<std::uint64_t>(moved);
}

void FlowSimulation::skip(std::uint64_t time) {
  origin_ += time;
  for (Call& call : calls_)
    if (call.is_fixed) call.time -= static_cast<double>(time);
  std::ranges::make_heap(calls_, std::greater<>{});
}

void FlowSimulation::add_state(const std::function<void(Flow)>& describe,
                               StateDigest& digest) const {
  rates_.add_state(digest);
  for (FairRates::FlowClass flows = 0; flows < std::ssize(progress_); ++flows) {
    const Progress& progress = progress_[flows];
    if (progress.targets.empty()) continue;
    digest.add(static_cast<std::uint64_t>(flows));
    digest.add(std::bit_cast<std::uint64_t>(progress.rate));
    std::vector<Progress::Target> in_order = progress.targets;
    std::ranges::sort(in_order);
    for (const auto& [target, flow] : in_order) {
      digest.add(std::bit_cast<std::uint64_t>(target));
      describe(flow);
    }
  }
}

FlowSimulation::State FlowSimulation::state() const {
  State state{.rates = rates_.state(), .moving = moving_, .next_flow = next_flow_};
  for (FairRates::FlowClass flows = 0; flows < std::ssize(progress_); ++flows)
    if (!progress_[flows].targets.empty()) state.progress.emplace_back(flows, progress_[flows]);
  return state;
}

void FlowSimulation::jump(std::uint64_t time, const State& state, Flow flow_shift) {
  origin_ += time;
  for (Call& call : calls_) call.time -= static_cast<double>(time);
  std::erase_if(calls_, [](const Call& call) { return call.time <= 0; });
  std::ranges::make_heap(calls_, std::greater<>{});
  rates_.restore(state.rates);
  for (FairRates::FlowClass flows = 0; flows < std::ssize(progress_); ++flows) {
    if (progress_[flows].targets.empty()) continue;
    progress_[flows] = {};
    set_end(flows);
  }
  for (const auto& [flows, known] : state.progress) {
    Progress& progress = progress_[flows] = known;
    for (Progress::Target& target : progress.targets) target.second += flow_shift;
    set_end(flows);
  }
  moving_ = state.moving;
  next_flow_ = state.next_flow + flow_shift;
}

void FlowSimulation::run() {
  for (;;) {
    update_rates();
    settled();
    const double time = next_time();
    if (time == kNever) break;
    now_ = std::max(now_, time);
    const double until = latest_same(now_);
    while (!calls_.empty() && calls_.front().time <= until) {
      std::ranges::pop_heap(calls_, std::greater<>{});
      const std::function<void()> callback = std::move(calls_.back().callback);
      calls_.pop_back();
      callback();
    }
    end_flows(until);
  }
  if (moving_ > 0)
    throw RunFailed(fmt::format(
        "{} flows have no bandwidth, and nothing is to come that could give them some", moving_));
}

}  // namespace fredsim
