// SPDX-License-Identifier: Apache-2.0
// Flows over time: each moves an amount at the rate that links leave it (flow/fair_rates.h), from when it begins to when all of it has
// moved.
//
// Use: begin() and call_at() before run() and in callbacks; run() returns when no flow and no call is left.
// Order: of events at one time calls come first, by the order in which they were asked for, then flows that end, by class and number. Times that
//   differ by less than 1e-12 of them are one. So a run is the same on any machine.
// Units: those of the caller: amounts, and capacities in amounts per unit of time.
// Errors: RunFailed where flows are left that no link lets move, and nothing is to come that could change that.
// Cost: of an event that of FairRates::update(), and O(log f) per flow.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "flow/fair_rates.h"
#include "flow/min_tree.h"

namespace fredsim {

class FlowSimulation {
 public:
  using Flow = std::uint64_t;  // counted from 0 in the order in which they began

  // Capacities and limits are those of FairRates.
  explicit FlowSimulation(std::vector<double> capacities, std::vector<double> limits = {})
      : rates_(std::move(capacities), std::move(limits)) {}

  double now() const { return now_; }
  // From now on. One that crosses no link, or has nothing to move, ends now.
  Flow begin(const FairRates::Demand& demand, double amount);
  // The same for many flows of one demand, which crosses a link: found once.
  FairRates::FlowClass keep(FairRates::Demand demand) { return rates_.keep(std::move(demand)); }
  Flow begin(FairRates::FlowClass flows, double amount);
  // Capacity of a link, from now on.
  void set_capacity(int link, double capacity) { rates_.set_capacity(link, capacity); }
  // At a time, or now where that has passed.
  void call_at(double time, std::function<void()> callback);
  // Callback for flows that have ended; it may begin others.
  void on_end(std::function<void(Flow)> callback) { on_end_ = std::move(callback); }
  void run();
  // Events that had rates computed again; flows begun.
  std::uint64_t updates() const { return updates_; }
  std::uint64_t flows() const { return next_flow_; }

 private:
  // All flows of a class have moved as much since they began as the class since then.
  struct Progress {
    double moved = 0;  // by each flow of the class, since it has been there
    double at = 0;     // time
    double rate = 0;
    bool is_touched = false;  // flows began or ended since rates were up to date
    using Target = std::pair<double, Flow>;
    std::priority_queue<Target, std::vector<Target>, std::greater<>> targets{};
  };
  struct Call {
    double time;
    std::uint64_t number;
    std::function<void()> callback;
    bool operator>(const Call& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  Flow end_at_once();
  void add(FairRates::FlowClass flows, Flow flow, double amount);
  void touch(FairRates::FlowClass flows);
  void settle(Progress& progress) const;
  void set_rate(FairRates::FlowClass flows);
  void set_end(FairRates::FlowClass flows);
  void update_rates();
  void end_flows(double until);

  FairRates rates_;
  double now_ = 0;
  Flow next_flow_ = 0;
  std::uint64_t next_call_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t moving_ = 0;        // flows
  std::vector<Progress> progress_;  // by class
  std::vector<FairRates::FlowClass> touched_;
  std::vector<std::pair<FairRates::FlowClass, Flow>> ended_;
  std::priority_queue<Call, std::vector<Call>, std::greater<>> calls_;
  MinTree ends_;  // times at which the next flow of a class ends
  std::function<void(Flow)> on_end_;
};

}  // namespace fredsim
