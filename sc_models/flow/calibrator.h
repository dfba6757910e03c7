// SPDX-License-Identifier: Apache-2.0
// Calibrations of works on one machine (flow/calibration.h): of a file, or measured.
//
// For a file, measure(): exact runs at both ends of each interval of kCalibrationGrid, and of a
//   size inside, at which the error is checked. Where the plans of both ends differ in more than
//   their sizes (order of packets, their length, their runs), the two sizes between which that
//   changes are found by planning, to 1/64, and run too. Where a check finds more than half of the
//   error that is aimed at, its run is a calibrated one too, and both halves are checked by others,
//   up to a depth that depends on the size. What an interval has depends on nothing but the work
//   and the machine, whatever was asked for before.
// Aim: kAims, of the times, from a size on.
// For a size of which the exact run itself would take too long, at(): exact runs at the largest
//   size of the grid that takes no more than a third of what is allowed, and at the one below it,
//   so that both take less than that run; an eighth where packets have an order, since that run
//   recurs. It has their surplus, with its slope, as far as the surplus grows no faster than flows
//   do. Where one of their plans differs from that of the size in more than its size, so that the
//   slope would be that of the change or of another order of packets, the first two sizes above
//   them are run whose plans do not, if they may. Error: none is known.
// Cost: in steps, before a run (exact_steps()). All of that is counted, so that the same is
//   measured on any machine.
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
#include <tuple>
#include <utility>
#include <vector>

#include "flow/calibration.h"
#include "flow/flow_run.h"
#include "plan/collective_spec.h"
#include "plan/plan.h"
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
  int packet_flits = 0;                    // CollectiveSpec::packet_flits

  auto operator<=>(const CalibratedPart&) const = default;
};
// Parts that are under way together. One at least has kProportion.
using CalibratedWork = std::vector<CalibratedPart>;

// None: it is not made of sizes alone, since a part has bytes between pairs (all_to_all_v) or roots
// of streams.
std::optional<CalibratedWork> calibrated_work(const Topology& topology,
                                              std::span<const Part* const> parts);
// `bytes`: of the largest part.
std::vector<CollectiveSpec> specs_of(const CalibratedWork& work, std::uint64_t bytes);

// Properties of a plan that change from a size to another beside sizes, by part: flits of a packet,
// its run and lead, whether packets have an order, and a frame.
using PlanKind = std::vector<std::tuple<int, int, int, bool, bool>>;

// Cost of an exact run that takes so many cycles: flits x links, and cycles x nodes that something
// passes, since every one of them works in every cycle. `flits`: by link.
double exact_steps(const Topology& topology, std::span<const std::uint64_t> flits, double cycles);

class Calibrator {
 public:
  struct ExactTimes {
    std::vector<double> parts{};  // cycles of each
    double all = 0;
  };
  // Runs a plan in the exact engine.
  using ExactRun = std::function<ExactTimes(const Plan&)>;
  using Calibrations = std::map<CalibratedWork, Calibration>;

  // `exact` may be empty: nothing is measured. `max_steps`: of at(). `topology` must outlive it.
  Calibrator(const Topology& topology, ExactRun exact,
             double max_steps = std::numeric_limits<double>::infinity())
      : topology_(topology), exact_(std::move(exact)), max_steps_(max_steps) {}

  // Those of a file, say. In place of measurements.
  void add(const Calibrations& calibrations);
  // Without measuring: of a size that is a point, and otherwise Calibration::error_at().
  bool has_run(const CalibratedWork& work, std::uint64_t bytes) const;
  FlowError error_at(const CalibratedWork& work, std::uint64_t bytes) const;
  // Calibration for a size that is known, or whose exact run takes more than is allowed.
  const Calibration& at(const CalibratedWork& work, std::uint64_t bytes);
  // All intervals of the grid from that of one size up to that of another.
  void measure(const CalibratedWork& work, std::uint64_t from, std::uint64_t to);
  const Calibrations& calibrations() const { return calibrations_; }

 private:
  struct Interval {
    std::uint64_t low = 0, high = 0;
  };
  struct Run {
    ExactTimes exact{};
    FlowTimes flow{};
  };
  void measure_below(const CalibratedWork& work, std::uint64_t bytes);
  double steps_at(const CalibratedWork& work, std::uint64_t bytes) const;
  Run run(const Plan& plan);
  Plan plan(const CalibratedWork& work, std::uint64_t bytes) const;
  void measure_interval(const CalibratedWork& work, std::size_t number);
  void measure_point(const CalibratedWork& work, std::uint64_t bytes);
  Run run_point(const CalibratedWork& work, std::uint64_t bytes);
  std::optional<std::uint64_t> largest_below(const CalibratedWork& work, std::uint64_t bytes) const;
  Interval alike_below(const CalibratedWork& work, std::uint64_t size, std::uint64_t bytes) const;
  void refine(const CalibratedWork& work, Interval interval, int depth);
  std::optional<Interval> change_of_plan(const CalibratedWork& work, Interval interval) const;

  const Topology& topology_;
  ExactRun exact_;
  double max_steps_;
  Calibrations calibrations_;
  std::set<std::pair<CalibratedWork, PlanKind>> measured_below_;
};

}  // namespace fredsim
