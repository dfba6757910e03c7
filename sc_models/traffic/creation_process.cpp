// SPDX-License-Identifier: Apache-2.0
#include "traffic/creation_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number_text.h"
#include "base/option_words.h"

namespace fredsim {
namespace {

constexpr double kMinTurn = 1e-6;  // smallest alpha and beta
constexpr double kMaxBurstRate = 1000;
constexpr const char* kBurstForms =
    "two of alpha, beta (0.000001 to 1) and r1 (flits per cycle, up to 1000), such as "
    "alpha=0.02,beta=0.1";

[[noreturn]] void refuse_rate(const BurstOptions& bursts, double rate, const std::string& allowed) {
  throw BadInput(fmt::format("--burst: found '{}' at a rate of {:g}; allowed: {}", bursts.text,
                             rate, allowed));
}

}  // namespace

BurstOptions parse_bursts(const std::string& text, const std::string& option) {
  BurstOptions bursts{.text = text};
  const auto refuse = [&] {
    throw BadInput(fmt::format("{}: found '{}'; allowed: {}", option, text, kBurstForms));
  };
  int count = 0;
  for (const std::string_view field : split_at(text, ',')) {
    const std::size_t equal = std::min(field.find('='), field.size());
    const std::string_view name = field.substr(0, equal);
    const std::optional<double> value = to_double(field.substr(std::min(equal + 1, field.size())));
    std::optional<double>* const member = name == "alpha"  ? &bursts.alpha
                                          : name == "beta" ? &bursts.beta
                                          : name == "r1"   ? &bursts.r1
                                                           : nullptr;
    const double max = name == "r1" ? kMaxBurstRate : 1;
    if (member == nullptr || *member || !value || *value < kMinTurn || *value > max) refuse();
    *member = value;
    ++count;
  }
  if (count != 2) refuse();
  return bursts;
}

CreationProcess make_process(double rate, double mean_flits, const BurstOptions& given) {
  double on_rate = rate;  // while on
  double alpha = given.alpha.value_or(0);
  double beta = given.beta.value_or(0);
  if (given.is_on()) {
    if (given.r1 && *given.r1 <= rate) refuse_rate(given, rate, "an r1 above the rate");
    if (given.r1 && given.beta) alpha = beta * rate / (*given.r1 - rate);
    if (given.r1 && given.alpha) beta = alpha * (*given.r1 - rate) / rate;
    if (alpha > 1 || beta > 1)
      refuse_rate(given, rate,
                  fmt::format("values with which {} is at most 1; it would be {:.4g}",
                              alpha > 1 ? "alpha" : "beta", std::max(alpha, beta)));
    on_rate = rate * (alpha + beta) / alpha;
  }
  const double packets = on_rate / mean_flits;
  const int trials = std::max(1, static_cast<int>(std::ceil(packets)));
  CreationProcess process{.gap = GeometricGap(packets / trials), .trials = trials};
  if (!given.is_on()) return process;
  const double share = alpha / (alpha + beta);
  process.bursts = {.on = GeometricGap(beta),
                    .off = GeometricGap(alpha),
                    .begins_on = static_cast<std::uint64_t>(std::ldexp(share, 53))};
  // Covariances of the states of cycles k apart fall by 1 - alpha - beta per cycle.
  process.dispersion =
      std::max(1.0, 1 + 2 * packets * (1 - share) * (1 - alpha - beta) / (alpha + beta));
  return process;
}

}  // namespace fredsim
