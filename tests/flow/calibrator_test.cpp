// SPDX-License-Identifier: Apache-2.0
// Calibrations against synthetic exact runs: times of flows plus a known calibration offset.
#include "flow/calibrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "config/config.h"
#include "flow/flow_run.h"
#include "plan/link_load.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

CalibratedWork all_reduce(const std::string& algorithm = "hier_ring") {
  return {{.algorithm = algorithm, .group = {0, 1, 2, 3}}};
}

// Exact runs that take more cycles than flows by a given function of the size; counts the runs.
class MadeUp {
 public:
  explicit MadeUp(std::function<double(std::uint64_t)> offset) : offset_(std::move(offset)) {}

  Calibrator calibrator(double max_steps = std::numeric_limits<double>::infinity()) {
    return {topology_, [this](const Plan& plan) { return run(plan); }, max_steps};
  }
  const Topology& topology() const { return topology_; }
  const std::multiset<std::uint64_t>& sizes() const { return sizes_; }

 private:
  Calibrator::ExactTimes run(const Plan& plan) {
    Calibrator::ExactTimes times;
    const FlowTimes flow = run_flows(topology_, plan);
    std::uint64_t largest = 0;
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      largest = std::max(largest, plan.parts[p].bytes);
      const auto [start, end] = flow.parts[p];
      times.parts.push_back(end - start + offset_(plan.parts[p].bytes));
      times.all = std::max(times.all, start + times.parts.back());
    }
    sizes_.insert(largest);
    return times;
  }

  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  std::function<double(std::uint64_t)> offset_;
  std::multiset<std::uint64_t> sizes_;
};

// Measures the interval of a size.
const Calibration& measured(Calibrator& calibrator, const CalibratedWork& work,
                            std::uint64_t bytes) {
  calibrator.measure(work, bytes, bytes);
  return calibrator.calibrations().at(work);
}

// Steps of an exact run, flits x links and cycles x nodes, by hand.
double steps_of(const Topology& topology, const CalibratedWork& work, std::uint64_t bytes) {
  const Plan plan = make_plan(topology, specs_of(work, bytes));
  double flits = 0;
  std::set<NodeId> nodes;
  const std::vector<std::uint64_t> of_links = link_flits(topology, plan);
  for (std::size_t l = 0; l < of_links.size(); ++l) {
    flits += static_cast<double>(of_links[l]);
    if (of_links[l] > 0) nodes.insert({topology.links[l].from, topology.links[l].to});
  }
  return flits + run_flows(topology, plan).end * static_cast<double>(nodes.size());
}

bool is_ordered(const Topology& topology, const CalibratedWork& work, std::uint64_t bytes) {
  return make_plan(topology, specs_of(work, bytes)).parts.front().is_ordered;
}

TEST(Calibrator, MeasuresTheIntervalOfASizeOnce) {
  MadeUp made_up([](std::uint64_t bytes) { return 100 + static_cast<double>(bytes) / 4096; });
  Calibrator calibrator = made_up.calibrator();
  const Calibration& found = measured(calibrator, all_reduce("direct"), 100 * kKiB);
  EXPECT_NEAR(found.offset(0, 100 * kKiB), 125, 1e-6);
  EXPECT_TRUE(found.has_error(100 * kKiB));
  EXPECT_LT(found.error_at(100 * kKiB).worst_percent, 0.5);  // a cycle, by rounding up
  EXPECT_EQ(made_up.sizes().size(), 3U);
  EXPECT_EQ(found.error_at(100 * kKiB).sizes.size(), 1U);
  measured(calibrator, all_reduce("direct"), 128 * kKiB);
  EXPECT_EQ(made_up.sizes().size(), 3U);
}

// The result for a size does not depend on the sizes requested before.
TEST(Calibrator, FindsTheSameInAnyOrder) {
  const auto offset = [](std::uint64_t bytes) { return bytes > 200 * kKiB ? 900.0 : 100.0; };
  MadeUp up(offset), down(offset);
  Calibrator first = up.calibrator(), second = down.calibrator();
  for (const std::uint64_t bytes : {50 * kKiB, 150 * kKiB, 220 * kKiB, 900 * kKiB})
    measured(first, all_reduce(), bytes);
  for (const std::uint64_t bytes : {900 * kKiB, 220 * kKiB, 150 * kKiB, 50 * kKiB})
    measured(second, all_reduce(), bytes);
  for (const std::uint64_t bytes : {50 * kKiB, 150 * kKiB, 220 * kKiB, 900 * kKiB}) {
    EXPECT_EQ(first.at(all_reduce(), bytes).offset(0, bytes),
              second.at(all_reduce(), bytes).offset(0, bytes));
    EXPECT_EQ(first.at(all_reduce(), bytes).error_at(bytes).sizes,
              second.at(all_reduce(), bytes).error_at(bytes).sizes);
  }
}

