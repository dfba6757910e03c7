// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows (flow/calibration.h) of the operations of a work or a training run, each shape once.
//
// Shape: collectives, algorithms, virtual channels and sizes of an operation's parts, and of each of its trees which ranks have a part in it and how many
//   flits cross how many links of which rates and latencies. Groups that differ in nothing else, as rows of a mesh, share their surplus.
// Measurement: an exact run of the operation alone, where its shapes together cost no more than kMaxShapeHops flits x links, and so no more
//   than the run that they are for. Else runs of a half of its size, or as many times halved as bring it within that, and of a half and
//   a quarter of the first; the surplus of each rank is carried on from the largest two. Operations that have no such size of kMinShapeBytes or more, or
//   are too large and do not follow from sizes (bytes between pairs, parts that wait for others), have none: it is 0 and their error
//   is unmeasured.
// Error: of the time of the largest of these sizes, as told by the other two, either way; 0 where the operation itself was run.
// Errors: those of exact runs; Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/machine.h"
#include "operations/prepared_plan.h"
#include "runner/operation_surplus.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxShapeHops = 24'000'000;
inline constexpr std::uint64_t kMinShapeBytes = 16 * 1024;

class ShapeSurpluses final : public OperationSurpluses {
 public:
  // `machine`: for exact runs; null: there are none, and nothing is measured. Both must outlive it.
  ShapeSurpluses(const Topology& topology, Machine* machine)
      : topology_(topology), machine_(machine) {}

  std::vector<OperationSurplus> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override { return topology_.name; }

 private:
  using RankCycles = std::vector<std::vector<double>>;  // by part
  struct Point {
    std::uint64_t bytes = 0;
    RankCycles exact{}, flow{};  // when ranks are complete
  };
  RankCycles exact_cycles(const std::shared_ptr<const PreparedPlan>& plan);
  RankCycles flow_cycles(const std::shared_ptr<const PreparedPlan>& plan) const;
  OperationSurplus measure(const std::shared_ptr<const PreparedPlan>& plan, std::uint64_t max_hops);
  std::vector<Point> points(const std::shared_ptr<const PreparedPlan>& plan,
                            std::uint64_t max_hops);
  Point point(const std::shared_ptr<const PreparedPlan>& plan, std::uint64_t bytes);

  const Topology& topology_;
  Machine* machine_;
  std::map<std::string, OperationSurplus> known_;  // by shape
};

}  // namespace fredsim
