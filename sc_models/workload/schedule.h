// SPDX-License-Identifier: Apache-2.0
// Schedules of gradients: which collectives reduce the buffers of a stage
// (workload/gradient_schedule.h), what the next iteration waits for, and what that needs of memory
// and of the graph.
//
// A schedule is a file in schedules/ and its name in schedules.cmake. The functions below are those
//   of most: all-reduces in the order of the buffers, all of which the next iteration waits for,
//   and an update of all parameters behind them.
// Units: bytes, parameters of a worker.
// Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/collective_spec.h"
#include "workload/gradient_schedule.h"

namespace fredsim {

struct SentBuffer {
  GradientBuffer what;
  std::vector<int> tasks{};  // by worker of the stage: its last one of the buffer; -1: none
};

// A stage whose backward pass is over, as a schedule sees it.
class StageGradients {
 public:
  virtual std::vector<SentBuffer> take_sent() = 0;  // since the last call, in order
  virtual void send(const GradientBuffer& buffer, Collective collective,
                    const std::string& name) = 0;
  // All that comes next waits for the last one that was sent.
  virtual void wait_for_sent() = 0;
  // Updates the parameters of all layers, of which this is one of so many equal shares.
  virtual void update_all(int shares) = 0;
  // The next forward pass of a layer waits for the buffers with its gradients, and updates what
  // they hold. Those that are needed first last.
  virtual void feed(std::vector<SentBuffer> buffers) = 0;
  virtual int replicas() const = 0;
  // Bytes of the weights whose gradients have so many.
  virtual std::uint64_t weight_bytes(std::uint64_t gradient_bytes) const = 0;

 protected:
  ~StageGradients() = default;
};

class Schedule {
 public:
  Schedule() = default;
  virtual ~Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  virtual std::string_view name() const = 0;  // as `--gradients` has it

  // ---- options

  // Bytes of a buffer, of those that were asked for; 0: one per layer, whatever was.
  virtual std::uint64_t buffer_bytes(std::uint64_t asked) const { return asked; }
  bool has_size() const { return buffer_bytes(1) != 0; }
  // Ends "any but NAME, ": node-local reductions do not go with it; empty: they do.
  virtual std::string_view why_not_every() const { return {}; }
  virtual bool takes_experts() const { return false; }

  // ---- plan

  // The collective that takes gradients as they come.
  struct Reduction {
    Collective collective = Collective::kAllReduce;
    std::string_view name = "gradients";
  };
  virtual Reduction reduction() const { return {}; }
  // The collective whose gradients are needed first goes first, among those that could begin.
  virtual bool has_queue() const { return false; }
  // The next forward pass of a layer waits for the layer's own buffers; else for all.
  virtual bool feeds_layers() const { return false; }
  // Behind the backward pass.
  virtual void finish(StageGradients& stage) const;

  // ---- memory

  struct Memory {
    std::uint64_t gradients = 0;  // bytes
    std::uint64_t updated = 0;    // parameters
  };
  struct Held {
    std::uint64_t parameters = 0, buffer = 0;
    int replicas = 1;
    bool overlaps = false;  // gradients leave during the backward pass
  };
  virtual Memory memory(const Held& held) const;

  // ---- size

  // Collectives of each buffer.
  virtual int collectives() const { return 1; }
  std::uint64_t buffers(std::uint64_t bytes, std::uint64_t asked, std::uint64_t layers) const;
};

// All of them, the default first.
std::span<const Schedule* const> schedules();
const Schedule* find_schedule(std::string_view name);  // null: none of that name
std::vector<std::string_view> schedules_of_experts();

}  // namespace fredsim
