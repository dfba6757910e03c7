// SPDX-License-Identifier: Apache-2.0
// Executions of a training iteration: the place of the weights, the order of the passes through the
// stages, and the memory and graph size that follow.
//
// An execution is a file in executions/ and its name in schedules.cmake.
// Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workload/compute_time.h"
#include "workload/layer_ranges.h"
#include "workload/schedule.h"
#include "workload/weight_streams.h"

namespace fredsim {

struct TrainingOptions;

// Interface to the iteration under construction, in the steps that an execution orders.
class Passes {
 public:
  // Makes the first stage wait for its input.
  virtual void wait_for_input() = 0;
  // Runs all microbatches of a stage whose weights stay, forward, then backward, and reduces its
  // gradients.
  virtual void forward_and_backward(int stage) = 0;

  // ---- streaming: groups of layers, one after the other

  virtual int layer_groups() const = 0;
  // Gives the stages the layers of this group; returns the number of the round, a group in a pass.
  virtual int begin(int group, Pass pass) = 0;
  virtual void stream(WeightStreams::Direction direction) = 0;
  // Runs the layers of a stage in the current round, with its transfers from and to other stages.
  virtual void run_layers(int stage, int microbatch) = 0;
  virtual void receive(int from, int to, int microbatch, int round) = 0;
  virtual void send(int from, int to, int microbatch) = 0;
  // Ends the computations of the current round.
  virtual void computed() = 0;

 protected:
  ~Passes() = default;
};

class ExecutionKind {
 public:
  ExecutionKind() = default;
  virtual ~ExecutionKind() = default;
  ExecutionKind(const ExecutionKind&) = delete;
  ExecutionKind& operator=(const ExecutionKind&) = delete;

  virtual std::string_view name() const = 0;  // value of `--execution`
  // True if NPUs keep the weights, reduce gradients by a schedule, and update parameters; models
  // may then have experts.
  virtual bool keeps_weights() const = 0;
  // Layers of a stage: one range per set of layers that an NPU has at a time.
  virtual std::vector<LayerRange> ranges(const ModelShape& model, const TrainingOptions& options,
                                         int stage) const = 0;

  // ---- plan

  virtual void run(Passes& passes, const TrainingOptions& options) const = 0;

  // ---- memory

  struct Memory {
    std::uint64_t weights = 0;  // parameters
    Schedule::Memory gradients{};
  };
  // Memory of an NPU. `parameters`: of a worker, in layers that it has at a time.
  virtual Memory memory(std::uint64_t parameters, const TrainingOptions& options) const = 0;

  // ---- size of the graph of an iteration

  // Number of transfers from a stage to another one, for each microbatch.
  virtual std::uint64_t transfers(const ModelShape& model,
                                  const TrainingOptions& options) const = 0;
  // Number of operations that stream weights and gradients, each of all shards.
  virtual std::uint64_t streams(const ModelShape& model, const TrainingOptions& options,
                                const Topology& topology) const = 0;
};

// All executions, by the number of their Execution.
std::span<const ExecutionKind* const> executions();
const ExecutionKind& execution_of(const TrainingOptions& options);

}  // namespace fredsim
