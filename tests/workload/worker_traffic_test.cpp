// SPDX-License-Identifier: Apache-2.0
// Traffic of models between workers, and where a search puts workers for it.
#include "workload/worker_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/config.h"
#include "placement/worker_placement.h"
#include "workload/inference_graph.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"

namespace fredsim {
namespace {

constexpr ComputeSpeed kSpeed{.npu = {}, .rate = 10.09e15};

TrainingOptions options_of(const char* strategy, const std::string& algorithm) {
  TrainingOptions options;
  options.strategy = parse_strategy(strategy);
  options.npus = paper_placement(options.strategy);
  options.minibatch = 16 * static_cast<std::uint64_t>(options.strategy.dp);
  options.microbatches = 8;
  options.iterations = 1;
  options.algorithm = algorithm;
  return options;
}

// 2 x 2 x 78 reductions of a layer, forward and backward, by 8 microbatches at each stage, 12
// groups of stages together.
TEST(WorkerTraffic, GroupsOfAllStagesAreTogether) {
  const Topology mesh = load_config("configs/paper/mesh.yaml").topology;
  const TrainingOptions options = options_of("mp3-dp3-pp2", "paper");
  const TaskGraph graph = training_graph(built_in_model("transformer_17b"), options, kSpeed, mesh);
  const std::vector<WorkerTraffic> traffic = worker_traffic(graph, options.npus);
  double reductions = 0, transfers = 0, bytes = 0;
  for (const WorkerTraffic& kind : traffic) {
    const CollectiveSpec& first = kind.work.front();
    if (first.vc == kMp) {
      EXPECT_EQ(kind.work.size(), 6U);
      reductions += kind.times;
    }
    if (first.vc == kPp) {
      EXPECT_EQ(kind.work.size(), 3U) << "one stage to the other";
      transfers += kind.times;
    }
    if (first.vc == kDp) {
      EXPECT_EQ(kind.work.size(), 6U);
      bytes += kind.times * static_cast<double>(first.bytes);
    }
    for (const CollectiveSpec& spec : kind.work)
      for (const int worker : spec.group) EXPECT_LT(worker, 18);
  }
  EXPECT_EQ(reductions, 1248);
  EXPECT_EQ(transfers, 16);
  EXPECT_NEAR(bytes, 2.0 * static_cast<double>(built_in_model("transformer_17b").parameters()) / 6,
              30e6);
}

// Time by hand: 49.5 ms, with 10.1 ms for DP, and MP rings and DP rings on separate links.
TEST(WorkerTraffic, RingsOfTransformer17bDoNotMeet) {
  const Topology mesh = load_config("configs/paper/mesh.yaml").topology;
  const TrainingOptions options = options_of("mp3-dp3-pp2", "paper");
  const std::vector<WorkerTraffic> traffic = worker_traffic(
      training_graph(built_in_model("transformer_17b"), options, kSpeed, mesh), options.npus);
  const std::vector<int> by_hand{12, 9, 16, 13, 10, 18, 15, 11, 19, 2, 0, 1, 6, 4, 5, 14, 8, 17};
  const WorkerPlacement found = auto_placement(options.strategy, mesh, traffic);
  EXPECT_EQ(found.name, "searched");
  EXPECT_LT(placement_ns(mesh, traffic, found.npus), 1.01 * placement_ns(mesh, traffic, by_hand));
  EXPECT_LT(placement_ns(mesh, traffic, found.npus),
            0.85 * placement_ns(mesh, traffic, snake_placement(options.strategy, mesh)));
}

// 160 all-reduces of 256 KiB in a step of 16 sequences. Rows of 5, 5, 5 and 1 leave a worker with
// one link; by rings they take 218 us.
TEST(WorkerTraffic, LlamaDecodesOnASquare) {
  const MachineConfig mesh = load_config("configs/mesh.yaml");
  const ModelShape model = read_model_file("configs/models/llama3_70b.yaml");
  InferenceOptions options;
  options.strategy = parse_strategy("mp16");
  options.npus = paper_placement(options.strategy);
  options.batch = 16;
  options.context = 2048;
  const std::vector<WorkerTraffic> traffic = worker_traffic(
      inference_graph("llama", *model.transformer, options, {mesh.compute, 0}, mesh.topology),
      options.npus);
  const WorkerPlacement found = auto_placement(options.strategy, mesh.topology, traffic);
  const double searched = placement_ns(mesh.topology, traffic, found.npus);
  EXPECT_LT(searched, 80e3);
  EXPECT_GT(placement_ns(mesh.topology, traffic, options.npus), 1.05 * searched);
}

// The placement of workers does not change their traffic.
TEST(WorkerTraffic, IsThatOfWorkersWhereverTheyAre) {
  const Topology mesh = load_config("configs/mesh.yaml").topology;
  TrainingOptions options = options_of("mp2-dp5-pp2", "paper");
  options.execution = Execution::kStreaming;
  options.stream = Stream::kMulticast;
  const ModelShape model = built_in_model("gpt3");
  const auto traffic_of = [&] {
    return worker_traffic(training_graph(model, options, kSpeed, mesh), options.npus);
  };
  const std::vector<WorkerTraffic> one = traffic_of();
  std::ranges::reverse(options.npus);
  const std::vector<WorkerTraffic> other = traffic_of();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].times, other[k].times);
    ASSERT_EQ(one[k].work.size(), other[k].work.size());
    for (std::size_t i = 0; i < one[k].work.size(); ++i) {
      EXPECT_EQ(one[k].work[i].group, other[k].work[i].group);
      EXPECT_EQ(one[k].work[i].bytes, other[k].work[i].bytes);
    }
  }
}

}  // namespace
}  // namespace fredsim
