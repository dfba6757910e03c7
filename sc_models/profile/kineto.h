// SPDX-License-Identifier: Apache-2.0
// A profile of PyTorch (torch.profiler, Kineto's Chrome trace): what one rank's threads and GPU
// did.
//
// Accepted: names of categories of all versions ("cpu_op", "Operator"; "kernel", "Kernel"), a file
//   that is the list of events itself, gzip, unknown events, which are counted. Events of the
//   autograd profiler without Kineto have no category: they are operations of the CPU.
// Collectives of gloo and MPI are in `gpu` (detail/host_collectives.h).
// Times: picoseconds since the earliest event, exact: 4458676522690.655 µs has more digits than a
//   double.
// Order: each list ascends by begin, then as in the file.
// Errors: BadInput with file, event (from 0, as in the file) and key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/collective_call.h"

namespace fredsim {

struct Kineto {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  using Ps = std::int64_t;

  struct Event {
    Ps begin = 0, end = 0;
    int name = 0;              // index into `names`
    int thread = 0;            // index into `threads`; of the GPU: stream
    std::uint64_t number = 0;  // place in the file
  };
  struct CpuOp : Event {
    bool is_annotation = false;
    std::uint64_t record = kNone;  // "Record function id"
    int call = -1;                 // index into `calls`
    int shape = -1;                // index into `shapes`: dimensions of its inputs
    bool is_backward = false;      // "Fwd thread id": autograd runs it for another thread
  };
  struct Runtime : Event {  // call of CUDA by a thread
    std::uint64_t correlation = kNone;
  };
  enum class GpuKind : std::uint8_t { kKernel, kCopy, kSet };
  struct GpuOp : Event {
    GpuKind kind = GpuKind::kKernel;
    int device = 0;
    std::uint64_t correlation = kNone;
    std::uint64_t bytes = 0;
  };
  struct Sync : Event {  // wait that the profiler recorded (category cuda_sync)
    int device = -1;     // -1: not told
    int on_stream = -1;  // stream that is waited for
    std::uint64_t record_correlation = kNone;  // call that recorded the event waited for
    std::uint64_t correlation = kNone;
  };
  struct Flow {  // from a forward operation to its backward one
    int from_thread = 0, to_thread = 0;
    Ps from = 0, to = 0;
  };
  using Shape = std::vector<std::vector<std::uint64_t>>;

  std::string path;
  std::vector<std::string> names, threads;
  std::vector<CpuOp> cpu;
  std::vector<Runtime> runtime;
  std::vector<GpuOp> gpu;
  std::vector<Sync> syncs;
  std::vector<Flow> flows;
  std::vector<CollectiveCall> calls;
  std::vector<Shape> shapes;
  int rank = -1, world = 0;                        // of distributedInfo; -1, 0: not told
  std::map<std::string, std::vector<int>> groups;  // of distributedInfo, by name
  std::uint64_t events = 0, unknown = 0;
};

Kineto read_kineto(const std::string& path);

// Steps of the profile: "ProfilerStep#N".
struct ProfiledStep {
  int number = 0;
  Kineto::Ps begin = 0, end = 0;
};
std::vector<ProfiledStep> steps_of(const Kineto& profile);

}  // namespace fredsim
