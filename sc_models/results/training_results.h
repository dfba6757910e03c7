// SPDX-License-Identifier: Apache-2.0
// Results of `fredsim train`.
//
// Units: ns; FLOP/s. Every time was simulated; computation times come from a rate or from the
// model file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/results.h"

namespace fredsim {

// A key of another simulator's file, and what becomes of it.
struct ForeignKey {
  std::string key, found;
  std::string use;   // "mapped", "ignored", "unsupported"
  std::string says;  // meaning here, or why it has none
};

// The workload, the same on all machines, beside the options (workload/training_question.h).
struct TrainedWorkload {
  std::string name;          // name of the model
  std::string model_file{};  // empty: built in
  // Description of a text workload or traces, such as "traces, 8 ranks, 280 nodes"; these define
  // the work themselves.
  std::string given{};
  std::uint64_t parameters = 0;
  std::string strategy;                    // "mp2-dp5-pp2", with contexts "mp2-cp5-dp1-pp2"
  std::vector<double> layers_per_stage{};  // transformers: whole layers and halves
  std::string algorithm;  // algorithm of the collectives; of a text workload also its own
  // Compute rate of all NPUs if it was fitted or requested; else each has the roofline of its
  // machine file.
  std::optional<double> compute_rate{};  // FLOP/s
  struct Fit {
    std::string config;  // machine, as typed
    double speedup = 0;  // requested speed-up
    int runs = 0;        // pairs of runs in the search
  };
  std::optional<Fit> fit{};
  // Idealisations: assumptions of these numbers that a real machine does not satisfy for free, a
  // sentence each.
  std::vector<std::string> idealised{};
  // Idealisations that change the meaning of the results: memory that does not exist.
  std::vector<std::string> warnings{};
  // Keys of ASTRA-sim's files (`fredsim astra`).
  std::vector<ForeignKey> foreign_keys{};
};

// An NPU or I/O controller.
struct TrainedRank {
  std::string member;
  double end_ns = 0;  // end of its last task: the sum of the following (workload/rank_time.h)
  double compute_ns = 0, memory_ns = 0, exposed_ns = 0, bubble_ns = 0;
};

// Memory of the NPU that needs the most, and the part that exceeds its own memory.
struct NpuMemory {
  std::uint64_t weights = 0, gradients = 0, optimizer = 0, activations = 0, expanded = 0;
};

// Experts of a model, as requested, and the results of their routers.
struct ExpertUse {
  int ep = 1;
  std::string router{}, placement{};  // as typed
  int slots = 0;                      // 0: as many as --ep divides them into
  double capacity = 0;                // 0: no limit
  std::uint64_t routed = 0, dropped = 0;
  double imbalance = 1;
};

// Times of inference.
struct TokenTimes {
  double pass_ns = 0;       // time to the first token of prompts, or from one token to the next
  double tokens_per_s = 0;  // tokens of prompts, or generated
};

struct TrainingResult {
  RunResult run;            // cycles of all iterations
  double iteration_ns = 0;  // mean; empty in an interrupted run, like all members below
  std::vector<double>
      iterations_ns;  // by iteration, up to the end of the last NPU; complete iterations only
  // Breakdowns of a mean iteration, each with this sum: time of an NPU, mean of all NPUs with work
  // (exposed communication by kind, "bubble" beside it), and tasks of the critical path by kind,
  // which are not exposed times.
  std::vector<std::pair<std::string, double>> breakdown_ns, critical_path_ns;
  // Placement of workers on NPUs: "paper", "snake", "searched", "identity" or a file's path; empty:
  // not a model.
  std::string placement{};
  std::vector<int> npus{};          // by worker
  std::optional<double> speedup{};  // over the first machine
  // True for an additional run of the first machine. `algorithm`, `stream`: its best ones; empty:
  // as in all runs.
  bool is_best_base = false;
  std::string algorithm{}, stream{};
  // Order of the packets of some collectives: "recurring", "paced"; empty: order of arrival for
  // all.
  std::string packet_order{};
  std::optional<double> speedup_best_base{};  // over the faster of the two
  std::vector<TrainedRank> ranks;
  std::optional<TokenTimes> tokens{};  // inference only
  std::optional<NpuMemory> memory{};   // training of a model only
  std::optional<ExpertUse> experts{};  // only where the model has some
  std::vector<std::string> words{};    // of a text workload: what each of its words does here
};

}  // namespace fredsim
