// Command line of `fredsim train`, as far as no other command has it.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "workload/training_graph.h"

namespace fredsim {

struct FitOptions {
  std::size_t machine = 0;  // of the command line
  std::string word;         // as it is there
  double speedup = 0;
};

struct TrainOptions {
  std::string workload;  // a name, or a file
  bool is_file = false;
  TrainingOptions training;
  std::string accounting, gradients;  // as they are printed
  OnConflict on_conflict = OnConflict::kRefuse;
  double compute_rate = 0;  // FLOP/s of every NPU; 0: the roofline
  std::optional<FitOptions> fit;
};

// The options' strings, as CLI11 collects them.
struct TrainStrings {
  std::string workload = "resnet152";
  std::string mp = "1", dp = "1", pp = "1";
  std::string minibatch, samples, microbatches;
  std::string iterations = "2";
  std::string algorithm = "paper";
  std::string accounting = "serial";
  std::string gradients = "bucket=25MB";
  std::string on_conflict;
  std::string compute_rate, fit;
  void add_to(CLI::App& command);
  // `machines`: as typed, the base first.
  TrainOptions checked(const std::vector<std::string>& machines) const;

 private:
  void check_samples(TrainOptions& options) const;
  void check_rate(TrainOptions& options, const std::vector<std::string>& machines) const;
};

}  // namespace fredsim
