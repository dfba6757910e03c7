// SPDX-License-Identifier: Apache-2.0
// Pacing of a plain link whose flits are known ahead: the token bucket of LinkTx (links/link.h),
// asked at the edges at which a sender decides.
//
// Time: a flit that is decided at edge e is launched at e + late, `late` being the sender's
//   launch_edges(), and serialised then. The link's readiness at an edge thus reflects the flits
//   that were launched before it, which were decided more than `late` edges earlier.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "links/link.h"
#include "topology/topology.h"
#include "traffic/trains/credit_times.h"

namespace fredsim::trains {

class LinkPace {
 public:
  LinkPace() = default;
  LinkPace(const Link& link, std::uint32_t late)
      : num_(static_cast<std::int32_t>(link.flit_rate().num)),
        den_(static_cast<std::int32_t>(link.flit_rate().den)),
        full_(den_ + num_ - 1),
        beyond_(static_cast<std::uint32_t>((den_ - 1) / num_)),
        late_(late),
        delay_(late + static_cast<std::uint32_t>(link.latency)) {
    reset();
  }

  // Returns true if levels of a link's bucket fit here.
  static bool can_pace(const Link& link) {
    return link.flit_rate().num + link.flit_rate().den < (1U << 30);
  }

  void reset() {
    levels_.fill({.held = full_});
    begin_train();
  }
  std::uint32_t late() const { return late_; }

  // The first edge from `edge` on at which a flit can be decided; all flits before it are known.
  Edge next_ready(Edge edge) const {
    while (!is_ready(edge)) ++edge;
    return edge;
  }
  bool is_ready(Edge edge) const {
    const Level& last = levels_[0].at < edge   ? levels_[0]
                        : levels_[1].at < edge ? levels_[1]
                                               : levels_[2];
    return level(last, edge) >= den_ - std::int64_t{late_} * num_;
  }
  // Takes a flit that is decided at `edge`; returns the edge of its arrival.
  Edge take(Edge edge) {
    const std::int32_t held = level(levels_[0], edge + late_) - den_;
    levels_[2] = levels_[1];
    levels_[1] = levels_[0];
    levels_[0] = {held, edge + late_};
    if (held < 0) return edge + delay_ + static_cast<Edge>((std::int64_t{full_} - held - 1) / num_);
    return edge + delay_ + beyond_ + (held < rest() ? 1 : 0);
  }
  // Takes `count` flits that are decided at consecutive edges, if the link is ready at all of them
  // and sends them at consecutive edges for certain; returns the arrival of the first one, or
  // kNever without taking any.
  Edge take_run(Edge edge, std::uint32_t count) {
    const std::int64_t held = level(levels_[0], edge + late_) - den_;
    const std::int64_t step = std::int64_t{den_} - num_;
    if (held - step * (count - 1) < rest()) return kNever;
    std::array<Level, 3> after = levels_;
    for (std::uint32_t back = 0; back < after.size(); ++back) {
      after[back] = back < count
                        ? Level{static_cast<std::int32_t>(held - step * (count - 1 - back)),
                                edge + late_ + count - 1 - back}
                        : levels_[back - count];
    }
    levels_ = after;
    return edge + delay_ + beyond_;
  }

  // Marks that all flits from now on are of the next train.
  void begin_train() { before_ = {levels_[0], levels_[1]}; }
  // Flits of the trains before the last one that are not launched before `edge`, which is later than
  // the first decision of the last train.
  std::uint32_t waiting_before(Edge edge) const {
    return (before_[0].at >= edge ? 1U : 0U) + (before_[1].at >= edge ? 1U : 0U);
  }
  // Share of a flit that the serialiser has not sent before `edge`, as LinkTx::count() has it;
  // `decided`: edges of the last train's decisions.
  double left(Edge edge, std::span<const Edge> decided) const {
    if (num_ == den_) return 0;
    Level last = before_[0].at < edge ? before_[0] : before_[1];
    for (const Edge at : decided)
      if (at + late_ < edge) last = {level(last, at + late_) - den_, at + late_};
    return static_cast<double>(full_ - level(last, edge)) / static_cast<double>(den_);
  }

 private:
  struct Level {
    std::int32_t held = 0;
    Edge at = 0;
  };
  // A flit that finds at least this much after it has been taken needs no more than beyond_ cycles.
  std::int64_t rest() const { return den_ - 1 - std::int64_t{beyond_} * num_; }
  std::int32_t level(const Level& last, Edge edge) const {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(last.held + num_ * std::int64_t{edge - last.at}, full_));
  }

  std::int32_t num_ = 1, den_ = 1, full_ = 1;
  std::uint32_t beyond_ = 0, late_ = 0, delay_ = 0;
  std::array<Level, 3> levels_{};  // after the last launches, the latest first
  std::array<Level, 2> before_{};  // at begin_train()
};

}  // namespace fredsim::trains
