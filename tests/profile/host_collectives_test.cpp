// SPDX-License-Identifier: Apache-2.0
// Collectives of gloo, whose threads run on the CPU: launches, waits, sizes.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "profile/host_trace.h"
#include "profile/sample_profile.h"

namespace fredsim::test {
namespace {

using Json = nlohmann::json;

constexpr int kGloo = 300;
constexpr Kineto::Ps kMicrosecond = 1'000'000;

// An all-reduce of 8192 floats from 12 to 40 µs, which the main thread calls at 10.
SampleProfile with_all_reduce(int thread = kGloo) {
  return SampleProfile()
      .cpu("aten::mm", 0, 5)
      .cpu("c10d::allreduce_", 10, 20)
      .cpu("gloo:all_reduce", 12, 28, {{"Input Dims", {{128, 64}}}, {"Input type", {"float"}}},
           thread);
}

TEST(HostCollectives, AreOperationsOfAStreamThatTheirCallLaunches) {
  for (const int thread : {kGloo, SampleProfile::kMain}) {
    const ProfileGraph graph =
        with_all_reduce(thread).step(1, 0, 60).cpu("aten::add", 50, 2).graph();
    ASSERT_EQ(graph.nodes.size(), 4U);
    EXPECT_EQ(graph.nodes[0].node.duration_ps, 12U * kMicrosecond);
    const ProfiledNode& sum = graph.nodes[1];
    EXPECT_EQ(sum.node.collective, TraceCollective::kAllReduce);
    EXPECT_EQ(sum.node.bytes, 32768U);
    EXPECT_EQ(sum.node.duration_ps, 28U * kMicrosecond);
    EXPECT_FALSE(graph.lanes[static_cast<std::size_t>(sum.lane)].is_cpu);
    // The call returns at 30. The thread is idle at the end of the all-reduce: it waited for it.
    EXPECT_EQ(graph.nodes[2].begin, 12 * kMicrosecond);
    EXPECT_EQ(graph.nodes[2].node.duration_ps, 18U * kMicrosecond);
    EXPECT_EQ(graph.nodes[3].node.after, std::vector<std::uint64_t>({1, 2}));
    EXPECT_EQ(graph.nodes[3].begin, 40 * kMicrosecond);
    EXPECT_EQ(graph.nodes[3].node.duration_ps, 20U * kMicrosecond);
  }
}

TEST(HostCollectives, AreNotAwaitedByAThreadThatIsBusyAtTheirEnd) {
  const ProfileGraph busy = with_all_reduce().step(1, 0, 60).cpu("aten::mm", 30, 15).graph();
  ASSERT_EQ(busy.nodes.size(), 3U);
  EXPECT_EQ(busy.dependencies[static_cast<std::size_t>(TraceRule::kSync)], 0U);
  EXPECT_EQ(busy.nodes[2].begin, 12 * kMicrosecond);
  EXPECT_EQ(busy.nodes[2].node.duration_ps, 48U * kMicrosecond);
  // Idle from 35 on: until then the thread computes beside it.
  const ProfileGraph idle = with_all_reduce().step(1, 0, 60).cpu("aten::mm", 30, 5).graph();
  ASSERT_EQ(idle.nodes.size(), 4U);
  EXPECT_EQ(idle.nodes[2].begin, 12 * kMicrosecond);
  EXPECT_EQ(idle.nodes[2].node.duration_ps, 23U * kMicrosecond);
  EXPECT_EQ(idle.nodes[3].begin, 40 * kMicrosecond);
}

// PyTorch records a collective after it has completed it: here after the step's end.
TEST(HostCollectives, AreNotAwaitedByAStepThatEndedBefore) {
  const ProfileGraph graph = with_all_reduce().step(1, 0, 35).graph();
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.dependencies[static_cast<std::size_t>(TraceRule::kSync)], 0U);
  EXPECT_EQ(graph.nodes[2].node.duration_ps, 23U * kMicrosecond);
}

// A list, which torch.autograd.profiler writes without Kineto, and ExecutionGraphObserver beside it.
TEST(HostCollectives, HaveTheSizesOfTheHostsTraceInPlainLists) {
  const TemporaryFolder folder;
  const auto event = [](const char* name, int begin, int length, int thread) {
    return Json{{"name", name},          {"ph", "X"},     {"ts", begin},
                {"dur", length},         {"tid", thread}, {"pid", "CPU functions"},
                {"args", Json::object()}};
  };
  std::ofstream(folder.file("step.json"))
      << Json{event("ProfilerStep#3", 100, 60, 1), event("c10d::allreduce_", 110, 20, 1),
              event("gloo:all_reduce", 112, 28, 2)}
             .dump();
  Kineto profile = read_kineto(folder.file("step.json"));
  EXPECT_EQ(profile.cpu.size(), 3U);
  EXPECT_THROW(profile_graph(profile, {}), BadInput) << "without sizes";
  const auto node = [](int id, const char* name, Json inputs) {
    return Json{{"id", id}, {"name", name}, {"rf_id", id}, {"tid", 1}, {"inputs", inputs}};
  };
  const Json tensor{121, 164, 0, 8192, 4, "cpu"};
  std::ofstream(folder.file("host.json"))
      << Json{{"schema", "1.0.1"},
              {"nodes",
               {node(3, "gloo:all_reduce", Json::array({tensor})),
                node(2, "c10d::allreduce_", Json::array({Json::array({tensor})}))}}}
             .dump();
  const HostJoin found = join(profile, read_host_trace(folder.file("host.json")));
  EXPECT_EQ(found.joined, 2U);
  const ProfileGraph graph = profile_graph(profile, {});
  EXPECT_EQ(graph.steps, std::vector<int>({3}));
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(graph.nodes[1].node.bytes, 32768U);
  EXPECT_EQ(graph.end - graph.begin, 60 * kMicrosecond);
}

}  // namespace
}  // namespace fredsim::test
