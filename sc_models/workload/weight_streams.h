// SPDX-License-Identifier: Apache-2.0
// Weight streaming: the operations that load weights from the I/O controllers and return gradients
// to them.
//
// Shares: controllers hold the weights in equal shares and send at the same time; each receives the
//   sums of the gradients of its share (plan/plan.h, Part::roots). 2 bytes per gradient; weights as
//   wide as the machine's.
// Broadcast: weights go to all workers, used or not; the gradients of a parameter are summed over
//   all workers, with zeros from workers without a share in it. Multicast: the controllers are
//   dealt out to the shards, (MP worker, stage), as evenly as possible; weights and gradients of a
//   shard go between its controllers and its workers, one per replica. Where switches add and some
//   shards have a controller more, the controllers are dealt out twice, so that all shards have as
//   many in total: one operation per deal, each controller with as many bytes in both, so that none
//   is idle while others send. On any machine with a failed controller they are dealt out in the
//   same way, as often as necessary.
// Chunks: an operation is repeated, chunk by chunk (GraphOperation::times), all of one size: up to
//   `chunk_bytes` per controller, in whole bursts, so that all chunks are equal and one is
//   simulated; at most 1 % more than requested.
// Phases: loads and gradients are planned together, so that both of a controller share a phase.
// Failures: failed controllers hold nothing and send nothing; the working ones have larger shares.
// Errors: BadInput for a machine without working controllers, or with fewer of them than shards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"
#include "workload/operation_shapes.h"
#include "workload/task_graph.h"

namespace fredsim {

enum class Stream : std::uint8_t { kBroadcast, kMulticast };

inline constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20U;

// Rank of an I/O controller in a graph whose first ranks are workers; added if missing.
// `controllers`: working controllers, ascending, in the order of their ranks.
int controller_rank(TaskGraph& graph, int workers, const std::vector<int>& controllers,
                    int controller);

// Number of shards of the weights.
int shards_of(Stream stream, const Strategy& strategy);
// Number of deals of the controllers to so many shards.
int deals_of(const Topology& topology, int shards);

class WeightStreams {
 public:
  enum class Direction : std::uint8_t { kLoad, kGradients };

  // `npus`: by worker. All must outlive it.
  WeightStreams(TaskGraph& graph, OperationShapes& shapes, const Topology& topology,
                const Strategy& strategy, const std::vector<int>& npus, Stream stream,
                std::uint64_t chunk_bytes);

  // Adds an operation that moves weights or gradients; bytes by stage. `after`: dependencies by
  // worker. Returns the tasks by worker.
  std::vector<int> add(Direction direction, const std::vector<std::uint64_t>& stage_bytes,
                       const std::string& name, int iteration, std::vector<std::vector<int>> after);

 private:
  struct Shard {
    int stage = 0;
    std::vector<int> controllers;
    std::vector<int> workers;
  };
  using Deal = std::vector<Shard>;
  static constexpr int kDirections = 2;

  void deal_out(int shards);
  std::vector<int> add_operation(const Deal& deal, Direction direction,
                                 const std::vector<std::uint64_t>& stage_bytes,
                                 const std::string& name, int iteration,
                                 std::vector<std::vector<int>> after);
  std::vector<CollectiveSpec> specs(const Deal& deal, Direction direction,
                                    const std::vector<std::uint64_t>& chunks) const;
  std::uint64_t bytes_of(const Deal& deal, std::size_t shard,
                         const std::vector<std::uint64_t>& stage_bytes) const;
  std::uint64_t unit_of(const Shard& shard) const;
  void add_controllers(const Task& of, Direction direction, const Shard& shard);

  TaskGraph& graph_;
  OperationShapes& shapes_;
  const Topology& topology_;
  const Strategy strategy_;
  const std::vector<int>& npus_;
  Stream stream_;
  std::uint64_t chunk_bytes_;     // per controller, approximate
  std::vector<int> controllers_;  // working controllers
  std::vector<Deal> deals_;       // deals; a broadcast has one shard in all
  // Latest task by controller and direction; iteration of the latest task by controller.
  std::vector<std::vector<int>> latest_;
  std::vector<int> iteration_;
};

}  // namespace fredsim