// A jump is closed in on, and nothing is wrong on either side of where it was left.
TEST(Calibrator, DividesAnIntervalWithAJump) {
  constexpr std::uint64_t kJump = 700 * kKiB;
  const auto offset = [](std::uint64_t bytes) { return bytes > kJump ? 5000.0 : 0.0; };
  MadeUp made_up(offset);
  const CalibratedWork work = all_reduce("direct");
  Calibrator calibrator = made_up.calibrator();
  const Calibration& found = measured(calibrator, work, kMiB);
  int wrong = 0;
  for (std::uint64_t bytes = 513 * kKiB; bytes <= kMiB; bytes += kKiB)
    wrong += std::abs(found.offset(0, bytes) - offset(bytes)) > 1;
  EXPECT_GT(wrong, 0);
  EXPECT_LT(wrong, 64);  // 512 sizes, half of which were wrong without
  // Two runs per level, plus one at each end.
  EXPECT_LE(made_up.sizes().size(), 2 + 9U);
}

// hier_ring orders its packets from some size on: no interval that is wider than a 64th has that
// inside.
TEST(Calibrator, FindsChangesOfThePlan) {
  MadeUp made_up([](std::uint64_t) { return 10.0; });
  const auto is_ordered = [&](std::uint64_t bytes) {
    return make_plan(made_up.topology(), specs_of(all_reduce(), bytes)).parts[0].is_ordered;
  };
  const std::uint64_t ordered = *std::ranges::find_if(kCalibrationGrid, is_ordered);
  ASSERT_GT(ordered, kCalibrationGrid.front());
  Calibrator calibrator = made_up.calibrator();
  const Calibration& found = measured(calibrator, all_reduce(), ordered);
  const auto after = std::ranges::find_if(
      found.points(), [&](const auto& point) { return is_ordered(point.first); });
  const std::uint64_t before = std::prev(after)->first;
  EXPECT_FALSE(is_ordered(before));
  EXPECT_LE(after->first - before, after->first / 64);
}

TEST(Calibrator, TakesWhatIsGiven) {
  MadeUp made_up([](std::uint64_t) { return 10.0; });
  Calibrator calibrator = made_up.calibrator(1000);
  Calibration given;
  given.add_point(512 * kKiB, {7});
  given.add_point(kMiB, {7});
  given.add_check(600 * kKiB, Calibration::Checked{100, 101});
  calibrator.add({{all_reduce(), given}});
  EXPECT_EQ(calibrator.at(all_reduce(), 700 * kKiB).offset(0, 700 * kKiB), 7);
  EXPECT_TRUE(calibrator.has_run(all_reduce(), kMiB));
  EXPECT_FALSE(calibrator.has_run(all_reduce(), 700 * kKiB));
  EXPECT_NEAR(calibrator.error_at(all_reduce(), 700 * kKiB).worst_percent, 1, 1e-6);
  EXPECT_TRUE(calibrator.error_at(all_reduce(), 16 * kMiB).sizes.empty());
  EXPECT_TRUE(made_up.sizes().empty());
}

// Sizes beyond the step limit take the offset of the two largest ones below it, with its slope,
// whichever is requested first; these two cost less than any run beyond would. For an all-reduce,
// whose run recurs, they cost less than an eighth.
TEST(Calibrator, CarriesTheOffsetOn) {
  for (const auto collective : {Collective::kAllGather, Collective::kAllReduce}) {
    SCOPED_TRACE(to_string(collective));
    CalibratedWork work = all_reduce("direct");
    work.front().collective = collective;
    const auto offset = [](std::uint64_t bytes) { return 300 + static_cast<double>(bytes) / 8192; };
    MadeUp up(offset), down(offset);
    const bool recurs = is_ordered(up.topology(), work, 10 * kMiB);
    ASSERT_EQ(recurs, collective == Collective::kAllReduce);
    const std::uint64_t size = recurs ? 4 * kMiB : kMiB;
    const double max_steps = (recurs ? 8.5 : 3.5) * steps_of(up.topology(), work, size);
    Calibrator first = up.calibrator(max_steps), second = down.calibrator(max_steps);
    const std::vector<std::uint64_t> sizes{16 * kMiB, 40 * kMiB, 60 * kMiB};
    for (const std::uint64_t bytes : sizes) {
      EXPECT_NEAR(first.at(work, bytes).offset(0, bytes), offset(bytes), offset(bytes) / 100);
      EXPECT_TRUE(first.error_at(work, bytes).sizes.empty());
    }
    for (auto bytes = sizes.rbegin(); bytes != sizes.rend(); ++bytes)
      EXPECT_EQ(second.at(work, *bytes).offset(0, *bytes),
                first.at(work, *bytes).offset(0, *bytes));
    EXPECT_EQ(up.sizes(), (std::multiset<std::uint64_t>{size / 2, size}));
    EXPECT_EQ(down.sizes(), up.sizes());
    double steps = 0;
    for (const std::uint64_t bytes : up.sizes()) steps += steps_of(up.topology(), work, bytes);
    EXPECT_LT(steps, max_steps / (recurs ? 4 : 2));
  }
}

