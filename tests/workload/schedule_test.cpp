// SPDX-License-Identifier: Apache-2.0
// Registries of schedules and executions: the description of each agrees with the graph that it
// makes.
#include "workload/schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/config.h"
#include "workload/execution.h"
#include "workload/graph_size.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"

namespace fredsim {
namespace {

TEST(Schedules, AreFoundByTheirNames) {
  std::set<std::string_view> names;
  for (const Schedule* const one : schedules()) {
    EXPECT_TRUE(names.insert(one->name()).second) << one->name();
    EXPECT_EQ(find_schedule(one->name()), one);
  }
  EXPECT_EQ(find_schedule("another"), nullptr);
  EXPECT_EQ(TrainingOptions{}.gradients, schedules().front());
}

TEST(Schedules, ExecutionsStandInTheOrderOfTheirEnum) {
  ASSERT_EQ(executions().size(), 2U);
  EXPECT_EQ(execution_of({.strategy = {}, .execution = Execution::kStationary}).name(),
            "stationary");
  EXPECT_EQ(execution_of({.strategy = {}, .execution = Execution::kStreaming}).name(), "streaming");
}

// Collectives of a buffer, in an iteration without anything else to send.
TEST(Schedules, SendAsManyCollectivesAsTheySay) {
  const MachineConfig config = load_config("configs/fred_small.yaml");
  const Topology& topology = config.topology;
  const ComputeSpeed speed{.npu = config.compute};
  const ModelShape model = read_model_file("configs/models/small.yaml");
  for (const Schedule* const one : schedules()) {
    SCOPED_TRACE(std::string(one->name()));
    const TrainingOptions options{.strategy = {.mp = 1, .dp = 4, .pp = 1},
                                  .minibatch = 4,
                                  .iterations = 1,
                                  .accounting = Accounting::kOverlap,
                                  .gradients = one,
                                  .bucket_bytes = 10'000};
    const TaskGraph graph = training_graph(model, options, speed, topology);
    std::uint64_t bytes = 0, layers = 0;
    for (const ModelLayer& layer : model.layers) {
      bytes += layer.parameters * kGradientBytes;
      layers += layer.parameters > 0 ? 1 : 0;
    }
    const std::uint64_t sent =
        one->buffers(bytes, options.bucket_bytes, layers) * one->collectives();
    EXPECT_EQ(graph.operations.size(), sent);
    EXPECT_EQ(training_graph_size(model, options, topology).operations, sent);
    for (const GraphOperation& operation : graph.operations)
      EXPECT_EQ(operation.queue >= 0, one->has_queue());
  }
}

}  // namespace
}  // namespace fredsim
