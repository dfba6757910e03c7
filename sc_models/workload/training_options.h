// SPDX-License-Identifier: Apache-2.0
// Options of a training run; workload/training_graph.h defines their effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/parallelism.h"
#include "workload/compute_time.h"
#include "workload/expert_layers.h"
#include "workload/optimizer.h"
#include "workload/schedule.h"
#include "workload/weight_streams.h"

namespace fredsim {

enum class Accounting : std::uint8_t { kSerial, kOverlap };
enum class Execution : std::uint8_t { kStationary, kStreaming };

inline constexpr std::uint64_t kBucketBytes = 25'000'000;
inline constexpr std::uint64_t kPipelineMicrobatches = 8;  // §8.2

struct TrainingOptions {
  Strategy strategy;            // contexts (ModelShape::split) are in its dp
  std::vector<int> npus{};      // by worker; empty: the paper's placement
  std::uint64_t minibatch = 0;  // samples of an iteration, over all replicas
  std::uint64_t microbatches = 1;
  int iterations = 2;
  Accounting accounting = Accounting::kSerial;
  const Schedule* gradients = schedules().front();
  std::uint64_t bucket_bytes = kBucketBytes;
  int every = 1;  // iterations from one reduction over all replicas to the next; else within nodes
  Compression compression{};
  Optimizer optimizer = Optimizer::kNone;
  Recompute recompute = Recompute::kNone;
  bool limits_memory = false;  // to the memory of the NPUs
  Execution execution = Execution::kStationary;
  ExpertOptions experts{};
  // Options of streaming:
  Stream stream = Stream::kBroadcast;
  int stream_layers = 2;  // attention and MLP of a transformer
  int stream_groups = 2;
  std::uint64_t chunk_bytes = kChunkBytes;
  std::string algorithm = "paper";  // algorithm of all collectives but the loading of input

  bool overlaps() const { return accounting == Accounting::kOverlap; }
};

}  // namespace fredsim
