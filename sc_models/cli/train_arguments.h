// SPDX-License-Identifier: Apache-2.0
// Command line of `fredsim train`, as far as no other command has it.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/chunk_arguments.h"
#include "cli/expert_arguments.h"
#include "runner/placement.h"
#include "runner/train_options.h"
#include "workload/inference_graph.h"
#include "workload/training_graph.h"

namespace fredsim {

// The options' strings, as CLI11 collects them.
struct TrainStrings {
  std::string workload, trace, comm_groups, export_et;
  std::string mp, dp, pp, cp, placement;
  bool sp = false;
  std::string minibatch, samples, microbatches;
  std::string iterations;
  std::string phase, batch, context, overlap;
  std::string algorithm;
  std::string accounting, gradients, compress, optimizer, recompute, memory;
  std::string execution, stream, stream_layers, stream_groups;
  std::string on_conflict, packet_order;
  ChunkStrings chunking;
  ExpertStrings experts;
  std::string compute_rate, fit;
  bool best_base = false;
  void add_to(CLI::App& command);
  // `machines`: as typed, the base first.
  TrainOptions checked(const std::vector<std::string>& machines) const;

 private:
  TrainOptions::Source source() const;
  void refuse_what_the_files_say(TrainOptions::Source source) const;
  void check_strategy(TrainOptions& options) const;
  void check_model_options(TrainOptions& options) const;
  void check_execution(TrainOptions& options) const;
  void check_gradients(TrainOptions& options) const;
  void check_memory(TrainOptions& options) const;
  void check_optimizer(TrainOptions& options) const;
  void check_samples(TrainOptions& options) const;
  void check_phase(TrainOptions& options) const;
  void check_rate(TrainOptions& options, const std::vector<std::string>& machines) const;
};

}  // namespace fredsim
