// SPDX-License-Identifier: Apache-2.0
#include "workload/sequence_split.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {

std::string to_string(const Strategy& strategy, const SequenceSplit& split) {
  if (split.cp == 1) return to_string(strategy);
  return fmt::format("mp{}-cp{}-dp{}-pp{}", strategy.mp, split.cp, strategy.dp / split.cp,
                     strategy.pp);
}

void check_split_tokens(const SequenceSplit& split, const Strategy& strategy,
                        std::uint64_t tokens) {
  const auto cp = static_cast<std::uint64_t>(split.cp);
  const auto mp = static_cast<std::uint64_t>(strategy.mp);
  if (cp > 1 && tokens % (2 * cp) != 0)
    throw BadInput(
        fmt::format("--cp: found {}; allowed: a number of workers twice of which divides the {} "
                    "tokens of a sequence",
                    cp, tokens));
  if (!split.sp) return;
  if (mp == 1)
    throw BadInput(
        "--sp: found together with --mp 1; allowed: with 2 or more MP workers, which share tokens");
  if (tokens / cp % mp != 0)
    throw BadInput(fmt::format(
        "--sp: found --mp {}; allowed: a number of workers that divides the {} tokens that they "
        "share",
        mp, tokens / cp));
}

ModelShape part_of_model(ModelShape model, const Strategy& strategy, const SequenceSplit& split) {
  if (!split.is_split()) return model;
  check_is_transformer(model, split.sp ? "--sp" : "--cp");
  check_split_tokens(split, strategy, model.transformer->sequence);
  model.split = split;
  const auto cp = static_cast<std::uint64_t>(split.cp);
  model.sample_bytes /= cp;
  for (ModelLayer& layer : model.layers) {
    layer.flops /= split.cp;
    layer.score_flops /= split.cp;
    for (std::uint64_t* bytes :
         {&layer.output_bytes, &layer.kept_bytes, &layer.kept_split_bytes, &layer.score_bytes})
      *bytes /= cp;
    layer.splits_tokens = split.sp;
  }
  return model;
}

}  // namespace fredsim
