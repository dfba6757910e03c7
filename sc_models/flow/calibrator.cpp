// SPDX-License-Identifier: Apache-2.0
#include "flow/calibrator.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "collective/algorithm.h"
#include "flow/flow_run.h"
#include "plan/link_load.h"
#include "plan/members.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr double kRounded = 1e-6;          // cycles, as in a run's result
constexpr std::uint64_t kFinest = 64;      // share of a size: intervals that are not divided
constexpr double kLargestOf = 3;           // share of the steps allowed: of the larger of two sizes
constexpr double kLargestOfRecurring = 8;  // if the run of the size itself recurs

int max_depth(std::uint64_t bytes) {
  if (bytes <= kMiB) return 4;
  if (bytes <= 16 * kMiB) return 3;
  if (bytes <= 32 * kMiB) return 2;
  return bytes <= 64 * kMiB ? 1 : 0;
}

// Size of a check inside an interval, no round number, so that it represents sizes that are no
// powers of two.
std::uint64_t check_of(std::uint64_t low, std::uint64_t high) {
  return low + (high - low) * 7 / 16 + 1;
}

PlanKind kind_of(const Plan& plan) {
  PlanKind kind;
  for (const Part& part : plan.parts)
    kind.emplace_back(part.packet_flits, part.run, part.lead, part.is_ordered, part.frame > 0);
  return kind;
}

// True if the exact run recurs, which exact_steps() does not account for.
bool recurs(const Plan& plan) { return std::ranges::all_of(plan.parts, &Part::is_ordered); }

double offset_of(std::size_t part, const Calibrator::ExactTimes& exact, const FlowTimes& flow) {
  return exact.parts.at(part) - (flow.parts[part].end - flow.parts[part].start);
}

}  // namespace

double aim_at(std::uint64_t bytes) {
  double percent = 0;
  for (const ErrorAim& aim : kAims)
    if (bytes >= aim.bytes) percent = aim.percent;
  return percent;
}

std::optional<CalibratedWork> calibrated_work(const Topology& topology,
                                              std::span<const Part* const> parts) {
  const std::uint64_t largest = std::ranges::max(parts, {}, &Part::bytes)->bytes;
  const std::uint64_t first = std::ranges::min(parts, {}, &Part::start_cycle)->start_cycle;
  CalibratedWork work;
  for (const Part* part : parts) {
    if (part->collective == Collective::kAllToAllV || part->roots > 0) return {};
    CalibratedPart& calibrated = work.emplace_back();
    calibrated.collective = part->collective;
    calibrated.algorithm = part->algorithm;
    for (const NodeId member : part->group())
      calibrated.group.push_back(member_number(topology, member));
    calibrated.root = part->root;
    calibrated.vc = part->vc;
    calibrated.start = part->start_cycle - first;
    const bool is_in_switches = find_algorithm(part->algorithm)->is_in_switches();
    if (!is_in_switches && part->packet_flits != topology.packet_flits)
      calibrated.packet_flits = part->packet_flits;
    const double share = static_cast<double>(part->bytes) / static_cast<double>(largest);
    calibrated.proportion = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(share * static_cast<double>(kProportion))), 1,
        kProportion);
  }
  return work;
}

std::vector<CollectiveSpec> specs_of(const CalibratedWork& work, std::uint64_t bytes) {
  std::vector<CollectiveSpec> specs;
  for (const CalibratedPart& part : work) {
    CollectiveSpec& spec = specs.emplace_back();
    spec.collective = part.collective;
    spec.algorithm = part.algorithm;
    spec.group = part.group;
    spec.root = part.root;
    spec.vc = part.vc;
    spec.start_cycle = part.start;
    spec.packet_flits = part.packet_flits;
    spec.bytes =
        std::max<std::uint64_t>(1, bytes / kProportion * part.proportion +
                                       bytes % kProportion * part.proportion / kProportion);
  }
  return specs;
}

double exact_steps(const Topology& topology, std::span<const std::uint64_t> flits, double cycles) {
  std::vector<bool> is_passed(topology.nodes.size());
  double all = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    all += static_cast<double>(flits[l]);
    if (flits[l] == 0) continue;
    is_passed[topology.links[l].from] = true;
    is_passed[topology.links[l].to] = true;
  }
  return all + cycles * static_cast<double>(std::ranges::count(is_passed, true));
}