// Packets of trees of 128 and more are ordered, from 512 KiB on here: a slope between sizes on both
// sides would measure that change.
TEST(Calibrator, CarriesNoChangeOfThePlanOn) {
  const CalibratedWork work = all_reduce("ring");
  const auto offset = [](std::uint64_t bytes) { return bytes < 2 * kMiB ? 100.0 : 1000.0; };
  MadeUp made_up(offset);
  ASSERT_TRUE(is_ordered(made_up.topology(), work, 2 * kMiB));
  ASSERT_FALSE(is_ordered(made_up.topology(), work, kMiB));
  Calibrator calibrator = made_up.calibrator(8.5 * steps_of(made_up.topology(), work, 2 * kMiB));
  EXPECT_NEAR(calibrator.at(work, 60 * kMiB).offset(0, 60 * kMiB), 1000, 1);
  EXPECT_EQ(made_up.sizes(), (std::multiset<std::uint64_t>{2 * kMiB, 4 * kMiB}));
}

// Both of the two largest sizes that would be taken are below the change.
TEST(Calibrator, CarriesOnWhatHasTheOrderOfTheSizeAskedFor) {
  const CalibratedWork work = all_reduce("ring");
  const auto offset = [](std::uint64_t bytes) {
    return bytes < 2 * kMiB ? static_cast<double>(bytes) / 1000 : 300.0;
  };
  MadeUp made_up(offset), no_steps(offset);
  Calibrator calibrator = made_up.calibrator(8.5 * steps_of(made_up.topology(), work, 512 * kKiB));
  EXPECT_NEAR(calibrator.at(work, 60 * kMiB).offset(0, 60 * kMiB), 300, 1);
  EXPECT_EQ(made_up.sizes(), (std::multiset<std::uint64_t>{2 * kMiB, 4 * kMiB}));
  Calibrator few = no_steps.calibrator(2 * steps_of(made_up.topology(), work, 512 * kKiB));
  few.at(work, 60 * kMiB);
  EXPECT_EQ(no_steps.sizes(), (std::multiset<std::uint64_t>{32 * kKiB, 64 * kKiB}));
}

// An offset from waits that only small sizes have grows no faster than flows.
TEST(Calibrator, CarriesNoMoreOnThanFlowsGrow) {
  const CalibratedWork work = all_reduce("direct");
  MadeUp made_up([](std::uint64_t bytes) { return bytes < 16 * kKiB ? 0.0 : 100.0; });
  Calibrator calibrator = made_up.calibrator(8.5 * steps_of(made_up.topology(), work, 16 * kKiB));
  const Calibration& found = calibrator.at(work, 64 * kMiB);
  ASSERT_EQ(found.points().size(), 2U);
  const auto flow = [&](std::uint64_t bytes) {
    return run_flows(made_up.topology(), make_plan(made_up.topology(), specs_of(work, bytes))).end;
  };
  // Paths that are being filled are less of large sizes.
  EXPECT_LE(found.offset(0, 64 * kMiB) / flow(64 * kMiB), 1.5 * 100 / flow(16 * kKiB));
}

// Parts that begin at different cycles: their starts stay constant for all sizes.
TEST(Calibrator, MeasuresPartsWithTheirStarts) {
  MadeUp made_up([](std::uint64_t /*bytes*/) { return 100.0; });
  Calibrator calibrator = made_up.calibrator();
  CalibratedWork work = all_reduce("direct");
  work.push_back({.algorithm = "direct", .group = {0, 1}, .start = 700});
  const Calibration& found = measured(calibrator, work, 100 * kKiB);
  EXPECT_NEAR(found.offset(0, 100 * kKiB), 100, 1e-6);
  EXPECT_NEAR(found.offset(1, 100 * kKiB), 100, 1e-6);
  EXPECT_LT(found.error_at(100 * kKiB).worst_percent, 0.5);  // a cycle, by rounding up
}

TEST(CalibratedWork, CountsStartsFromTheFirst) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  CalibratedWork work{{.algorithm = "direct", .group = {0, 1}, .start = 20},
                      {.algorithm = "direct", .group = {2, 3}, .start = 50}};
  const Plan plan = make_plan(topology, specs_of(work, kMiB));
  EXPECT_EQ(plan.parts[1].start_cycle, 50U);
  const auto found = calibrated_work(topology, std::vector{&plan.parts[0], &plan.parts[1]});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->at(0).start, 0U);
  EXPECT_EQ(found->at(1).start, 30U);
}

TEST(CalibratedWork, HasPartsInProportion) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  CalibratedWork work{{.algorithm = "direct", .group = {0, 1}},
                      {.collective = Collective::kBroadcast,
                       .algorithm = "chain",
                       .group = {2, 3},
                       .root = 1,
                       .vc = kMp,
                       .proportion = 16}};
  const Plan plan = make_plan(topology, specs_of(work, kMiB));
  EXPECT_EQ(plan.parts[0].bytes, kMiB);
  EXPECT_EQ(plan.parts[1].bytes, kMiB / 4);
  EXPECT_EQ(calibrated_work(topology, std::vector{&plan.parts[0], &plan.parts[1]}), work);
  Part matrix = plan.parts[0];
  matrix.collective = Collective::kAllToAllV;
  EXPECT_EQ(calibrated_work(topology, std::vector<const Part*>{&matrix}), std::nullopt);
}

}  // namespace
}  // namespace fredsim::test
