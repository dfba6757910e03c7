// SPDX-License-Identifier: Apache-2.0
// Flows over time: each moves an amount at the rate that links leave it (flow/fair_rates.h), from
// when it begins to when all of it has moved.
//
// Use: begin() and call_at() before run() and in callbacks; run() returns when no flow and no call
//   is left.
// Order: of events at one time calls come first, by the order in which they were asked for, then
//   flows that end, by class and number. Times that differ by less than 1e-12 of them are one. So a
//   run is the same on any machine.
// Origin: times are told from origin() on, a whole number, 0 unless it is moved: what happens from
//   there on then depends on what is left to be moved alone, not on when that is, bit for bit.
// Units: those of the caller: amounts, and capacities in amounts per unit of time.
// Errors: RunFailed where flows are left that no link lets move, and nothing is to come that could
//   change that.
// Cost: of an event that of FairRates::update(), and O(log f) per flow.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/state_digest.h"
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
  std::uint64_t origin() const { return origin_; }
  // From now on. One that crosses no link, or has nothing to move, ends now.
  Flow begin(const FairRates::Demand& demand, double amount);
  // The same for many flows of one demand, which crosses a link: found once.
  FairRates::FlowClass keep(FairRates::Demand demand) { return rates_.keep(std::move(demand)); }
  Flow begin(FairRates::FlowClass flows, double amount);
  // Capacity of a link, from now on.
  void set_capacity(int link, double capacity) { rates_.set_capacity(link, capacity); }
  // At a time, or now where that has passed.
  void call_at(double time, std::function<void()> callback) {
    add_call(time, std::move(callback), false);
  }
  // Likewise, at this time even if skip() passes over others.
  void call_at_fixed(double time, std::function<void()> callback) {
    add_call(time, std::move(callback), true);
  }
  // Callback for flows that have ended; it may begin others.
  void on_end(std::function<void(Flow)> callback) { on_end_ = std::move(callback); }
  // Callback, once, when all that happens at the time of the request has, and rates are up to date.
  // It may move the origin and skip.
  void ask_settled() { asks_settled_ = true; }
  void on_settled(std::function<void()> callback) { on_settled_ = std::move(callback); }
  // To now, if that is whole. Units of time by which it moved; 0: it did not.
  std::uint64_t move_origin();
  // Shifts all that follows by so much, but for calls at fixed times.
  void skip(std::uint64_t time);
  // All that what follows depends on, calls left out; flows by `describe`. After move_origin().
  void add_state(const std::function<void(Flow)>& describe, StateDigest& digest) const;

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
    std::vector<Target> targets{};  // a heap, least first
    const Target& first() const { return targets.front(); }
    void push(const Target& target);
    void pop();
  };
  struct Call {
    double time;
    std::uint64_t number;
    std::function<void()> callback;
    bool is_fixed;
    bool operator>(const Call& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  Flow end_at_once();
  void add(FairRates::FlowClass flows, Flow flow, double amount);
  void add_call(double time, std::function<void()> callback, bool is_fixed);
  void settled();
  double next_time() const;  // next event; MinTree::kNone: none
  void touch(FairRates::FlowClass flows);
  void settle(Progress& progress) const;
  void set_rate(FairRates::FlowClass flows);
  void set_end(FairRates::FlowClass flows);
  void update_rates();
  void end_flows(double until);

  FairRates rates_;
  double now_ = 0;  // from the origin on
  std::uint64_t origin_ = 0;
  Flow next_flow_ = 0;
  std::uint64_t next_call_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t moving_ = 0;        // flows
  std::vector<Progress> progress_;  // by class
  std::vector<FairRates::FlowClass> touched_;
  std::vector<std::pair<FairRates::FlowClass, Flow>> ended_;
  std::vector<Call> calls_;  // a heap, earliest first
  bool asks_settled_ = false;
  std::function<void()> on_settled_;
  MinTree ends_;  // times at which the next flow of a class ends
  std::function<void(Flow)> on_end_;
};

}  // namespace fredsim
