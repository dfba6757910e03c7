// SPDX-License-Identifier: Apache-2.0
#include "workload/expert_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "experts/expert_balance.h"
#include "workload/detail/expert_time.h"

namespace fredsim {
namespace {

std::string divisors_of(int number, int max) {
  std::vector<std::string> words;
  for (int d = 1; d <= std::min(number, max); ++d)
    if (number % d == 0) words.push_back(fmt::format("{}", d));
  const std::vector<std::string_view> views(words.begin(), words.end());
  return join_words(views);
}

// Experts of the rank with the most.
std::size_t max_experts(const ExpertPlacement& placement, int layer) {
  std::size_t most = 0;
  for (const std::vector<int>& own : placement.of(layer)) most = std::max(most, own.size());
  return most;
}

// Experts of a rank.
int slots_of(const std::string& model, int experts, const ExpertOptions& o) {
  if (o.slots > 0) {
    if (o.slots > experts)
      throw BadInput(fmt::format("--expert-slots: found {}; allowed: at most {}, the experts of {}",
                                 o.slots, experts, model));
    if (static_cast<std::int64_t>(o.slots) * o.ep < experts)
      throw BadInput(
          fmt::format("--expert-slots: found {} on each of {} ranks; allowed: {} or more, which {} "
                      "experts need",
                      o.slots, o.ep, (experts + o.ep - 1) / o.ep, experts));
    return o.slots;
  }
  if (experts % o.ep != 0 && o.placing != ExpertOptions::Placing::kFile)
    throw BadInput(fmt::format(
        "--ep: found {}, over which {} experts do not divide: {} ranks would have {}, {} ranks {}; "
        "allowed: {}, or --expert-slots {} or more, with copies of some, or --expert-placement "
        "FILE",
        o.ep, experts, experts % o.ep, experts / o.ep + 1, o.ep - experts % o.ep, experts / o.ep,
        divisors_of(experts, o.ep), experts / o.ep + 1));
  return experts / o.ep;
}

const ExpertOptions& checked(const std::string& model, const TransformerShape& shape,
                             const Strategy& strategy, const ExpertOptions& o) {
  const int workers = strategy.mp * strategy.dp;
  if (workers % o.ep != 0)
    throw BadInput(
        fmt::format("--ep: found {}; allowed: {}, which divide the {} workers of a stage", o.ep,
                    divisors_of(workers, workers), workers));
  slots_of(model, shape.experts, o);
  return o;
}

ExpertPlacement placed_experts(const std::string& model, const Router& router,
                               const ExpertOptions& o) {
  const int experts = router.experts();
  const int slots = slots_of(model, experts, o);
  switch (o.placing) {
    case ExpertOptions::Placing::kContiguous:
      return contiguous_experts(experts, o.ep, slots);
    case ExpertOptions::Placing::kBalanced:
      return balanced_experts(router, o.router.is_alike(), o.ep, slots, o.seed);
    default:
      check_expert_placement(o.of_file, o.placement, experts, o.ep, router.layers());
      return o.of_file;
  }
}

}  // namespace

ExpertLayers::ExpertLayers(const std::string& model, const TransformerShape& shape,
                           const Strategy& strategy, const ExpertOptions& options)
    : shape_(shape),
      strategy_(strategy),
      options_(checked(model, shape, strategy, options)),
      router_(options.router, shape.expert_layers(), options.ep, shape.experts, shape.top_k),
      placement_(placed_experts(model, router_, options)),
      is_alike_(options.router.is_alike() && placement_.layers.size() == 1) {}

std::vector<ExpertLayers::Members> ExpertLayers::groups(int stage, bool of_others) const {
  const int workers = strategy_.mp * strategy_.dp;
  std::vector<Members> found;
  for (int at = 0; at < strategy_.pp; ++at) {
    if ((at == stage) == of_others) continue;
    for (int first = 0; first < workers; first += options_.ep) {
      Members& group = found.emplace_back();
      for (int r = 0; r < options_.ep; ++r) group.push_back(at * workers + first + r);
    }
  }
  return found;
}

std::vector<ExpertLayers::Members> ExpertLayers::copies(int stage, bool of_others) const {
  const int workers = strategy_.mp * strategy_.dp;
  std::vector<Members> found;
  for (int at = 0; at < strategy_.pp && workers > options_.ep; ++at) {
    if ((at == stage) == of_others) continue;
    for (int r = 0; r < options_.ep; ++r) {
      Members& group = found.emplace_back();
      for (int w = r; w < workers; w += options_.ep) group.push_back(at * workers + w);
    }
  }
  return found;
}

std::uint64_t ExpertLayers::own_tokens(std::uint64_t of_replica, int mp) const {
  const auto places = static_cast<std::uint64_t>(strategy_.mp);
  return of_replica / places + (static_cast<std::uint64_t>(mp) < of_replica % places ? 1 : 0);
}

const ExpertTokens& ExpertLayers::tokens(int layer, const Tokens& of_ranks) const {
  const auto [at, is_new] = tokens_.try_emplace({number(layer), of_ranks});
  if (is_new)
    at->second = expert_tokens(router_, layer, placement_.of(layer), of_ranks, options_.capacity);
  return at->second;
}

const std::vector<std::uint64_t>& ExpertLayers::bytes(int layer, const Tokens& of_ranks,
                                                      std::uint64_t token_bytes, bool back) const {
  const auto [at, is_new] = bytes_.try_emplace({number(layer), of_ranks, token_bytes, back});
  if (!is_new) return at->second;
  const ExpertTokens& found = tokens(layer, of_ranks);
  const std::size_t n = found.sent.size();
  at->second.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j)
        at->second[i * n + j] = token_bytes * (back ? found.sent[j][i] : found.sent[i][j]);
  return at->second;
}

