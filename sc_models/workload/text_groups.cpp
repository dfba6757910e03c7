// SPDX-License-Identifier: Apache-2.0
#include "workload/text_groups.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "workload/text_pipeline.h"

namespace fredsim {
namespace {

bool is_hybrid(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridDataModel || type == TextWorkloadType::kHybridModelData ||
         type == TextWorkloadType::kHybridTransformer ||
         type == TextWorkloadType::kHybridTransformerFwdInBckwd ||
         type == TextWorkloadType::kHybridCustomized;
}

GroupSpan model_span(const TextLayout& layout, TextWorkloadType type) {
  switch (type) {
    case TextWorkloadType::kModel:
    case TextWorkloadType::kDistributedInference:
    case TextWorkloadType::kHybridDlrm:
    case TextWorkloadType::kHybridDlrmEnhanced:
      return {.size = layout.npus};
    case TextWorkloadType::kData:
    case TextWorkloadType::kMicro:
      return {};
    case TextWorkloadType::kHybridDataModel:
      return {.size = layout.mp, .stride = layout.npus / layout.mp};
    default:
      return {.size = layout.mp};
  }
}

GroupSpan data_span(const TextLayout& layout, TextWorkloadType type) {
  switch (type) {
    case TextWorkloadType::kModel:
    case TextWorkloadType::kDistributedInference:
      return {};
    case TextWorkloadType::kHybridDataModel:
      return {.size = layout.npus / layout.mp};
    case TextWorkloadType::kData:
    case TextWorkloadType::kMicro:
    case TextWorkloadType::kHybridDlrm:
    case TextWorkloadType::kHybridDlrmEnhanced:
      return {.size = layout.npus};
    default:
      return {.size = layout.stage_npus() / layout.mp, .stride = layout.mp};
  }
}

}  // namespace

Collective collective_of(TraceCollective collective) {
  switch (collective) {
    case TraceCollective::kAllGather:
      return Collective::kAllGather;
    case TraceCollective::kReduceScatter:
      return Collective::kReduceScatter;
    case TraceCollective::kAllToAll:
      return Collective::kAllToAll;
    case TraceCollective::kBroadcast:
      return Collective::kBroadcast;
    default:
      return Collective::kAllReduce;
  }
}

TextLayout text_layout(const TextWorkload& workload, const std::string& path, int given, int npus,
                       const std::string& machine) {
  const auto refuse = [&](const std::string& what) {
    throw BadInput(fmt::format("{}: {}: {}", path, to_string(workload.type), what));
  };
  TextLayout layout{.npus = npus};
  if (!is_hybrid(workload.type)) {
    if (given != 0) refuse("--mp: the type says which NPUs share the model");
    return layout;
  }
  layout.mp = given != 0 ? given : workload.model_group;
  if (layout.mp == 0) refuse("--mp: missing; the file does not say how many NPUs share the model");
  if (npus % layout.mp != 0) {
    refuse(fmt::format("{}: found {}, which does not divide the {} NPUs of {}",
                       given != 0 ? "--mp" : "model_parallel_NPU_group", layout.mp, npus, machine));
  }
  layout.ep = workload.ep.value_or(1);
  const int groups = npus / layout.mp;
  if (groups % layout.ep != 0) {
    refuse(
        fmt::format("ep: found {}; allowed: a divisor of {}, the {} NPUs of {} / {} that share "
                    "the model",
                    layout.ep, groups, npus, machine, layout.mp));
  }
  const int pp = workload.pp.value_or(1);
  if (groups / layout.ep % pp == 0) layout.stages = pp;
  if (layout.stages > 1 && workload.pp_bytes.value_or(0) == 0)
    refuse(
        fmt::format("pp_comm: {}; allowed with pp: {}: the bytes that an NPU passes to the next "
                    "stage, 1 or more",
                    workload.pp_bytes ? "found 0" : "missing", pp));
  return layout;
}

GroupSpan text_span(const TextLayout& layout, TextWorkloadType type, TextSide side,
                    TextGroup group) {
  switch (group) {
    case TextGroup::kExperts:
      return {.size = layout.ep, .stride = layout.mp};
    case TextGroup::kExpertReplicas:
      return {.size = layout.stage_npus() / (layout.mp * layout.ep),
              .stride = layout.mp * layout.ep};
    default:
      return side == TextSide::kModel ? model_span(layout, type) : data_span(layout, type);
  }
}

namespace {

std::string span_text(const GroupSpan& span) {
  if (span.size == 1) return "single NPUs, which send nothing";
  if (span.stride == 1) return fmt::format("groups of {} consecutive NPUs", span.size);
  return fmt::format("groups of {} NPUs, {} apart", span.size, span.stride);
}

std::string stages_text(int pp, const TextLayout& layout) {
  if (pp == 1) return "one stage, all NPUs";
  if (layout.stages == pp)
    return fmt::format("{} stages of {} NPUs, each of which runs all lines", pp,
                       layout.stage_npus());
  return fmt::format(
      "all {} NPUs are one stage, since {} stages of {} x {} do not divide them; "
      "nothing passes between stages, and there are no bubbles",
      layout.npus, pp, layout.mp, layout.ep);
}

std::string parts_text(const TextWorkload& workload, const TextLayout& layout) {
  if (layout.stages == 1) return "no effect with one stage";
  return fmt::format(
      "a stage runs a microbatch in {} parts of equal lines, in turns with the "
      "other stages",
      text_parts(workload));
}

std::string microbatches_text(const TextWorkload& workload, const TextLayout& layout) {
  if (layout.stages == 1) return "no effect: the lines of the file have all microbatches";
  const TextMicrobatches batch = text_microbatches(workload);
  if (batch.count != workload.ga)
    return "no effect: no lines repeat so often, so that the file is one microbatch";
  return fmt::format("{} lines from layer {} on are a microbatch; it repeats {} times", batch.lines,
                     batch.first, batch.count);
}

std::string npus_text(int given, const TextLayout& layout) {
  if (given == layout.npus) return "as many as the machine has";
  return fmt::format("the machine has {}, and groups are of these", layout.npus);
}

}  // namespace

std::vector<std::string> text_words(const TextWorkload& workload, const TextLayout& layout) {
  const TextWorkload& w = workload;
  std::vector<std::string> all;
  if (!w.ep && !w.pp && !w.vpp && !w.ga && !w.npus && !w.mode && !w.pp_bytes) return all;
  const auto add = [&](std::string_view word, const auto& value, const std::string& effect) {
    all.push_back(fmt::format("{} {}: {}", word, value, effect));
  };
  const auto span = [&](TextSide side, TextGroup group) {
    return span_text(text_span(layout, w.type, side, group));
  };
  add("model_parallel_NPU_group:", layout.mp,
      fmt::format("activations and gradients of inputs on {}; gradients of weights on {}",
                  span(TextSide::kModel, TextGroup::kUsual),
                  span(TextSide::kData, TextGroup::kUsual)));
  if (w.ep)
    add("ep:", *w.ep,
        fmt::format("_EP on {}; _DP_EP on {}", span(TextSide::kModel, TextGroup::kExperts),
                    span(TextSide::kModel, TextGroup::kExpertReplicas)));
  if (w.pp) add("pp:", *w.pp, stages_text(*w.pp, layout));
  if (w.vpp) add("vpp:", *w.vpp, parts_text(w, layout));
  if (w.ga) add("ga:", *w.ga, microbatches_text(w, layout));
  if (w.npus) add("all_gpus:", *w.npus, npus_text(*w.npus, layout));
  if (w.mode) add("mode:", *w.mode, *w.mode == 1 ? "inference, forward passes only" : "training");
  if (w.pp_bytes)
    add("pp_comm:", *w.pp_bytes,
        layout.stages > 1 ? "bytes that each NPU passes to its place in the next stage, and back"
                          : "no effect with one stage");
  return all;
}

std::string text_left_out(const TextWorkload& workload, const TextLayout& layout) {
  if (workload.pp.value_or(1) == layout.stages) return "";
  return fmt::format(
      "one of the {} stages of the pipeline runs, on all {} NPUs: no transfers "
      "between stages and no bubbles",
      *workload.pp, layout.npus);
}

}  // namespace fredsim
