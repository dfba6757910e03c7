// SPDX-License-Identifier: Apache-2.0
#include "workload/ring_attention.h"

namespace fredsim {

std::uint64_t block_bytes(const ModelShape& model, int mp, double value_bytes) {
  const auto cp = static_cast<std::uint64_t>(model.split.cp);
  return model.transformer->sequence / cp * kv_bytes(*model.transformer, mp, {.kv = value_bytes});
}

double ring_pairs(std::uint64_t tokens, int step) {
  const auto own = static_cast<double>(tokens);
  return own * own / 2 + (step == 0 ? own / 2 : 0);
}

double half_share(const ModelShape& model, int l, const HalfPart& part, Pass pass,
                  Recompute recompute) {
  const ModelLayer& layer = model.layers[l];
  const TransformerShape& shape = *model.transformer;
  const int cp = model.split.cp;
  using Kind = HalfPart::Kind;
  const bool is_forward = pass == Pass::kForward;
  const bool repeats_all = !is_forward && recompute == Recompute::kFull;
  const bool repeats_scores = !is_forward && recompute == Recompute::kSelective;
  // FLOPs of this part's pass; scores that are computed again go with the backward one.
  const double times = part.pass == Pass::kForward ? 1 : 2;
  const double repeated = repeats_scores ? layer.score_flops : 0;
  const double all = (is_forward ? 1 : repeats_all ? 3 : 2) * layer.flops + repeated;
  const double attention = 2 * layer.score_flops;
  const double projections = times * (layer.flops - attention);
  const auto of_inputs = static_cast<double>(shape.heads + 2 * shape.kv_heads);
  const auto heads = of_inputs + static_cast<double>(shape.heads);
  const std::uint64_t tokens = shape.sequence / static_cast<std::uint64_t>(cp);
  switch (part.kind) {
    case Kind::kAll:
      return (times * layer.flops + repeated) / all;
    case Kind::kInputs:
      return projections * of_inputs / heads / all;
    case Kind::kOutputs:
      return projections * (heads - of_inputs) / heads / all;
    case Kind::kInputGradients:
      return (layer.flops + repeated) / all;
    case Kind::kWeightGradients:
      return layer.flops / all;
    case Kind::kStep:
      break;
  }
  const double pairs = ring_pairs(tokens, 0) + (cp - 1) * ring_pairs(tokens, 1);
  return (times * attention + repeated) * ring_pairs(tokens, part.step) / pairs / all;
}

double ring_attention_ps(const ComputeSpeed& speed, const TransformerShape& shape,
                         const InferenceWork& work, int mp, const HalfPart& part) {
  InferenceWork step = work;
  step.pairs = ring_pairs(work.tokens, part.step);
  const AttentionTimes times = attention_times(speed, shape, step, mp);
  switch (part.kind) {
    case HalfPart::Kind::kInputs:
      return times.inputs_ps;
    case HalfPart::Kind::kStep:
      return times.scores_ps;
    default:
      return times.output_ps;
  }
}

}  // namespace fredsim
