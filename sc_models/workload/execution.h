// SPDX-License-Identifier: Apache-2.0
// Executions of a training iteration: where the weights are, in which order the passes go through
// the stages, and what that needs of memory and of the graph.
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

// An iteration that is under way, as an execution orders it.
class Passes {
 public:
  // The first stage waits for its input.
  virtual void wait_for_input() = 0;
  // All microbatches of a stage whose weights stay, forward, then backward, and the reduction of
  // its gradients.
  virtual void forward_and_backward(int stage) = 0;

  // ---- groups of layers that go through the wafer one after the other

  virtual int layer_groups() const = 0;
  // The stages have the layers of this group; the number of the round, a group in a pass.
  virtual int begin(int group, Pass pass) = 0;
  virtual void stream(WeightStreams::Direction direction) = 0;
  // Layers of a stage in the round at work, and what comes from another stage in a round and goes
  // to another one.
  virtual void run_layers(int stage, int microbatch) = 0;
  virtual void receive(int from, int to, int microbatch, int round) = 0;
  virtual void send(int from, int to, int microbatch) = 0;
  // The computations of the round at work are all there.
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

  virtual std::string_view name() const = 0;  // as `--execution` has it
  // NPUs have the weights, reduce gradients by a schedule, and update parameters; models may have
  // experts.
  virtual bool keeps_weights() const = 0;
  // Layers of a stage: those that are there at once together.
  virtual std::vector<LayerRange> ranges(const ModelShape& model, const TrainingOptions& options,
                                         int stage) const = 0;

  // ---- plan

  virtual void run(Passes& passes, const TrainingOptions& options) const = 0;

  // ---- memory

  struct Memory {
    std::uint64_t weights = 0;  // parameters
    Schedule::Memory gradients{};
  };
  // `parameters`: of a worker, layers that are there at once.
  virtual Memory memory(std::uint64_t parameters, const TrainingOptions& options) const = 0;

  // ---- size of the graph of an iteration

  // From a stage to another one, for each microbatch.
  virtual std::uint64_t transfers(const ModelShape& model,
                                  const TrainingOptions& options) const = 0;
  // Operations of weights and gradients on their way, each of all shards.
  virtual std::uint64_t streams(const ModelShape& model, const TrainingOptions& options,
                                const Topology& topology) const = 0;
};

// All of them, by the number of their Execution.
std::span<const ExecutionKind* const> executions();
const ExecutionKind& execution_of(const TrainingOptions& options);

}  // namespace fredsim
