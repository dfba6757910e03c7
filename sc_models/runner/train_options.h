// SPDX-License-Identifier: Apache-2.0
// Options of training iterations or inference, checked.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/training_results.h"
#include "runner/file_uses.h"
#include "runner/placement.h"
#include "workload/model_shape.h"
#include "workload/trace_rules.h"
#include "workload/training_question.h"
#include "workload/training_rows.h"
#include "workload_files/trace_files.h"
#include "workload_files/trace_node.h"

namespace fredsim {

struct FitOptions {
  std::size_t machine = 0;  // index on the command line
  std::string word;         // machine as typed
  double speedup = 0;
};

struct TrainOptions : TrainingQuestion {
  enum class Source : std::uint8_t {
    kBuiltIn,
    kModelFile,
    kText,    // ASTRA-sim's format
    kTraces,  // Chakra's format
  };
  Source source = Source::kBuiltIn;
  std::string workload;  // a name, a file, or a prefix of files
  TraceName traces{};
  std::optional<TraceDependencies> dependencies{};  // of traces; none: as they are
  std::string comm_groups;                          // a file, for traces; empty: none
  std::string export_prefix;                        // prefix of the written traces; empty: none
  bool names_algorithm = false;                     // false: default algorithm
  std::optional<Placement> placement{};             // none: auto
  double compute_rate = 0;                          // FLOP/s of every NPU; 0: the roofline
  std::optional<FitOptions> fit;
  TraceRules rules{};                      // of traces
  std::vector<ForeignKey> foreign_keys{};  // of files that these options were made from
};

// Reads the values of kTrainingRows. `machines`: as typed, base first.
TrainOptions train_options(const OptionTexts& texts, const std::vector<std::string>& machines);

// Model of a workload by name or by a model file.
ModelShape model_of(const TrainOptions& options);

// Adds the expert files that are read.
void add_expert_files(const ExpertOptions& options, std::vector<FileUse>& inputs);

}  // namespace fredsim
