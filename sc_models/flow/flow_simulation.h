// SPDX-License-Identifier: Apache-2.0
// Event-driven simulation of flows: each moves an amount at its fair rate (flow/fair_rates.h), from
// its begin until all of it has moved.
//
// Use: begin() and call_at() before run() and in callbacks; run() returns when no flow and no
//   call remains.
// Order: of simultaneous events, calls come first, in the order of their requests, then ends of
//   flows, by class and number. Times are equal within a relative 1e-12. So a run is the same on
//   any machine.
// Origin: times are relative to origin(), a whole number, 0 unless it is moved. After a move the
//   run depends only on the amounts left, not on the absolute time, bit for bit.
// Units: the caller's: amounts, and capacities in amounts per unit of time.
// Errors: RunFailed if the remaining flows have rate 0 and no event is pending.
// Cost per event: one FairRates::update(), and O(log f) per flow.
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
  using Flow = std::uint64_t;  // counted from 0 in order of begin

  // Capacities and limits as in FairRates.
  explicit FlowSimulation(std::vector<double> capacities, std::vector<double> limits = {})
      : rates_(std::move(capacities), std::move(limits)) {}

  double now() const { return now_; }
  std::uint64_t origin() const { return origin_; }
  // Begins a flow now. A flow without links or without an amount ends now.
  Flow begin(const FairRates::Demand& demand, double amount);
  // Keeps the class of many flows with one demand, which crosses a link, so that it is looked up
  // once.
  FairRates::FlowClass keep(FairRates::Demand demand) { return rates_.keep(std::move(demand)); }
  Flow begin(FairRates::FlowClass flows, double amount);
  // Capacity of a link, from now on.
  void set_capacity(int link, double capacity) { rates_.set_capacity(link, capacity); }
  // Requests a call at a time, or now if it has passed.
  void call_at(double time, std::function<void()> callback) {
    add_call(time, std::move(callback), false);
  }
  // Requests a call at this time, even if skip() shifts later events.
  void call_at_fixed(double time, std::function<void()> callback) {
    add_call(time, std::move(callback), true);
  }
  // Callback at the end of each flow; it may begin flows.
  void on_end(std::function<void(Flow)> callback) { on_end_ = std::move(callback); }
  // Callback, once per request, after all events at the time of the request, with rates up to date.
  // It may move the origin and skip.
  void ask_settled() { asks_settled_ = true; }
  void on_settled(std::function<void()> callback) { on_settled_ = std::move(callback); }
  // Moves the origin to now, if now is whole. Returns the distance in units of time; 0: not moved.
  std::uint64_t move_origin();
  // Shifts all later events by `time`, except calls at fixed times.
  void skip(std::uint64_t time);
  // Adds the state that the run depends on, without calls; flows by `describe`. Call after
  // move_origin().
  void add_state(const std::function<void(Flow)>& describe, StateDigest& digest) const;
  // Copy of this state, without calls, while all classes are kept. Call after move_origin().
  struct State;
  State state() const;
  // Jumps ahead by `time` to a former state, with its flows numbered `flow_shift` higher. Calls
  // keep their times; calls that have passed are dropped.
  void jump(std::uint64_t time, const State& state, Flow flow_shift);

  void run();
  // Number of events that recomputed rates; number of flows begun.
  std::uint64_t updates() const { return updates_; }
  std::uint64_t flows() const { return next_flow_; }

 private:
  // Progress of a class: each of its flows has moved as much since its begin as the class since
  // then.
  struct Progress {
    double moved = 0;  // amount moved by each flow of the class since the class exists
    double at = 0;     // time
    double rate = 0;
    bool is_touched = false;  // flows began or ended since rates were up to date
    using Target = std::pair<double, Flow>;
    std::vector<Target> targets{};  // min-heap of targets
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

struct FlowSimulation::State {
  FairRates::State rates{};
  std::vector<std::pair<FairRates::FlowClass, Progress>> progress{};  // classes with flows
  std::uint64_t moving = 0;
  Flow next_flow = 0;
};

}  // namespace fredsim
