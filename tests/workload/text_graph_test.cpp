// SPDX-License-Identifier: Apache-2.0
// Text workloads as task graphs: groups by type, order of passes, dependencies.
#include "workload/text_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "support/traces.h"

namespace fredsim {
namespace {

TextPass pass(std::uint64_t ns, std::uint64_t bytes) {
  TextPass made{.compute_ns = ns, .bytes = bytes};
  if (bytes != 0) made.collective = TraceCollective::kAllReduce;
  return made;
}

TextWorkload workload(TextWorkloadType type, int layers = 2) {
  TextWorkload made{.type = type};
  for (int l = 0; l < layers; ++l)
    made.layers.push_back({.name = "l" + std::to_string(l),
                           .forward = pass(10, 100),
                           .input_gradient = pass(20, 200),
                           .weight_gradient = pass(30, 300),
                           .update_ns = 4,
                           .type = type});
  return made;
}

class TextGraphTest : public testing::Test {
 protected:
  TaskGraph graph(const TextWorkload& of, int mp = 0, int iterations = 1) {
    const TaskGraph made = text_graph(
        of, "w.txt", {.mp = mp, .iterations = iterations, .algorithm = "auto"}, topology_);
    made.check();
    return made;
  }
  // Groups of the operations with the given bytes.
  static std::vector<std::vector<int>> groups(const TaskGraph& of, std::uint64_t bytes) {
    for (const OperationShape& shape : of.shapes) {
      if (shape.work[0].bytes != bytes) continue;
      std::vector<std::vector<int>> all;
      for (const CollectiveSpec& spec : shape.work) all.push_back(spec.group);
      return all;
    }
    return {};
  }
  static std::vector<std::string> names(const TaskGraph& of) {
    std::vector<std::string> all;
    for (const Task& task : of.ranks[0].tasks)
      all.push_back(of.labels[task.label] + (task.computes() ? "" : " *"));
    return all;
  }
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  using Groups = std::vector<std::vector<int>>;
};

TEST_F(TextGraphTest, TypesSayWhoSharesTheModel) {
  const Groups all{{0, 1, 2, 3}}, near{{0, 1}, {2, 3}}, far{{0, 2}, {1, 3}}, none;
  const auto expect = [&](TextWorkloadType type, int mp, const Groups& model, const Groups& data) {
    SCOPED_TRACE(to_string(type));
    const TaskGraph made = graph(workload(type), mp);
    EXPECT_EQ(groups(made, 100), model);
    EXPECT_EQ(groups(made, 300), data);
  };
  expect(TextWorkloadType::kData, 0, none, all);
  expect(TextWorkloadType::kModel, 0, all, none);
  expect(TextWorkloadType::kHybridModelData, 2, near, far);
  expect(TextWorkloadType::kHybridDataModel, 2, far, near);
  expect(TextWorkloadType::kHybridTransformer, 2, near, far);
  expect(TextWorkloadType::kHybridTransformerFwdInBckwd, 4, all, none);
  expect(TextWorkloadType::kHybridDlrm, 0, all, all);
  expect(TextWorkloadType::kMicro, 0, none, all);
  expect(TextWorkloadType::kDistributedInference, 0, all, none);
}

TEST_F(TextGraphTest, PassesFollowEachOther) {
  EXPECT_EQ(names(graph(workload(TextWorkloadType::kHybridTransformer), 2)),
            (std::vector<std::string>{
                "l0 forward", "l0 forward *", "l1 forward", "l1 forward *", "l1 input gradient",
                "l1 input gradient *", "l1 weight gradient", "l1 weight gradient *",
                "l0 input gradient", "l0 input gradient *", "l0 weight gradient",
                "l0 weight gradient *", "l0 update", "l1 update"}));
  // Communication of activations and inputs' gradients is waited for; the weights' gradients by the
  // update.
  const std::vector<Task> tasks =
      graph(workload(TextWorkloadType::kHybridTransformer), 2).ranks[3].tasks;
  EXPECT_EQ(tasks[2].after, std::vector<int>{1});
  EXPECT_EQ(tasks[6].after, std::vector<int>{});
  EXPECT_EQ(tasks[8].after, std::vector<int>{5});
  EXPECT_EQ(tasks[12].after, (std::vector<int>{9, 11}));
  EXPECT_EQ(tasks[13].after, std::vector<int>{7});
}

TEST_F(TextGraphTest, ALayersNextForwardPassWaitsForItsUpdate) {
  const std::vector<std::string> two = names(graph(workload(TextWorkloadType::kData, 1), 0, 2));
  EXPECT_EQ(two, (std::vector<std::string>{
                     "l0 forward", "l0 weight gradient", "l0 weight gradient *",
                     "l0 input gradient", "l0 update", "l0 forward", "l0 weight gradient",
                     "l0 weight gradient *", "l0 input gradient", "l0 update"}));
}

TEST_F(TextGraphTest, LayersRunForwardAgainFromTheLastCheckpoint) {
  TextWorkload of = workload(TextWorkloadType::kHybridTransformerFwdInBckwd, 4);
  of.checkpoints = {0, 2};
  of.recomputations = {3, 1};
  const std::vector<std::string> made = names(graph(of, 1));
  std::vector<std::string> computed;
  for (const std::string& name : made)
    if (name.find("forward") != std::string::npos || name.find("input") != std::string::npos)
      computed.push_back(name);
  EXPECT_EQ(computed, (std::vector<std::string>{
                          "l0 forward", "l1 forward", "l2 forward", "l3 forward", "l2 forward",
                          "l3 forward", "l3 input gradient", "l2 input gradient", "l0 forward",
                          "l1 forward", "l1 input gradient", "l0 input gradient"}));
}

TEST_F(TextGraphTest, TheBottomMlpOfADlrmDoesNotWaitForTheEmbedding) {
  TextWorkload of = workload(TextWorkloadType::kHybridDlrm, 4);
  for (int l = 1; l < 4; ++l) of.layers[l].forward = pass(10, 0);
  of.last_bottom_layer = 2;
  const std::vector<Task> tasks = graph(of).ranks[0].tasks;
  // l0, its all-to-all, l1, l2, l3.
  EXPECT_EQ(tasks[2].after, std::vector<int>{});
  EXPECT_EQ(tasks[3].after, std::vector<int>{});
  EXPECT_EQ(tasks[4].after, std::vector<int>{1});
}

TEST_F(TextGraphTest, CollectivesThatTheAlgorithmDoesNotHaveTakeAuto) {
  TextWorkload of = workload(TextWorkloadType::kHybridDlrm);
  of.layers[0].forward.collective = TraceCollective::kAllToAll;
  const auto algorithms = [&](const std::string& asked) {
    const TaskGraph made =
        text_graph(of, "w.txt", {.iterations = 1, .algorithm = asked}, topology_);
    std::map<std::string, std::string> by_collective;
    for (const OperationShape& shape : made.shapes)
      for (const CollectiveSpec& spec : shape.work)
        by_collective[std::string(to_string(spec.collective))] = spec.algorithm;
    return by_collective;
  };
  const auto expect = [&](const std::string& asked, const std::string& all_to_all,
                          const std::string& named) {
    SCOPED_TRACE(asked);
    EXPECT_EQ(algorithms(asked), (std::map<std::string, std::string>{{"all_reduce", asked},
                                                                     {"all_to_all", all_to_all}}));
    EXPECT_EQ(text_algorithms(of, asked), named);
  };
  expect("ring", "auto", "ring; all_to_all by auto");
  expect("halving_doubling,direct", "auto,direct",
         "halving_doubling,direct; all_to_all by auto,direct");
  expect("direct", "direct", "direct");
  expect("paper", "paper", "paper");
  // A name that nobody has is refused when it is planned.
  expect("rung", "rung", "rung");
}

TEST_F(TextGraphTest, RefusalsNameTheOption) {
  const auto refusal = [&](TextWorkloadType type, int mp) {
    return refusal_of([&] { graph(workload(type), mp); });
  };
  EXPECT_EQ(
      refusal(TextWorkloadType::kHybridDataModel, 0),
      "w.txt: HYBRID_DATA_MODEL: --mp: missing; the file does not say how many NPUs share the "
      "model");
  EXPECT_EQ(
      refusal(TextWorkloadType::kHybridTransformer, 3),
      "w.txt: HYBRID_TRANSFORMER: --mp: found 3, which does not divide the 4 NPUs of mesh_2x2");
  EXPECT_EQ(refusal(TextWorkloadType::kData, 2),
            "w.txt: DATA: --mp: the type says which NPUs share the model");
}

}  // namespace
}  // namespace fredsim
