// SPDX-License-Identifier: Apache-2.0
// Communication groups of a layer of a text workload, by its type (workload/text_graph.h has the
// rules), and of SimAI's words.
//
// Numbering with SimAI's words, as Megatron has it: NPU = tp + TP·(ep + EP·(replica + R·stage)),
//   where R is the number of replicas of an expert. Groups of TP: consecutive NPUs; of experts: EP
//   NPUs, TP apart; replicas of experts: R NPUs, TP·EP apart; replicas of the rest (DP): EP·R NPUs,
//   TP apart. All are in one stage of the pipeline.
// Stages: `pp:`, if so many stages divide the NPUs; else all NPUs are one stage, as in SimAI's
//   simulator, and nothing passes between stages (text_words()).
// Errors: BadInput where MP is neither in the file nor given, does not divide the NPUs, or is given
// where the type says it; where `ep:` does not divide the NPUs; where stages pass no bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/collective.h"
#include "workload_files/text_workload.h"

namespace fredsim {

// All groups of `size` NPUs that are `stride` apart.
struct GroupSpan {
  int size = 1;
  int stride = 1;
  // Group of an NPU, and its place in the group.
  int part_of(int npu) const { return npu / (size * stride) * stride + npu % stride; }
  int rank_of(int npu) const { return npu % (size * stride) / stride; }
};

struct TextLayout {
  int npus = 1;
  int mp = 1;  // NPUs that share the model
  int ep = 1;
  int stages = 1;
  int stage_npus() const { return npus / stages; }
};

Collective collective_of(TraceCollective collective);

// Number of NPUs that share the model, and what is along the other ones. `given`: --mp, over the
// value in the file; 0: the value in the file. `machine`: its name, for messages.
TextLayout text_layout(const TextWorkload& workload, const std::string& path, int given, int npus,
                       const std::string& machine);

// Groups of activations and gradients of inputs, and of gradients of weights.
enum class TextSide : std::uint8_t { kModel, kData };
GroupSpan text_span(const TextLayout& layout, TextWorkloadType type, TextSide side,
                    TextGroup group = TextGroup::kUsual);

// A line for each of SimAI's words of the file: what it does on this machine.
std::vector<std::string> text_words(const TextWorkload& workload, const TextLayout& layout);
// Text on the parts of a pipeline that are left out; empty: none.
std::string text_left_out(const TextWorkload& workload, const TextLayout& layout);

}  // namespace fredsim
