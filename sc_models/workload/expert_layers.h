// SPDX-License-Identifier: Apache-2.0
// Expert layers of a strategy: experts of each worker, and the bytes and FLOPs of a layer.
//
// Groups: `ep` workers of a stage that follow each other, MP fastest, then DP; ep divides MP × DP.
//   Rank r of a group has the experts that the placement gives to rank r. Groups beside each other
//   have copies of the same experts.
// Tokens: a replica's tokens are divided over its MP workers as evenly as possible, the first
//   shares one larger. A worker routes its own tokens, sends them to the ranks that have their
//   experts (dispatch) and gets them back (combine): hidden values, `token_bytes` each, once for
//   every expert of a token (experts/expert_tokens.h). Tokens for experts of their own rank are not
//   sent.
// Units: tokens, bytes.
// Errors: BadInput for sizes that do not divide, with allowed sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/npu_compute.h"
#include "experts/expert_placement.h"
#include "experts/expert_tokens.h"
#include "experts/router.h"
#include "plan/parallelism.h"
#include "workload/layer_ranges.h"
#include "workload/model_shape.h"

namespace fredsim {

struct ExpertOptions {
  enum class Placing : std::uint8_t { kContiguous, kBalanced, kFile };
  int ep = 1;
  RouterOptions router{};
  Placing placing = Placing::kContiguous;
  std::string placement = "contiguous";  // placement as typed
  ExpertPlacement of_file{};
  int slots = 0;        // experts of a rank; 0: experts / ep
  double capacity = 0;  // factor (expert_tokens.h); 0: no limit
  std::uint64_t seed = 1;
  std::string given{};  // an option of experts that was given, for messages
};

// Routing totals of a run: tokens × experts, and their imbalance.
struct ExpertRouting {
  std::uint64_t routed = 0, dropped = 0;
  double imbalance = 1;  // tokens of the busiest rank over the mean, mean of the layers
};

class ExpertLayers {
 public:
  using Members = std::vector<int>;  // workers
  using Tokens = std::vector<std::uint64_t>;

  // `shape`: with experts. `model`: its name, for messages.
  ExpertLayers(const std::string& model, const TransformerShape& shape, const Strategy& strategy,
               const ExpertOptions& options);

  int ep() const { return options_.ep; }
  // Groups of a stage, or of all but it, in the order of their workers.
  std::vector<Members> groups(int stage, bool of_others) const;
  // Workers of a stage that have the same experts, where there are two or more.
  std::vector<Members> copies(int stage, bool of_others) const;
  int rank_of(int worker) const { return worker % options_.ep; }

  // Share of a replica's tokens that its MP worker has.
  std::uint64_t own_tokens(std::uint64_t of_replica, int mp) const;

  // `layer`: index among the expert layers. `of_ranks`: tokens by rank of a group.
  const ExpertTokens& tokens(int layer, const Tokens& of_ranks) const;
  // Bytes from rank to rank, N × N; transposed: back.
  const std::vector<std::uint64_t>& bytes(int layer, const Tokens& of_ranks,
                                          std::uint64_t token_bytes, bool back) const;

  const ExpertPlacement& placement() const { return placement_; }
  // Parameters of the experts of the rank with the most, and weights of a whole layer on that rank.
  std::uint64_t max_parameters(int layer) const;
  std::uint64_t weight_bytes(int layer, const ValueBytes& values) const;
  // Tokens of the busiest rank over the mean, the mean of all layers.
  double imbalance() const;

 private:
  int number(int layer) const { return is_alike_ ? 0 : layer; }

  TransformerShape shape_;
  Strategy strategy_;
  ExpertOptions options_;
  Router router_;
  ExpertPlacement placement_;
  bool is_alike_ = false;  // all layers have the same shares and placement
  mutable std::map<std::pair<int, Tokens>, ExpertTokens> tokens_;
  mutable std::map<std::tuple<int, Tokens, std::uint64_t, bool>, std::vector<std::uint64_t>> bytes_;
};

// Parameters of a worker in these layers: its share of dense layers; of expert layers the common
// parameters and the experts of the rank with the most.
std::uint64_t worker_parameters(const ModelShape& model, const LayerRange& layers, int mp,
                                const ExpertOptions& options);

// Expert layers of a model; none for a model without experts, for which BadInput refuses options of
// experts. `shape`: nullptr for a model that is no transformer.
std::optional<ExpertLayers> expert_layers(const std::string& model, const TransformerShape* shape,
                                          const Strategy& strategy, const ExpertOptions& options);

}  // namespace fredsim
