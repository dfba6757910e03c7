// SPDX-License-Identifier: Apache-2.0
// Calibrations of works on one machine (flow/calibration.h): looked up, and measured where they are not there.
//
// Measured: exact runs at both ends of the interval of kCalibrationGrid that a size is in, of the one below it, and of a size inside each, at which
//   the error is checked. Where the plans of both ends differ in more than their sizes (order of packets, their length, their runs), the
//   two sizes between which that changes are found by planning, to 1/64, and run too. Where a check finds more than half of the error that
//   is aimed at, its run is a calibrated one too, and both halves are checked by others, up to a depth that depends on the size. What an
//   interval has depends on nothing but the work and the machine, whatever was asked for before.
// Aim: kAims, of the times, from a size on.
// Cost: an interval takes three exact runs at least; refined, up to 16 up to 1 MiB, 8 up to 16 MiB. Told in steps, before a run: flits x
//   links, and cycles by flows x nodes that something passes, since every one of them works in every cycle. An interval whose three runs have
//   more steps than are allowed is not measured; but where a run at its lower end has at most half of that, it shows how many of its
//   steps exact runs really take, and whether they repeat themselves, so that larger ones take no more. Divided further are intervals that
//   have taken at most half of the steps. All of that is counted, so that the same is measured on any machine.
// Errors: those of plans and of exact runs, passed on; what was measured before them stays.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collective/collective_spec.h"
#include "collective/plan.h"
#include "flow/calibration.h"
#include "flow/flow_run.h"
#include "topology/topology.h"

namespace fredsim {

struct ErrorAim {
  std::uint64_t bytes = 0;  // from here on
  double percent = 0;
};
inline constexpr std::array<ErrorAim, 3> kAims{{{0, 10}, {kMiB, 3}, {16 * kMiB, 1}}};
double aim_at(std::uint64_t bytes);

// Sizes of parts are told in this fraction of the largest.
inline constexpr std::uint64_t kProportion = 64;

// A part as calibrations know it.
struct CalibratedPart {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;   // no choice
  std::vector<int> group;  // base/member.h
  int root = 0;
  int vc = kDp;
  std::uint64_t proportion = kProportion;  // 1 … kProportion
  std::uint64_t start = 0;                 // cycles after the first of them, at all sizes

  auto operator<=>(const CalibratedPart&) const = default;
};
// Parts that are under way together. One at least has kProportion.
using CalibratedWork = std::vector<CalibratedPart>;

// None: it is not made of sizes alone, since a part has bytes between pairs (all_to_all_v) or roots of streams.
std::optional<CalibratedWork> calibrated_work(const Topology& topology,
                                              std::span<const Part* const> parts);
// `bytes`: of the largest part.
std::vector<CollectiveSpec> specs_of(const CalibratedWork& work, std::uint64_t bytes);

class Calibrator {
 public:
  struct ExactTimes {
    std::vector<double> parts{};  // cycles of each
    double all = 0;
    double simulated = 1;  // share of the steps that were not skipped
    bool repeats = false;  // cycles were skipped, since they repeat earlier ones
  };
  // Runs a plan in the exact engine.
  using ExactRun = std::function<ExactTimes(const Plan&)>;
  using Calibrations = std::map<CalibratedWork, Calibration>;

  // `exact` may be empty: nothing is measured. `max_steps`: of an interval. `topology` must outlive it.
  Calibrator(const Topology& topology, ExactRun exact,
             double max_steps = std::numeric_limits<double>::infinity())
      : topology_(topology), exact_(std::move(exact)), max_steps_(max_steps) {}

  // Those of a file, say. In place of measurements.
  void add(const Calibrations& calibrations);
  // Calibration for a size, measured where that is not too much. Where it is, that of a file, or none.
  const Calibration& at(const CalibratedWork& work, std::uint64_t bytes);
  // All intervals of the grid from that of one size up to that of another, but for those that are too much.
  void measure(const CalibratedWork& work, std::uint64_t from, std::uint64_t to);
  const Calibrations& calibrations() const { return calibrations_; }

 private:
  struct Interval {
    std::uint64_t low = 0, high = 0;
  };
  struct Run {
    ExactTimes exact{};
    FlowTimes flow{};
    double steps = 0;
  };
  // Steps of a run that a calibrated size stands for.
  struct Cost {
    double steps = 0;  // that were simulated
    bool repeats = false;
  };
  bool is_too_much(const CalibratedWork& work, std::size_t number);
  bool finds_too_much(const CalibratedWork& work, std::size_t number);
  double steps(const Plan& plan, const FlowTimes& flow) const;
  double steps_at(const CalibratedWork& work, std::uint64_t bytes) const;
  Run run(const Plan& plan);
  Plan plan(const CalibratedWork& work, std::uint64_t bytes) const;
  void measure_interval(const CalibratedWork& work, std::size_t number);
  void measure_point(const CalibratedWork& work, std::uint64_t bytes);
  void refine(const CalibratedWork& work, Interval interval, int depth);
  std::optional<Interval> change_of_plan(const CalibratedWork& work, Interval interval) const;

  const Topology& topology_;
  ExactRun exact_;
  double max_steps_;
  Calibrations calibrations_;
  std::set<CalibratedWork> given_;
  std::map<std::pair<CalibratedWork, std::uint64_t>, Cost> costs_;   // by size
  std::map<std::pair<CalibratedWork, std::size_t>, bool> too_much_;  // by interval
  std::map<CalibratedWork, std::size_t> all_too_much_;               // from an interval on
  double spent_ = 0;                                                 // on the interval at work
};

}  // namespace fredsim
