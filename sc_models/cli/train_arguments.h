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
#include "cli/placement.h"
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
