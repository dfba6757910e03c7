// SPDX-License-Identifier: Apache-2.0
#include "cli/optimize_arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr auto kGoals = std::to_array<std::string_view>({"time", "time_cost"});
constexpr auto kTimeEngines = std::to_array<std::string_view>({"model", "flow"});
constexpr auto kOrders = std::to_array<std::string_view>({"descending"});
constexpr auto kTimeAccounting = std::to_array<std::string_view>({"serial", "overlap"});
constexpr std::uint64_t kMostEvaluations = 1'000'000'000;

double plain_number(std::string_view text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
      value >= 0)
    return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number, 0 or more", option, shown(text)));
}

// Text before and after the last '='.
std::pair<std::string, std::string> named_value(const std::string& text, const std::string& option,
                                                const std::string& form) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw BadInput(fmt::format("{}: found '{}'; allowed: {}", option, shown(text), form));
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<BandwidthBound> bounds_of(const std::vector<std::string>& texts,
                                      const std::string& option, bool is_sum) {
  std::vector<BandwidthBound> bounds;
  for (const std::string& text : texts) {
    const auto [names, value] = named_value(text, option, is_sum ? "d2,d3=200GB/s" : "d0=500GB/s");
    BandwidthBound& bound = bounds.emplace_back();
    for (const std::string_view name : split_at(names, ',')) bound.dimensions.emplace_back(name);
    if (!is_sum && bound.dimensions.size() != 1)
      throw BadInput(fmt::format("{}: found '{}'; allowed: one dimension", option, shown(text)));
    bound.gbps = static_cast<double>(parse_bandwidth(value, option)) / 1e9;
    bound.text = fmt::format("{} {}", option, text);
  }
  return bounds;
}

std::vector<double> weights_of(const std::string& text, std::size_t workloads) {
  std::vector<double> weights;
  if (text.empty()) {
    weights.assign(workloads, 1.0);
  } else {
    for (const std::string_view word : split_at(text, ','))
      weights.push_back(plain_number(word, "--weights"));
  }
  if (weights.size() != workloads) {
    throw BadInput(fmt::format("--weights: found {}; allowed: {}, one for each --workload",
                               weights.size(), workloads));
  }
  double sum = 0;
  for (const double w : weights) sum += w;
  if (!(sum > 0))
    throw BadInput(
        fmt::format("--weights: found {}, whose sum is 0; allowed: a sum above 0", text));
  for (double& w : weights) w /= sum;
  return weights;
}

}  // namespace

void BandwidthStrings::add_to(CLI::App& command) {
  add(command, "--workload", workloads, "NAME",
      "a model, a model file or a text workload, as of `train`; several times: the mean of their "
      "times");
  add(command, "--size", size, "SIZE", "in place of a workload: an all-reduce over all NPUs");
  offer(add(command, "--for", goal, "GOAL",
            "what is to be least: time (default), or time_cost, time x cost of the network"),
        kGoals);
  add(command, "--total", total, "BANDWIDTH",
      "bandwidth of an NPU over all dimensions, all of which is handed out");
  add(command, "--at-least", at_least, "DIMENSION=BANDWIDTH", "least bandwidth of a dimension");
  add(command, "--at-most", at_most, "DIMENSION=BANDWIDTH", "largest bandwidth of a dimension");
  add(command, "--sum", sums, "DIMENSION,DIMENSION=BANDWIDTH",
      "bandwidth of some dimensions together");
  offer(add(command, "--order", order, "ORDER",
            "descending: each dimension has at least what the next one has"),
        kOrders);
  add(command, "--weights", weights, "W,W", "of the workloads' times (default: equal)");
  add(command, "--cost", costs, "DIMENSION=DOLLARS",
      "per GB/s of an NPU, in place of LIBRA's: a link between tiles 2, packages and nodes 4, "
      "their switches 13, pods: link 7.8, switch 18, NIC 31.6");
  offer(add(command, "--accounting", accounting, "HOW",
            "serial (default): all communication is waited for; overlap: gradients of weights "
            "go beside what comes before them"),
        kTimeAccounting);
  offer(add(command, "--engine", engine, "ENGINE",
            "times by a model (default), the least there is; or by flow: simulated without "
            "calibration, a local optimum; also of trees of Fred switches, levels l1 and l2"),
        kTimeEngines);
  add(command, "--algorithm", algorithm, "NAME",
      "with --engine flow: of all collectives, on systems by dimension (default: auto)");
  add(command, "--mp", mp, "N",
      "of models: NPUs that share one; of text workloads in place of theirs");
  add(command, "--dp", dp, "N", "of models: replicas");
  add(command, "--pp", pp, "N", "of models: stages");
  add(command, "--minibatch", minibatch, "N", "of models: samples of an iteration");
  add(command, "--microbatches", microbatches, "N", "of models: per iteration and replica");
  add(command, "--max-evaluations", max_evaluations, "N",
      "limit of the search (default: 1000000 of the model, 200 simulated)");
}

TrainOptions BandwidthStrings::workload(const std::string& word, Accounting how) const {
  OptionTexts texts;
  texts["--workload"] = word;
  texts["--mp"] = mp;
  texts["--dp"] = dp;
  texts["--pp"] = pp;
  texts["--minibatch"] = minibatch;
  texts["--microbatches"] = microbatches;
  TrainOptions options = train_options(texts, {});
  options.training.accounting = how;
  options.training.algorithm = algorithm.empty() ? "auto" : algorithm;
  return options;
}

BandwidthOptions BandwidthStrings::checked() const {
  BandwidthOptions options;
  options.is_flow = parse_word("--engine", engine, kTimeEngines) == 1;
  options.has_cost = parse_word("--for", goal, kGoals) == 1;
  options.accounting =
      static_cast<Accounting>(parse_word("--accounting", accounting, kTimeAccounting));
  options.accounting_word = accounting;
  if (!order.empty()) parse_word("--order", order, kOrders);
  options.descends = !order.empty();
  options.algorithm = algorithm.empty() ? "auto" : algorithm;
  if (!algorithm.empty() && !options.is_flow)
    throw BadInput("--algorithm: found beside --engine model; allowed: with --engine flow");
  if (workloads.empty() == size.empty()) {
    throw BadInput(fmt::format("--workload: {}; allowed: --workload, once or more, or --size",
                               size.empty() ? "missing" : "found beside --size"));
  }
  if (!size.empty()) options.all_reduce_bytes = parse_collective_size(size, "--size");
  for (const std::string& word : workloads)
    options.workloads.push_back(workload(word, options.accounting));
  options.weights = weights_of(weights, std::max<std::size_t>(1, workloads.size()));
  if (total.empty()) throw BadInput("--total: missing; allowed: a bandwidth, such as 300GB/s");
  options.total_gbps = static_cast<double>(parse_bandwidth(total, "--total")) / 1e9;
  options.at_least = bounds_of(at_least, "--at-least", false);
  options.at_most = bounds_of(at_most, "--at-most", false);
  options.sums = bounds_of(sums, "--sum", true);
  for (const std::string& text : costs) {
    const auto [name, value] = named_value(text, "--cost", "d0=2");
    options.dollars.emplace_back(name, plain_number(value, "--cost"));
  }
  if (!costs.empty() && !options.has_cost)
    throw BadInput("--cost: found beside --for time; allowed: with --for time_cost");
  if (!max_evaluations.empty())
    options.max_evaluations =
        parse_number(max_evaluations, "--max-evaluations", 1, kMostEvaluations);
  return options;
}

}  // namespace fredsim
