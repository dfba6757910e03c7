// SPDX-License-Identifier: Apache-2.0
// Request for training or inference, filled by the rows of its options (workload/training_rows.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/chunking.h"
#include "plan/collective.h"
#include "plan/group_conflict.h"
#include "results/option_row.h"
#include "workload/expert_layers.h"
#include "workload/inference_graph.h"
#include "workload/training_options.h"

namespace fredsim {

struct TrainingQuestion {
  // Kinds, of which a question is one.
  static constexpr Where kStationary = 1, kStreaming = 2;  // training of a model, by its weights
  static constexpr Where kInference = 4;                   // requests to a model
  static constexpr Where kText = 8;                        // a workload in ASTRA-sim's format
  static constexpr Where kTraces = 16;                     // Chakra traces
  static constexpr Where kTraining = kStationary | kStreaming, kModel = kTraining | kInference;

  Where kind = kStationary;
  TrainingOptions training;
  SequenceSplit split{};                        // contexts are in dp of the strategies
  std::optional<InferenceOptions> inference{};  // in place of training
  // Values of --gradients, with the default of its number, and --compress; empty: no compression.
  std::string gradients, compress;
  int text_mp = 0;  // MP of a text workload; 0: value in the file
  OnConflict on_conflict = OnConflict::kRefuse;
  PacketOrder packet_order = PacketOrder::kAuto;
  Chunking chunking{};
  ExpertOptions experts{};
  bool best_base = false;  // runs the base once more with its best algorithm and stream

  bool is_model() const { return (kind & kModel) != 0; }
  bool is_training() const { return (kind & kTraining) != 0; }
};

}  // namespace fredsim
