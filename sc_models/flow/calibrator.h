// SPDX-License-Identifier: Apache-2.0
// Calibrations of works on one machine (flow/calibration.h): looked up, and measured where they are not there.
//
// Measured: exact runs at both ends of the interval of kCalibrationGrid that a size is in, of the one below it, and of a size inside each, at which
//   the error is checked. Where the plans of both ends differ in more than their sizes (order of packets, their length, their runs), the
//   two sizes between which that changes are found by planning, to 1/64, and run too. Where a check finds more than half of the error that
//   is aimed at, its run is a calibrated one too, and both halves are checked by others, up to a depth that depends on the size. What an
//   interval has depends on nothing but the work and the machine, whatever was asked for before.
// Aim: kAims, of the times, from a size on.
// Cost: an interval takes three exact runs at least; refined, up to 16 up to 1 MiB, 8 up to 16 MiB.
// Errors: those of plans and of exact runs, passed on; what was measured before them stays.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
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

  auto operator<=>(const CalibratedPart&) const = default;
};
// Parts that begin together. One at least has kProportion.
using CalibratedWork = std::vector<CalibratedPart>;

// None: it is not made of sizes alone, since a part has bytes between pairs (all_to_all_v) or roots of streams.
std::optional<CalibratedWork> calibrated_work(const Topology& topology,
                                              std::span<const Part* const> parts);
// `bytes`: of the largest part.
std::vector<CollectiveSpec> specs_of(const CalibratedWork& work, std::uint64_t bytes);

class Calibrator {
 public:
  struct ExactTimes {
    std::vector<double> parts{};  // cycles
    double all = 0;
  };
  // Runs a plan in the exact engine.
  using ExactRun = std::function<ExactTimes(const Plan&)>;
  using Calibrations = std::map<CalibratedWork, Calibration>;

  // `exact` may be empty: nothing is measured. `max_hops`: works that move more flits x links with 16 MiB are not measured, either. `topology` must outlive it.
  Calibrator(const Topology& topology, ExactRun exact, std::uint64_t max_hops)
      : topology_(topology), exact_(std::move(exact)), max_hops_(max_hops) {}

  // Those of a file, say. In place of measurements.
  void add(const Calibrations& calibrations);
  // Calibration for a size, measured where that is not too much.
  const Calibration& at(const CalibratedWork& work, std::uint64_t bytes);
  // All intervals of the grid from that of one size up to that of another; nothing where it is too much.
  void measure(const CalibratedWork& work, std::uint64_t from, std::uint64_t to);
  const Calibrations& calibrations() const { return calibrations_; }

 private:
  struct Interval {
    std::uint64_t low = 0, high = 0;
  };
  bool is_too_much(const CalibratedWork& work);
  Plan plan(const CalibratedWork& work, std::uint64_t bytes) const;
  void measure_interval(const CalibratedWork& work, std::size_t number);
  void measure_point(const CalibratedWork& work, std::uint64_t bytes);
  void refine(const CalibratedWork& work, Interval interval, int depth);
  std::optional<Interval> change_of_plan(const CalibratedWork& work, Interval interval) const;

  const Topology& topology_;
  ExactRun exact_;
  std::uint64_t max_hops_;
  Calibrations calibrations_;
  std::set<CalibratedWork> given_;
  std::map<CalibratedWork, bool> too_much_;
};

}  // namespace fredsim