std::uint64_t ExpertLayers::max_parameters(int layer) const {
  return max_experts(placement_, layer) * expert_parameters(shape_);
}

std::uint64_t worker_parameters(const ModelShape& model, const LayerRange& layers, int mp,
                                const ExpertOptions& options) {
  std::uint64_t dense = 0, others = 0;
  for (int l = layers.first; l < layers.end; ++l) {
    const ModelLayer& layer = model.layers[l];
    if (layer.expert_layer < 0) {
      dense += layer.parameters;
      continue;
    }
    const TransformerShape& shape = *model.transformer;
    const std::size_t slots =
        options.placing == ExpertOptions::Placing::kFile
            ? max_experts(options.of_file, layer.expert_layer)
            : static_cast<std::size_t>(options.slots > 0 ? options.slots
                                                         : shape.experts / options.ep);
    others += common_expert_parameters(shape) + slots * expert_parameters(shape);
  }
  return share_of_workers(dense, mp) + others;
}

std::uint64_t ExpertLayers::weight_bytes(int layer, const ValueBytes& values) const {
  return bytes_of(static_cast<double>(attention_parameters(shape_, strategy_.mp) +
                                      common_expert_parameters(shape_) + max_parameters(layer)),
                  values.weights);
}

std::optional<ExpertLayers> expert_layers(const std::string& model, const TransformerShape* shape,
                                          const Strategy& strategy, const ExpertOptions& options) {
  if (shape != nullptr && shape->experts > 0) return ExpertLayers(model, *shape, strategy, options);
  if (options.given.empty()) return std::nullopt;
  throw BadInput(
      fmt::format("{} with {}, which has no experts; allowed: with a model whose file has "
                  "the key experts",
                  options.given, model));
}

double ExpertLayers::imbalance() const {
  double sum = 0;
  for (int layer = 0; layer < router_.layers(); ++layer)
    sum += expert_imbalance(router_, layer, placement_.of(layer));
  return sum / router_.layers();
}

}  // namespace fredsim
