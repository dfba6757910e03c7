// SPDX-License-Identifier: Apache-2.0
#include "runner/bandwidth_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"

namespace fredsim {
namespace {

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

BandwidthBound bound_of(const std::string& text, const std::string& option, bool is_sum) {
  const auto [names, value] = named_value(text, option, is_sum ? "d2,d3=200GB/s" : "d0=500GB/s");
  BandwidthBound bound;
  for (const std::string_view name : split_at(names, ',')) bound.dimensions.emplace_back(name);
  if (!is_sum && bound.dimensions.size() != 1)
    throw BadInput(fmt::format("{}: found '{}'; allowed: one dimension", option, shown(text)));
  bound.gbps = parse_gbps(value, option);
  bound.text = fmt::format("{} {}", option, text);
  return bound;
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

double parse_gbps(const std::string& text, const std::string& option) {
  return static_cast<double>(parse_bandwidth(text, option)) / 1e9;
}

BandwidthBound parse_bound(const std::string& text, const std::string& option) {
  return bound_of(text, option, false);
}

BandwidthBound parse_sum(const std::string& text, const std::string& option) {
  return bound_of(text, option, true);
}

bool parse_order(const std::string& text, const std::string& option) {
  parse_word(option, text, words_in("descending"));
  return true;
}

std::pair<std::string, double> parse_dollars(const std::string& text, const std::string& option) {
  const auto [name, value] = named_value(text, option, "d0=2");
  return {name, plain_number(value, option)};
}

BandwidthOptions bandwidth_options(const OptionTexts& texts) {
  BandwidthOptions options;
  read_rows(kBandwidthRows, texts, options);
  if (texts.has("--algorithm") && !options.is_flow)
    throw BadInput("--algorithm: found beside --engine model; allowed: with --engine flow");
  if (texts.has("--workload") == texts.has("--size"))
    throw BadInput(fmt::format("--workload: {}; allowed: --workload, once or more, or --size",
                               texts.has("--size") ? "found beside --size" : "missing"));
  OptionTexts of_train = texts.of({"--mp", "--dp", "--pp", "--minibatch", "--microbatches"});
  for (const std::string& word : texts.list("--workload")) {
    of_train["--workload"] = word;
    TrainOptions& workload = options.workloads.emplace_back(train_options(of_train, {}));
    workload.training.accounting = options.accounting;
    workload.training.algorithm = options.algorithm;
  }
  options.weights =
      weights_of(texts["--weights"], std::max<std::size_t>(1, options.workloads.size()));
  if (!texts.has("--total"))
    throw BadInput("--total: missing; allowed: a bandwidth, such as 300GB/s");
  if (!options.dollars.empty() && !options.has_cost)
    throw BadInput("--cost: found beside --for time; allowed: with --for time_cost");
  return options;
}

}  // namespace fredsim
