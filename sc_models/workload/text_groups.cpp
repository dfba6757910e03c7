// SPDX-License-Identifier: Apache-2.0
#include "workload/text_groups.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {
namespace {

bool is_hybrid(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridDataModel || type == TextWorkloadType::kHybridModelData ||
         type == TextWorkloadType::kHybridTransformer ||
         type == TextWorkloadType::kHybridTransformerFwdInBckwd ||
         type == TextWorkloadType::kHybridCustomized;
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

int text_model_group(const TextWorkload& workload, const std::string& path, int given, int npus,
                     const std::string& machine) {
  const auto refuse = [&](const std::string& what) {
    throw BadInput(fmt::format("{}: {}: {}", path, to_string(workload.type), what));
  };
  if (!is_hybrid(workload.type)) {
    if (given != 0) refuse("--mp: the type says which NPUs share the model");
    return 1;
  }
  const int mp = given != 0 ? given : workload.model_group;
  if (mp == 0) refuse("--mp: missing; the file does not say how many NPUs share the model");
  if (npus % mp != 0) {
    refuse(fmt::format("{}: found {}, which does not divide the {} NPUs of {}",
                       given != 0 ? "--mp" : "model_parallel_NPU_group", mp, npus, machine));
  }
  return mp;
}

GroupSpan text_model_span(TextWorkloadType type, int npus, int mp) {
  switch (type) {
    case TextWorkloadType::kModel:
    case TextWorkloadType::kDistributedInference:
    case TextWorkloadType::kHybridDlrm:
    case TextWorkloadType::kHybridDlrmEnhanced:
      return {.size = npus};
    case TextWorkloadType::kData:
    case TextWorkloadType::kMicro:
      return {};
    case TextWorkloadType::kHybridDataModel:
      return {.size = mp, .stride = npus / mp};
    default:
      return {.size = mp};
  }
}

GroupSpan text_data_span(TextWorkloadType type, int npus, int mp) {
  switch (type) {
    case TextWorkloadType::kModel:
    case TextWorkloadType::kDistributedInference:
      return {};
    case TextWorkloadType::kHybridDataModel:
      return {.size = npus / mp};
    case TextWorkloadType::kData:
    case TextWorkloadType::kMicro:
    case TextWorkloadType::kHybridDlrm:
    case TextWorkloadType::kHybridDlrmEnhanced:
      return {.size = npus};
    default:
      return {.size = npus / mp, .stride = mp};
  }
}

}  // namespace fredsim
