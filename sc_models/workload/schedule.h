// SPDX-License-Identifier: Apache-2.0
// Schedules of gradients: the collectives that reduce the buffers of a stage
// (workload/gradient_schedule.h), the dependencies of the next iteration, and the memory and graph
// size that follow.
//
// A schedule is a file in schedules/ and its name in schedules.cmake. The defaults of the functions
//   below fit most schedules: all-reduces in the order of the buffers, the next iteration waits for
//   all of them, and an update of all parameters follows.
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
  std::vector<int> tasks{};  // last task of the buffer by worker of the stage; -1: none
};

// Interface of a stage whose backward pass is over, for schedules.
class StageGradients {
 public:
  virtual std::vector<SentBuffer> take_sent() = 0;  // buffers sent since the last call, in order
  virtual void send(const GradientBuffer& buffer, Collective collective,
                    const std::string& name) = 0;
  // Makes all later tasks wait for the last buffer that was sent.
  virtual void wait_for_sent() = 0;
  // Updates one of `shares` equal shares of the parameters of all layers.
  virtual void update_all(int shares) = 0;
  // Makes the next forward pass of a layer wait for the buffers with its gradients and update their
  // parameters. The buffers that are needed first come last.
  virtual void feed(std::vector<SentBuffer> buffers) = 0;
  virtual int replicas() const = 0;
  // Bytes of the weights that have so many bytes of gradients.
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

  virtual std::string_view name() const = 0;  // value of `--gradients`

  // ---- options

  // Bytes of a buffer if `asked` were requested; 0: one buffer per layer, whatever was requested.
  virtual std::uint64_t buffer_bytes(std::uint64_t asked) const { return asked; }
  bool has_size() const { return buffer_bytes(1) != 0; }
  // Reason why node-local reductions exclude this schedule, the end of "any but NAME, "; empty:
  // they do not.
  virtual std::string_view why_not_every() const { return {}; }
  virtual bool takes_experts() const { return false; }

  // ---- plan

  // Collective that reduces gradients as they come.
  struct Reduction {
    Collective collective = Collective::kAllReduce;
    std::string_view name = "gradients";
  };
  virtual Reduction reduction() const { return {}; }
  // True if the collective whose gradients are needed first goes first, among those that could
  // begin.
  virtual bool has_queue() const { return false; }
  // True if the next forward pass of a layer waits for the layer's own buffers only; else for all.
  virtual bool feeds_layers() const { return false; }
  // Adds the tasks behind the backward pass.
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

  // Number of collectives per buffer.
  virtual int collectives() const { return 1; }
  std::uint64_t buffers(std::uint64_t bytes, std::uint64_t asked, std::uint64_t layers) const;
};

// All schedules, the default first.
std::span<const Schedule* const> schedules();
const Schedule* find_schedule(std::string_view name);  // null: unknown name
std::vector<std::string_view> schedules_of_experts();

}  // namespace fredsim