void Calibrator::add(const Calibrations& calibrations) {
  for (const auto& [work, calibration] : calibrations) calibrations_[work].merge(calibration);
}

bool Calibrator::has_run(const CalibratedWork& work, std::uint64_t bytes) const {
  const auto known = calibrations_.find(work);
  return known != calibrations_.end() && known->second.points().contains(bytes);
}

FlowError Calibrator::error_at(const CalibratedWork& work, std::uint64_t bytes) const {
  const auto known = calibrations_.find(work);
  return known != calibrations_.end() ? known->second.error_at(bytes) : FlowError();
}

const Calibration& Calibrator::at(const CalibratedWork& work, std::uint64_t bytes) {
  const bool is_known = has_run(work, bytes) || calibrations_[work].has_error(bytes);
  if (exact_ && !is_known) measure_below(work, bytes);
  return calibrations_[work];
}

void Calibrator::measure(const CalibratedWork& work, std::uint64_t from, std::uint64_t to) {
  for (std::size_t number = grid_interval(from); number <= grid_interval(to); ++number)
    if (!calibrations_[work].has_error(grid_high(number))) measure_interval(work, number);
}

// Largest grid size below another whose exact run stays within its share of steps.
std::optional<std::uint64_t> Calibrator::largest_below(const CalibratedWork& work,
                                                       std::uint64_t bytes) const {
  const double max_steps =
      max_steps_ / (recurs(plan(work, bytes)) ? kLargestOfRecurring : kLargestOf);
  auto end = std::ranges::lower_bound(kCalibrationGrid, bytes);
  while (end != kCalibrationGrid.begin()) {
    const std::uint64_t size = *std::prev(end);
    const double share = max_steps / steps_at(work, size);
    if (share >= 1) return size;
    // Steps grow no faster than sizes, so that none is left out.
    const auto most = static_cast<std::uint64_t>(share * static_cast<double>(size));
    end = std::min(std::prev(end), std::ranges::upper_bound(kCalibrationGrid, most));
  }
  return {};
}

// Pair of a size and the grid size below it, 0 for none. If their plans differ from the plan of
// `bytes` in more than size: the first larger pair whose plans do not, unless it exceeds the limit
// of steps.
Calibrator::Interval Calibrator::alike_below(const CalibratedWork& work, std::uint64_t size,
                                             std::uint64_t bytes) const {
  const Interval pair{grid_low(grid_interval(size)), size};
  const PlanKind kind = kind_of(plan(work, bytes));
  const auto is_alike = [&](std::uint64_t of) { return kind_of(plan(work, of)) == kind; };
  bool is_low_alike = pair.low > 0 && is_alike(pair.low);
  for (std::size_t number = grid_interval(size); number < kCalibrationGrid.size(); ++number) {
    const Interval next{grid_low(number), grid_high(number)};
    if (next.high >= bytes || steps_at(work, next.high) > max_steps_) break;
    const bool is_high_alike = is_alike(next.high);
    if (is_low_alike && is_high_alike) return next;
    is_low_alike = is_high_alike;
  }
  return pair;
}

// Measures once for all sizes whose plans differ only in size: their measurements start from the
// same size, whichever is requested first.
void Calibrator::measure_below(const CalibratedWork& work, std::uint64_t bytes) {
  if (!measured_below_.emplace(work, kind_of(plan(work, bytes))).second) return;
  const std::optional<std::uint64_t> below = largest_below(work, bytes);
  if (!below) return;
  const auto [smaller, size] = alike_below(work, *below, bytes);
  Calibration& calibration = calibrations_[work];
  if (calibration.points().size() > 1 && calibration.points().rbegin()->first >= size) return;
  const Run large = run_point(work, size);
  if (smaller == 0) return;
  const Run small = run_point(work, smaller);
  std::vector<double> slope;
  for (std::size_t p = 0; p < work.size(); ++p) {
    const auto cycles = [p](const Run& of) {
      return of.flow.parts[p].end - of.flow.parts[p].start;
    };
    const double offset = offset_of(p, large.exact, large.flow);
    const double grown = offset - offset_of(p, small.exact, small.flow);
    const double in_proportion = offset / cycles(large) * (cycles(large) - cycles(small));
    slope.push_back(std::min(grown, in_proportion) / static_cast<double>(size - smaller));
  }
  calibration.set_slope(std::move(slope));
}

