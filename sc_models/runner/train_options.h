// SPDX-License-Identifier: Apache-2.0
// Training iterations or inference as asked for, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plan/chunking.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "runner/placement.h"
#include "workload/expert_layers.h"
#include "workload/inference_graph.h"
#include "workload/training_graph.h"

namespace fredsim {

struct FitOptions {
  std::size_t machine = 0;  // index on the command line
  std::string word;         // as it is there
  double speedup = 0;
};

struct TrainOptions {
  enum class Source : std::uint8_t {
    kBuiltIn,
    kModelFile,
    kText,    // ASTRA-sim's format
    kTraces,  // Chakra's format
  };
  Source source = Source::kBuiltIn;
  std::string workload;          // a name, a file, or a prefix of files
  std::string comm_groups;       // a file, of traces; empty: none
  std::string export_prefix;     // prefix of the traces to be written; empty: none
  bool names_algorithm = false;  // else it is the default
  int text_mp = 0;               // MP of a text workload; 0: as it says
  SequenceSplit split{};         // its contexts are in the strategies' dp
  TrainingOptions training;
  std::optional<Placement> placement{};         // none: auto
  std::optional<InferenceOptions> inference{};  // in place of training
  std::string accounting, gradients;            // as they are printed
  std::string compress{};                       // the same; empty: nothing is
  std::string optimizer;                        // the same; empty where weights are streamed
  std::string recompute{};                      // the same
  std::string execution, stream;                // the same; stream is empty where weights stay
  OnConflict on_conflict = OnConflict::kRefuse;
  PacketOrder packet_order = PacketOrder::kAuto;
  Chunking chunking{};
  ExpertOptions experts{};
  double compute_rate = 0;  // FLOP/s of every NPU; 0: the roofline
  std::optional<FitOptions> fit;
  bool best_base = false;  // the base once more, as well as it can
};

}  // namespace fredsim
