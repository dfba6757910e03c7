// SPDX-License-Identifier: Apache-2.0
// Text workloads with SimAI's words: layouts of groups, microbatches, order of stages; random
// workloads end, on groups that hold every NPU once.
#include "workload/text_pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "support/traces.h"
#include "workload/text_graph.h"
#include "workload/text_groups.h"

namespace fredsim {
namespace {

using NpuGroups = std::vector<std::vector<int>>;

TextWorkload simai_workload(int layers) {
  TextWorkload made{.type = TextWorkloadType::kHybridTransformerFwdInBckwd, .model_group = 1};
  for (int l = 0; l < layers; ++l)
    made.layers.push_back({.name = "l" + std::to_string(l),
                           .forward = {.compute_ns = 10},
                           .input_gradient = {.compute_ns = 20},
                           .weight_gradient = {.compute_ns = 30},
                           .update_ns = 4,
                           .type = made.type});
  return made;
}

NpuGroups npu_groups(const GroupSpan& span, int npus) {
  NpuGroups groups(static_cast<std::size_t>(npus / span.size));
  for (int npu = 0; npu < npus; ++npu) {
    EXPECT_EQ(std::ssize(groups[span.part_of(npu)]), span.rank_of(npu)) << npu;
    groups[span.part_of(npu)].push_back(npu);
  }
  return groups;
}

std::string steps_text(const std::vector<TextStep>& steps) {
  std::string text;
  for (const TextStep& step : steps)
    text += step.kind == TextStep::Kind::kLine
                ? fmt::format("{} ", step.line)
                : fmt::format("{}{}.{} ", step.kind == TextStep::Kind::kSend ? "s" : "r",
                              step.microbatch, step.place);
  return text;
}

// Runs a graph without time: computations of a rank in the order of its list, an operation when all
// of its ranks are there. Returns the tasks that never end.
int stuck_tasks(const TaskGraph& graph) {
  std::vector<std::vector<bool>> done;
  std::vector<std::size_t> next;  // by rank: first computation that is not done
  std::map<std::pair<int, int>, std::size_t> missing;
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> waiting;
  int left = 0;
  for (const TaskRank& rank : graph.ranks) {
    done.emplace_back(rank.tasks.size());
    next.push_back(0);
    left += static_cast<int>(rank.tasks.size());
  }
  std::set<std::tuple<int, int, int>> come;
  for (bool moves = true; moves;) {
    moves = false;
    for (int r = 0; r < std::ssize(graph.ranks); ++r) {
      const std::vector<Task>& tasks = graph.ranks[r].tasks;
      const auto is_ready = [&](int t) {
        return std::ranges::all_of(tasks[t].after, [&](int before) { return done[r][before]; });
      };
      for (; next[r] < tasks.size(); ++next[r]) {
        const auto t = static_cast<int>(next[r]);
        if (!tasks[t].computes() || done[r][t]) continue;
        if (!is_ready(t)) break;
        done[r][t] = moves = true;
        --left;
      }
      for (int t = 0; t < std::ssize(tasks); ++t) {
        const Task& task = tasks[t];
        if (task.computes() || !is_ready(t)) continue;
        if (!come.insert({task.operation, task.part, task.rank}).second) continue;
        const std::pair part(task.operation, task.part);
        const std::size_t members =
            graph.shapes[graph.operations[task.operation].shape].work[task.part].group.size();
        std::vector<std::pair<int, int>>& there = waiting[part];
        there.emplace_back(r, t);
        if (there.size() < members) continue;
        for (const auto& [rank, own] : there) done[rank][own] = true;
        left -= static_cast<int>(members);
        moves = true;
      }
    }
  }
  return left;
}

TEST(TextLayouts, GroupsAreNumberedAsInMegatron) {
  TextWorkload of = simai_workload(1);
  of.model_group = 2;
  of.ep = 2;
  of.pp = 2;
  of.pp_bytes = 64;
  const TextLayout layout = text_layout(of, "w.txt", 0, 16, "m");
  EXPECT_EQ(layout.stages, 2);
  const auto groups = [&](TextSide side, TextGroup group) {
    return npu_groups(text_span(layout, of.type, side, group), 16);
  };
  EXPECT_EQ(groups(TextSide::kModel, TextGroup::kUsual)[3], (std::vector<int>{6, 7}));
  EXPECT_EQ(groups(TextSide::kData, TextGroup::kUsual),
            (NpuGroups{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
  for (const TextSide side : {TextSide::kModel, TextSide::kData}) {
    EXPECT_EQ(groups(side, TextGroup::kExperts),
              (NpuGroups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
    EXPECT_EQ(groups(side, TextGroup::kExpertReplicas),
              (NpuGroups{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
  }
}

TEST(TextLayouts, StagesThatDoNotDivideTheNpusAreOne) {
  TextWorkload of = simai_workload(1);
  of.model_group = 2;
  of.ep = 16;
  of.pp = 12;
  of.vpp = 8;
  of.ga = 24;
  of.npus = 9216;
  of.pp_bytes = 64;
  const TextLayout layout = text_layout(of, "w.txt", 0, 1024, "m");
  EXPECT_EQ(layout.stages, 1);
  EXPECT_EQ(text_span(layout, of.type, TextSide::kData, TextGroup::kExpertReplicas).size, 32);
  EXPECT_EQ(text_left_out(of, layout),
            "one of the 12 stages of the pipeline runs, on all 1024 NPUs: no transfers between "
            "stages and no bubbles");
  EXPECT_EQ(
      text_words(of, layout),
      (std::vector<std::string>{
          "model_parallel_NPU_group: 2: activations and gradients of inputs on groups of 2 "
          "consecutive NPUs; gradients of weights on groups of 512 NPUs, 2 apart",
          "ep: 16: _EP on groups of 16 NPUs, 2 apart; _DP_EP on groups of 32 NPUs, 32 apart",
          "pp: 12: all 1024 NPUs are one stage, since 12 stages of 2 x 16 do not divide them; "
          "nothing passes between stages, and there are no bubbles",
          "vpp: 8: no effect with one stage",
          "ga: 24: no effect: the lines of the file have all microbatches",
          "all_gpus: 9216: the machine has 1024, and groups are of these",
          "pp_comm: 64: no effect with one stage"}));
  // The file's own machine has its stages.
  const TextLayout own = text_layout(of, "w.txt", 0, 9216, "m");
  EXPECT_EQ(own.stages, 12);
  EXPECT_EQ(text_span(own, of.type, TextSide::kData).size, 384);
  EXPECT_EQ(text_span(own, of.type, TextSide::kData, TextGroup::kExpertReplicas).size, 24);
  EXPECT_EQ(text_left_out(of, own), "");
}

TEST(TextLayouts, RefusalsNameTheWord) {
  TextWorkload of = simai_workload(1);
  of.model_group = 2;
  of.ep = 3;
  EXPECT_EQ(refusal_of([&] { text_layout(of, "w.txt", 0, 16, "m"); }),
            "w.txt: HYBRID_TRANSFORMER_FWD_IN_BCKWD: ep: found 3; allowed: a divisor of 8, the 16 "
            "NPUs of m / 2 that share the model");
  of.ep = 2;
  of.pp = 4;
  EXPECT_EQ(
      refusal_of([&] { text_layout(of, "w.txt", 0, 16, "m"); }),
      "w.txt: HYBRID_TRANSFORMER_FWD_IN_BCKWD: pp_comm: missing; allowed with pp: 4: the bytes "
      "that an NPU passes to the next stage, 1 or more");
  of.pp = 3;
  EXPECT_EQ(refusal_of([&] { text_layout(of, "w.txt", 0, 16, "m"); }), "");
}

TEST(TextSteps, MicrobatchesAreTheFirstLinesThatRepeat) {
  TextWorkload of = simai_workload(10);  // l0, then a b b three times
  for (int l = 1; l < 10; ++l) of.layers[l].name = (l - 1) % 3 == 0 ? "a" : "b";
  const auto found = [&](int ga) {
    of.ga = ga;
    const TextMicrobatches batch = text_microbatches(of);
    return std::tuple(batch.first, batch.lines, batch.count);
  };
  EXPECT_EQ(found(3), std::tuple(1, 3, 3));
  EXPECT_EQ(found(2), std::tuple(0, 10, 1));
  EXPECT_EQ(found(1), std::tuple(0, 10, 1));
  of.ga = 3;
  // Times may differ from one microbatch to another, bytes may not.
  of.layers[4].forward.compute_ns = 77;
  EXPECT_EQ(text_microbatches(of).count, 3);
  of.layers[4].forward.bytes = 77;
  EXPECT_EQ(text_microbatches(of).count, 1);
}

TEST(TextSteps, StagesTakeTurnsPartByPart) {
  TextWorkload of = simai_workload(10);  // head, two microbatches of four lines, tail
  for (int l = 1; l < 9; ++l) of.layers[l].name = "m" + std::to_string((l - 1) % 4);
  of.ga = 2;
  of.vpp = 2;
  EXPECT_EQ(steps_text(text_steps(of, 0, 2)), "0 1 2 s0.0 5 6 s1.0 r0.1 3 4 s0.2 r1.1 7 8 s1.2 9 ");
  EXPECT_EQ(steps_text(text_steps(of, 1, 2)), "0 r0.0 1 2 s0.1 r1.0 5 6 s1.1 r0.2 3 4 r1.2 7 8 9 ");
  EXPECT_EQ(steps_text(text_steps(of, 0, 1)), "0 1 2 3 4 5 6 7 8 9 ");
}

// Random files on random numbers of NPUs: refused, or every task ends, every operation's groups
// hold each NPU of its stage once, and an NPU takes part in what its lines say.
TEST(TextSteps, RandomWorkloadsEnd) {
  Random random(7);
  const auto pick = [&](const auto& of) { return of[random.below(of.size())]; };
  const std::vector<TextGroup> groups{TextGroup::kUsual, TextGroup::kExperts,
                                      TextGroup::kExpertReplicas};
  const std::vector<TraceCollective> collectives{
      TraceCollective::kAllReduce, TraceCollective::kAllGather, TraceCollective::kReduceScatter,
      TraceCollective::kAllToAll, TraceCollective::kBroadcast};
  const std::vector<std::string> machines{"configs/mesh_2x2.yaml", "configs/fred_small.yaml",
                                          "configs/mesh.yaml"};
  std::map<std::string, Topology> topologies;
  for (const std::string& machine : machines) topologies[machine] = load_config(machine).topology;
  int run = 0, refused = 0, staged = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    const Topology& topology = topologies[pick(machines)];
    TextWorkload of = simai_workload(1 + static_cast<int>(random.below(4)));
    const auto small = [&] { return 1 + static_cast<int>(random.below(4)); };
    of.model_group = small();
    of.ep = small();
    if (random.below(4) > 0) of.pp = small();
    if (random.below(4) > 0) of.vpp = small();
    if (random.below(8) > 0) of.pp_bytes = 64 * (1 + random.below(100));
    for (TextLayer& layer : of.layers) {
      for (TextPass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
        if (random.below(2) == 0) continue;
        pass->collective = pick(collectives);
        pass->group = pick(groups);
        pass->bytes = 1 + random.below(10'000);
      }
    }
    const std::vector<TextLayer> microbatch = of.layers;
    of.ga = small();
    for (int m = 1; m < *of.ga; ++m)
      of.layers.insert(of.layers.end(), microbatch.begin(), microbatch.end());
    const auto last = static_cast<int>(of.layers.size()) - 1;
    if (random.below(3) == 0) of.recomputations = {static_cast<int>(random.below(last + 1))};
    if (random.below(3) == 0) of.checkpoints = {static_cast<int>(random.below(last + 1))};
    const auto npus = static_cast<int>(topology.npus.size());
    TaskGraph graph;
    const TextGraphOptions options{.iterations = 2};
    const std::string refusal =
        refusal_of([&] { graph = text_graph(of, "w.txt", options, topology); });
    const int pp = of.pp.value_or(1);
    const bool divides = npus % (of.model_group * *of.ep) == 0;
    const bool has_stages = divides && pp > 1 && npus / (of.model_group * *of.ep) % pp == 0;
    EXPECT_EQ(refusal.empty(), divides && (!has_stages || of.pp_bytes)) << refusal;
    if (!refusal.empty()) {
      ++refused;
      continue;
    }
    ++run;
    graph.check();
    ASSERT_EQ(stuck_tasks(graph), 0);
    const int stage_npus = has_stages ? npus / pp : npus;
    staged += has_stages ? 1 : 0;
    for (const OperationShape& shape : graph.shapes) {
      const bool is_transfer = shape.work[0].collective == Collective::kUnicast;
      std::map<int, int> times;
      for (const CollectiveSpec& spec : shape.work)
        for (const int npu : spec.group) ++times[npu];
      EXPECT_EQ(std::ssize(times), is_transfer ? 2 * stage_npus : stage_npus);
      for (const auto& [npu, count] : times) EXPECT_EQ(count, 1) << npu;
    }
    // Forward and backward, from every place but the last to the next one.
    const auto transfers = std::ranges::count_if(graph.operations, [&](const GraphOperation& o) {
      return graph.shapes[o.shape].work[0].collective == Collective::kUnicast;
    });
    const int parts = text_parts(of);
    EXPECT_EQ(transfers, has_stages ? 2L * 2 * text_microbatches(of).count * (parts * pp - 1) : 0);
    const GraphSize size = text_graph_size(of, "w.txt", options, topology);
    std::uint64_t tasks = 0;
    for (const TaskRank& rank : graph.ranks) tasks += rank.tasks.size();
    EXPECT_EQ(size.tasks, tasks);
    EXPECT_EQ(size.operations, graph.operations.size());
  }
  EXPECT_GT(run, 100);
  EXPECT_GT(staged, 20);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace fredsim
