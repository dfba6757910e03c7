// SPDX-License-Identifier: Apache-2.0
#include "experts/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/random.h"
#include "experts/router_file.h"

namespace fredsim {
namespace {

constexpr double kMaxExponent = 8;

std::vector<double> zipf_shares(int experts, double exponent, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (int left = experts; left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint64_t>(left))]);
  std::vector<double> shares(order.size());
  for (int place = 0; place < experts; ++place)
    shares[order[place]] = std::pow(place + 1, -exponent);
  return shares;
}

// Chances that add up to `top_k`, none above 1.
std::vector<double> chances_of(std::vector<double> shares, int top_k) {
  std::vector<bool> is_full(shares.size(), false);
  double left = top_k;
  for (bool changed = true; changed;) {
    changed = false;
    double sum = 0;
    for (std::size_t e = 0; e < shares.size(); ++e)
      if (!is_full[e]) sum += shares[e];
    const double scale = sum > 0 ? left / sum : 0;
    for (std::size_t e = 0; e < shares.size(); ++e) {
      if (is_full[e] || shares[e] * scale < 1) continue;
      shares[e] = 1;
      is_full[e] = changed = true;
      left -= 1;
    }
    if (changed) continue;
    for (std::size_t e = 0; e < shares.size(); ++e)
      if (!is_full[e]) shares[e] *= scale;
  }
  return shares;
}

void check_row(const RouterShares& shares, std::size_t row, int experts) {
  const std::vector<double>& values = shares.rows[row];
  if (std::ssize(values) != experts)
    throw BadInput(fmt::format("{}: found {} shares; allowed: {}, one for each expert of the model",
                               shares.places[row], values.size(), experts));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (std::abs(sum - 1) > kShareTolerance)
    throw BadInput(fmt::format("{}: found shares that add up to {:g}; allowed: 1, within {:g}",
                               shares.places[row], sum, kShareTolerance));
}

void check_rows(const RouterShares& shares, int layers, int ranks) {
  const auto rows = std::ssize(shares.rows);
  if (shares.by == RouterRows::kLayers && rows != layers)
    throw BadInput(fmt::format("{}: rows by layer: found {}; allowed: {}, the layers with experts",
                               shares.path, rows, layers));
  if (shares.by == RouterRows::kRanks && rows != ranks)
    throw BadInput(fmt::format("{}: rows by rank: found {}; allowed: {}, as --ep says", shares.path,
                               rows, ranks));
}

}  // namespace

bool RouterOptions::is_alike() const {
  return kind == Kind::kUniform || (kind == Kind::kFile && shares.by == RouterRows::kAll);
}

RouterOptions parse_router(const std::string& text, std::uint64_t seed) {
  using Kind = RouterOptions::Kind;
  constexpr std::string_view kZipf = "zipf:";
  RouterOptions options{.kind = Kind::kUniform, .seed = seed, .name = text};
  if (text == "uniform") return options;
  if (text.starts_with(kZipf)) {
    options.kind = Kind::kZipf;
    const char* const begin = text.data() + kZipf.size();
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, options.exponent);
    if (error == std::errc() && stop == end && options.exponent >= 0 &&
        options.exponent <= kMaxExponent)
      return options;
    throw BadInput(
        fmt::format("--router: found '{}'; allowed: zipf:S, S a number from 0 to {:g}, such as "
                    "zipf:1.2",
                    shown(text), kMaxExponent));
  }
  std::error_code error;  // set, for example, by a name that is too long
  if (!std::filesystem::exists(text, error))
    throw BadInput(
        fmt::format("--router: found '{}'; allowed: uniform, zipf:S or a file", shown(text)));
  options.kind = Kind::kFile;
  options.shares = read_router_file(text);
  return options;
}

Router::Router(const RouterOptions& options, int layers, int ranks, int experts, int top_k)
    : layers_(layers), experts_(experts), top_k_(top_k) {
  using Kind = RouterOptions::Kind;
  if (options.kind == Kind::kUniform) {
    chances_.push_back(
        chances_of(std::vector<double>(static_cast<std::size_t>(experts), 1.0), top_k));
  } else if (options.kind == Kind::kZipf) {
    by_ = RouterRows::kLayers;
    for (int layer = 0; layer < layers; ++layer)
      chances_.push_back(
          chances_of(zipf_shares(experts, options.exponent,
                                 mix64(options.seed) + static_cast<std::uint64_t>(layer)),
                     top_k));
  } else {
    by_ = options.shares.by;
    check_rows(options.shares, layers, ranks);
    for (std::size_t row = 0; row < options.shares.rows.size(); ++row) {
      check_row(options.shares, row, experts);
      const auto used =
          std::ranges::count_if(options.shares.rows[row], [](double s) { return s > 0; });
      if (used < top_k)
        throw BadInput(
            fmt::format("{}: found {} shares above 0; allowed: {} or more, the experts "
                        "of a token",
                        options.shares.places[row], used, top_k));
      chances_.push_back(chances_of(options.shares.rows[row], top_k));
    }
  }
}

std::size_t Router::row(int layer, int rank) const {
  if (by_ == RouterRows::kAll) return 0;
  return static_cast<std::size_t>(by_ == RouterRows::kLayers ? layer : rank);
}

const std::vector<double>& Router::chances(int layer, int rank) const {
  return chances_.at(row(layer, rank));
}

}  // namespace fredsim
