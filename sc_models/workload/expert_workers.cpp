// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/expert_time.h"
#include "workload/worker_graph.h"

namespace fredsim {

ExpertLayers::Tokens WorkerGraph::tokens_of(const Members& group, const ExpertPass& pass) const {
  ExpertLayers::Tokens tokens;
  for (const int w : group)
    tokens.push_back(experts_->own_tokens(pass.tokens(replica_of(w)), w % strategy_.mp));
  return tokens;
}

ExpertRouting WorkerGraph::routing() const {
  return {routed_, dropped_, experts_ ? experts_->imbalance() : 1};
}

std::vector<WorkerGraph::Members> WorkerGraph::gradient_groups(GradientKind kind, int stage,
                                                               bool of_others) const {
  if (kind == GradientKind::kDense) return groups(Dimension::kDp, stage, of_others);
  if (!experts_) return {};
  if (kind == GradientKind::kExperts) return experts_->copies(stage, of_others);
  std::vector<Members> found;
  for (int at = 0; at < strategy_.pp && strategy_.mp * strategy_.dp > 1; ++at) {
    if ((at == stage) == of_others) continue;
    for_all(at, [&, group = &found.emplace_back()](int w) { group->push_back(w); });
  }
  return found;
}

std::uint64_t WorkerGraph::gradient_parameters(GradientKind kind, const ModelLayer& layer,
                                               const TransformerShape* shape) const {
  const bool has_experts = layer.expert_layer >= 0;
  if (kind == GradientKind::kDense)
    return has_experts ? 0 : share_of_workers(layer.parameters, strategy_.mp);
  if (!has_experts) return 0;
  return kind == GradientKind::kCommon ? common_expert_parameters(*shape)
                                       : experts_->max_parameters(layer.expert_layer);
}

std::uint64_t WorkerGraph::tokens_at(int w, const ExpertPass& pass) const {
  return experts_->own_tokens(pass.tokens(replica_of(w)), w % strategy_.mp);
}

std::map<int, int> WorkerGraph::send_tokens(int stage, const ExpertPass& pass, bool back) {
  const std::uint64_t token_bytes =
      bytes_of(static_cast<double>(pass.shape.hidden), pass.speed.npu.value_bytes.activations);
  const auto sent = [&](const Members& group) -> const Matrix& {
    return experts_->bytes(pass.layer, tokens_of(group, pass), token_bytes, back);
  };
  return exchange(experts_->groups(stage, false), experts_->groups(stage, true), sent,
                  TimeCategory::kEp, (back ? "combine " : "dispatch ") + pass.name);
}

void WorkerGraph::dispatch_tokens(int stage, const ExpertPass& pass) {
  for_all(stage, [&](int w) {
    compute(w, "gate " + pass.name,
            pass.times * gate_ps(pass.speed, pass.shape, tokens_at(w, pass)));
  });
  const std::map<int, int> dispatched = send_tokens(stage, pass, false);
  if (pass.shape.shared_experts > 0)
    for_all(stage, [&](int w) {
      compute(w, "shared experts " + pass.name,
              pass.times * shared_experts_ps(pass.speed, pass.shape, tokens_at(w, pass)));
    });
  for (const auto& [w, task] : dispatched) workers_[w].pending.push_back(task);
}

void WorkerGraph::combine_tokens(int stage, const ExpertPass& pass) {
  for (const Members& group : experts_->groups(stage, false)) {
    const ExpertTokens& tokens = experts_->tokens(pass.layer, tokens_of(group, pass));
    routed_ += tokens.routed;
    dropped_ += tokens.dropped;
    for (std::size_t rank = 0; rank < group.size(); ++rank)
      compute(group[rank], "experts " + pass.name,
              pass.times * experts_ps(pass.speed, pass.shape, tokens.of_experts[rank]));
  }
  for (const auto& [w, task] : send_tokens(stage, pass, true)) workers_[w].pending = {task};
}

void WorkerGraph::run_experts(int stage, const ExpertPass& pass) {
  dispatch_tokens(stage, pass);
  combine_tokens(stage, pass);
}

}  // namespace fredsim
