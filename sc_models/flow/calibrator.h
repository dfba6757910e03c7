// SPDX-License-Identifier: Apache-2.0
// Calibrations of works on one machine (flow/calibration.h), from a file or measured.
//
// For a file, measure(): exact runs at both ends of each interval of kCalibrationGrid, and a
//   check run at a size inside. If the plans of both ends differ in more than size (packet order,
//   packet length, runs), the two sizes around the change are found by planning, to 1/64, and run
//   too. If the error of a check exceeds half of the target, its run becomes a calibration point,
//   and both halves are checked in turn, up to a depth that depends on the size. The points of an
//   interval depend only on the work and the machine, not on earlier requests.
// Target error: kAims, in percent of the times, from a size on. For a size whose exact run would
// take too long, at(): exact runs at the largest grid size that costs no more than a third of the
// limit, and at the size below it, so that both together cost less than that run; an eighth if
// packets have an order, since that run recurs. The offset is extrapolated with their slope,
// unless it would grow faster than the flows. If one of their plans differs from the plan of the
// requested size in more than size, which would distort the slope, the first two larger sizes with
// a matching plan are run instead, if the limit allows. The error is unknown.
// Cost: in steps, before a run (exact_steps()), not in wall time, so that every machine measures
//   the same sizes. A run with a pace recurs from its start on: it costs what one of
//   kPacedAboveBytes does at most.
// Errors: from plans and exact runs, passed on; earlier measurements are kept.
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
  std::uint64_t bytes = 0;  // from this size on
  double percent = 0;
};
inline constexpr std::array<ErrorAim, 3> kAims{{{0, 10}, {kMiB, 3}, {16 * kMiB, 1}}};
double aim_at(std::uint64_t bytes);

// Unit of the parts' sizes: this fraction of the largest part.
inline constexpr std::uint64_t kProportion = 64;

// Properties of a part that identify it in calibrations.
struct CalibratedPart {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;   // no choice
  std::vector<int> group;  // base/member.h
  int root = 0;
  int vc = kDp;
  std::uint64_t proportion = kProportion;  // 1 … kProportion
  std::uint64_t start = 0;                 // cycles after the first part, at all sizes
  int packet_flits = 0;                    // CollectiveSpec::packet_flits

  auto operator<=>(const CalibratedPart&) const = default;
};
// Concurrent parts; at least one has kProportion.
using CalibratedWork = std::vector<CalibratedPart>;

// Work of concurrent parts; no value if sizes do not determine it, that is for bytes per pair
// (all_to_all_v) and for streams (Part::roots).
std::optional<CalibratedWork> calibrated_work(const Topology& topology,
                                              std::span<const Part* const> parts);
// Collectives of a work; `bytes`: size of the largest part.
std::vector<CollectiveSpec> specs_of(const CalibratedWork& work, std::uint64_t bytes);

// Properties of a plan that vary with size, by part: flits of a packet, its run and lead, whether
// packets have an order, and a frame.
using PlanKind = std::vector<std::tuple<int, int, int, bool, bool>>;

// Cost of an exact run of `cycles`: flit-hops, plus cycles x nodes with traffic, since each of
// these nodes is simulated in every cycle. `flits`: by link.
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

  // Adds calibrations, for example from a file, as a substitute for measurements.
  void add(const Calibrations& calibrations);
  // Queries without measuring: has_run(): the size is a calibration point; error_at(): as
  //   Calibration::error_at().
  bool has_run(const CalibratedWork& work, std::uint64_t bytes) const;
  FlowError error_at(const CalibratedWork& work, std::uint64_t bytes) const;
  // Calibration for a known size, or for a size whose exact run exceeds the limit.
  const Calibration& at(const CalibratedWork& work, std::uint64_t bytes);
  // Measures all grid intervals from the interval of `from` up to the interval of `to`.
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