double Calibrator::steps_at(const CalibratedWork& work, std::uint64_t bytes) const {
  const Plan planned = plan(work, bytes);
  const double steps =
      exact_steps(topology_, link_flits(topology_, planned), run_flows(topology_, planned).end);
  if (bytes <= kPacedAboveBytes || !std::ranges::all_of(planned.parts, &Part::is_paced))
    return steps;
  return steps * static_cast<double>(kPacedAboveBytes) / static_cast<double>(bytes);
}

Calibrator::Run Calibrator::run(const Plan& plan) {
  return {.exact = exact_(plan), .flow = run_flows(topology_, plan)};
}

Plan Calibrator::plan(const CalibratedWork& work, std::uint64_t bytes) const {
  return make_plan(topology_, specs_of(work, bytes));
}

void Calibrator::measure_interval(const CalibratedWork& work, std::size_t number) {
  const Interval interval{grid_low(number), grid_high(number)};
  measure_point(work, interval.high);
  if (interval.low > 0) measure_point(work, interval.low);
  refine(work, interval, max_depth(interval.high));
}

void Calibrator::measure_point(const CalibratedWork& work, std::uint64_t bytes) {
  if (!calibrations_[work].points().contains(bytes)) run_point(work, bytes);
}

Calibrator::Run Calibrator::run_point(const CalibratedWork& work, std::uint64_t bytes) {
  Run measured = run(plan(work, bytes));
  std::vector<double> offset;
  for (std::size_t p = 0; p < work.size(); ++p)
    offset.push_back(offset_of(p, measured.exact, measured.flow));
  calibrations_[work].add_point(bytes, std::move(offset));
  return measured;
}

// Precondition: both ends are calibration points, without points between them.
void Calibrator::refine(const CalibratedWork& work, Interval interval, int depth) {
  if (interval.high - interval.low <= interval.high / kFinest) return;
  if (const std::optional<Interval> change = change_of_plan(work, interval)) {
    measure_point(work, change->low);
    measure_point(work, change->high);
    refine(work, {interval.low, change->low}, depth);
    return refine(work, {change->high, interval.high}, depth);
  }
  Calibration& calibration = calibrations_[work];
  const std::uint64_t bytes = check_of(interval.low, interval.high);
  const Plan planned = plan(work, bytes);
  const auto [exact, flow] = run(planned);
  std::vector<double> offset;
  for (std::size_t p = 0; p < work.size(); ++p) offset.push_back(calibration.offset(p, bytes));
  const Calibration::Checked checked{
      exact.all, std::ceil(run_flows(topology_, planned, offset).end - kRounded)};
  if (depth == 0 || error_percent(checked) <= aim_at(bytes) / 2)
    return calibration.add_check(bytes, checked);
  for (std::size_t p = 0; p < work.size(); ++p) offset[p] = offset_of(p, exact, flow);
  calibration.add_point(bytes, std::move(offset));
  refine(work, {interval.low, bytes}, depth - 1);
  refine(work, {bytes, interval.high}, depth - 1);
}

// Two close sizes between which the plan changes; none: it does not change, or close to an end.
std::optional<Calibrator::Interval> Calibrator::change_of_plan(const CalibratedWork& work,
                                                               Interval interval) const {
  if (interval.low == 0) return {};
  const PlanKind low = kind_of(plan(work, interval.low));
  if (low == kind_of(plan(work, interval.high))) return {};
  const Interval all = interval;
  while (interval.high - interval.low > interval.high / kFinest) {
    const std::uint64_t middle = interval.low + (interval.high - interval.low) / 2;
    (kind_of(plan(work, middle)) == low ? interval.low : interval.high) = middle;
  }
  if (interval.low == all.low && interval.high == all.high) return {};
  return interval;
}

}  // namespace fredsim
