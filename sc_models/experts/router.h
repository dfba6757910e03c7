// SPDX-License-Identifier: Apache-2.0
// Routers of a mixture of experts: the probabilities with which a token goes to each expert.
//
// A token goes to `top_k` different experts. A router defines the share of tokens that each expert
//   gets: all equal; by Zipf's law, the r-th most popular expert of a layer in proportion to
//   r^-exponent, in an order that the seed draws for each layer; or from a file, for all layers
//   alike, by layer with experts, or by the rank that owns the token.
// Chance that a token goes to an expert: top_k × its share, at most 1. The excess above 1 is
//   divided over the other experts in proportion.
// Shapes: `layers` with experts, 0 and up; `ranks` of a group of expert parallelism.
// Errors: BadInput if a file has not one row for each of its layers or ranks, not a column for each
//   expert, or if rows do not add up to 1 within kShareTolerance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

inline constexpr double kShareTolerance = 1e-3;

enum class RouterRows : std::uint8_t { kAll, kLayers, kRanks };

// Shares of a file, unchanged.
struct RouterShares {
  std::string path;
  RouterRows by = RouterRows::kAll;
  std::vector<std::vector<double>> rows{};  // index: layer or rank, then expert
  std::vector<std::string> places{};        // index: row; its line, for messages
};

struct RouterOptions {
  enum class Kind : std::uint8_t { kUniform, kZipf, kFile };
  Kind kind = Kind::kUniform;
  double exponent = 0;
  RouterShares shares{};
  std::uint64_t seed = 1;
  std::string name = "uniform";  // name as given
  // Returns true if every layer and rank has the same shares.
  bool is_alike() const;
};

// "uniform", "zipf:1.2", or a file (router_file.h).
RouterOptions parse_router(const std::string& text, std::uint64_t seed);

class Router {
 public:
  Router(const RouterOptions& options, int layers, int ranks, int experts, int top_k);

  int experts() const { return experts_; }
  int top_k() const { return top_k_; }
  int layers() const { return layers_; }
  // Chance of each expert to get a token of this rank. They add up to top_k.
  const std::vector<double>& chances(int layer, int rank) const;

 private:
  std::size_t row(int layer, int rank) const;

  int layers_ = 1, experts_ = 1, top_k_ = 1;
  RouterRows by_ = RouterRows::kAll;
  std::vector<std::vector<double>> chances_;  // index: row
};

}  // namespace fredsim
