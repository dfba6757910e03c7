// SPDX-License-Identifier: Apache-2.0
// Options of the bandwidth search, with their rows.
//
// Units: decimal GB/s, bytes.
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/option_row.h"
#include "runner/option_values.h"
#include "runner/train_options.h"

namespace fredsim {

// "d0=500GB/s", or the bound of a sum "d2,d3=200GB/s".
struct BandwidthBound {
  std::vector<std::string> dimensions{};
  double gbps = 0;
  std::string text{};  // with its option
};

struct BandwidthOptions {
  std::vector<TrainOptions> workloads{};
  std::uint64_t all_reduce_bytes = 0;  // replaces the workloads; 0: workloads are used
  std::vector<double> weights{};       // by workload, sum 1
  bool is_flow = false;
  bool has_cost = false;
  Accounting accounting = Accounting::kSerial;
  std::string algorithm = "auto";  // simulation: algorithm of all collectives
  double total_gbps = 0;
  std::vector<BandwidthBound> at_least{}, at_most{}, sums{};
  bool descends = false;
  std::vector<std::pair<std::string, double>> dollars{};  // by dimension
  std::uint64_t max_evaluations = 0;                      // 0: default of the engine
};

double parse_gbps(const std::string& text, const std::string& option);
BandwidthBound parse_bound(const std::string& text, const std::string& option);
BandwidthBound parse_sum(const std::string& text, const std::string& option);
bool parse_order(const std::string& text, const std::string& option);
std::pair<std::string, double> parse_dollars(const std::string& text, const std::string& option);

namespace bandwidth_rows {

using B = BandwidthOptions;
inline constexpr std::uint64_t kMaxEvaluations = 1'000'000'000;
// The search for a network (topoopt_options.h) has this option, too.
inline constexpr Where kNetwork = 2;
inline constexpr Where kBandwidths = 1;

inline constexpr auto kAll = rows::under(
    headings::kWork,
    rows::given<B>("--workload", "NAME",
                   "a model, a model file or a text workload, as of `train`; several times: the "
                   "mean of their times",
                   {.most = kAnyNumber}),
    rows::parsed<parse_collective_size, &B::all_reduce_bytes>(
        "--size", "SIZE", "in place of a workload: an all-reduce over all NPUs",
        {.where = kBandwidths}),
    rows::word<&B::has_cost>("--for", "GOAL",
                             "objective: time (default) or time_cost, time x cost of the network",
                             {.words = "time time_cost", .initial = "time", .where = kBandwidths}),
    rows::parsed<parse_gbps, &B::total_gbps>(
        "--total", "BANDWIDTH", "bandwidth of an NPU over all dimensions, all of it allocated",
        {.where = kBandwidths}),
    rows::parsed<parse_bound, &B::at_least>("--at-least", "DIMENSION=BANDWIDTH",
                                            "minimum bandwidth of a dimension",
                                            {.most = kAnyNumber, .where = kBandwidths}),
    rows::parsed<parse_bound, &B::at_most>("--at-most", "DIMENSION=BANDWIDTH",
                                           "maximum bandwidth of a dimension",
                                           {.most = kAnyNumber, .where = kBandwidths}),
    rows::parsed<parse_sum, &B::sums>("--sum", "DIMENSION,DIMENSION=BANDWIDTH",
                                      "bandwidth of some dimensions together",
                                      {.most = kAnyNumber, .where = kBandwidths}),
    rows::parsed<parse_order, &B::descends>(
        "--order", "ORDER", "descending: each dimension has at least what the next one has",
        {.offer = "descending", .where = kBandwidths}),
    rows::given<B>("--weights", "W,W", "of the workloads' times (default: equal)",
                   {.where = kBandwidths}),
    rows::parsed<parse_dollars, &B::dollars>(
        "--cost", "DIMENSION=DOLLARS",
        "cost per GB/s of an NPU, in place of LIBRA's: a link between tiles 2, packages and nodes "
        "4, their switches 13, pods: link 7.8, switch 18, NIC 31.6",
        {.most = kAnyNumber, .where = kBandwidths}),
    rows::word<&B::accounting>("--accounting", "HOW",
                               "serial (default): computation waits for all communication; "
                               "overlap: weight gradients are sent while earlier layers compute",
                               {.words = "serial overlap", .initial = "serial"}),
    rows::word<&B::is_flow>(
        "--engine", "ENGINE",
        "model (default): analytic times, the global optimum; or flow: simulated without "
        "calibration, a local optimum, also for levels l1 and l2 of Fred trees",
        {.words = "model flow", .initial = "model", .where = kBandwidths}),
    rows::text<&B::algorithm>(
        "--algorithm", "NAME",
        "with --engine flow: of all collectives, on systems by dimension (default: auto)"),
    rows::given<B>("--mp", "N",
                   "of models: NPUs that share one; of text workloads in place of theirs",
                   {.where = kBandwidths}),
    rows::given<B>("--dp", "N", "of models: replicas", {.where = kBandwidths}),
    rows::given<B>("--pp", "N", "of models: stages", {.where = kBandwidths}),
    rows::given<B>("--minibatch", "N", "of models: samples of an iteration"),
    rows::given<B>("--microbatches", "N", "of models: per iteration and replica"),
    rows::number<&B::max_evaluations>(
        "--max-evaluations", "N",
        "limit of the search (default: 1000000 of the model, 200 simulated)",
        {.max = kMaxEvaluations}));

}  // namespace bandwidth_rows
inline constexpr auto& kBandwidthRows = bandwidth_rows::kAll;

// Reads the values of kBandwidthRows.
BandwidthOptions bandwidth_options(const OptionTexts& texts);

}  // namespace fredsim
