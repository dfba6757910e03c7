// SPDX-License-Identifier: Apache-2.0
#include "workload/expert_workers.h"

#include "workload/expert_time.h"

namespace fredsim {

ExpertLayers::Tokens ExpertWorkers::tokens_of(const Members& group, const ExpertPass& pass) const {
  ExpertLayers::Tokens tokens;
  for (const int w : group)
    tokens.push_back(experts_->own_tokens(pass.tokens(replica_of(w)), w % strategy_.mp));
  return tokens;
}

ExpertRouting ExpertWorkers::routing() const {
  return {routed_, dropped_, experts_ ? experts_->imbalance() : 1};
}

void ExpertWorkers::run_experts(int stage, const ExpertPass& pass) {
  const int layer = pass.layer;
  const std::uint64_t token_bytes =
      bytes_of(static_cast<double>(pass.shape.hidden), pass.speed.npu.value_bytes.activations);
  const std::vector<Members> own = experts_->groups(stage, false);
  const std::vector<Members> others = experts_->groups(stage, true);
  const auto sent = [&](bool back) {
    return [this, &pass, layer, token_bytes, back](const Members& group) -> const Matrix& {
      return experts_->bytes(layer, tokens_of(group, pass), token_bytes, back);
    };
  };
  const auto tokens_at = [&](int w) {
    return experts_->own_tokens(pass.tokens(replica_of(w)), w % strategy_.mp);
  };
  for_all(stage, [&](int w) {
    compute(w, "gate " + pass.name, pass.times * gate_ps(pass.speed, pass.shape, tokens_at(w)));
  });
  const std::map<int, int> dispatched =
      exchange(own, others, sent(false), TimeCategory::kEp, "dispatch " + pass.name);
  if (pass.shape.shared_experts > 0)
    for_all(stage, [&](int w) {
      compute(w, "shared experts " + pass.name,
              pass.times * shared_experts_ps(pass.speed, pass.shape, tokens_at(w)));
    });
  for (const Members& group : own) {
    const ExpertTokens& tokens = experts_->tokens(layer, tokens_of(group, pass));
    routed_ += tokens.routed;
    dropped_ += tokens.dropped;
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      const int w = group[rank];
      if (const auto at = dispatched.find(w); at != dispatched.end())
        workers_[w].pending.push_back(at->second);
      compute(w, "experts " + pass.name,
              pass.times * experts_ps(pass.speed, pass.shape, tokens.of_experts[rank]));
    }
  }
  const std::map<int, int> combined =
      exchange(own, others, sent(true), TimeCategory::kEp, "combine " + pass.name);
  for (const auto& [w, task] : combined) workers_[w].pending = {task};
}

}  // namespace fredsim
