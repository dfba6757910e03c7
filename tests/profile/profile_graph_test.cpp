// SPDX-License-Identifier: Apache-2.0
// Nodes and dependencies of profiles made by hand, each rule alone, and of random ones.
#include "profile/profile_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "profile/recorded_check.h"
#include "profile/sample_profile.h"

namespace fredsim::test {
namespace {

constexpr Kineto::Ps kUs = 1'000'000;

// Index of the node of a name; CPU nodes: "cpu" and the time of their end.
int node(const ProfileGraph& graph, const std::string& name, double end_us = -1) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].node.name == name &&
        (end_us < 0 || graph.nodes[n].end == static_cast<Kineto::Ps>(end_us * kUs)))
      return static_cast<int>(n);
  ADD_FAILURE() << "no node " << name << " that ends at " << end_us;
  return 0;
}

// Nodes that one waits for by a rule.
std::vector<int> waits(const ProfileGraph& graph, int number, TraceRule rule) {
  std::vector<int> found;
  for (const auto& after : graph.nodes[static_cast<std::size_t>(number)].after)
    if (after.rule == rule) found.push_back(after.node);
  std::ranges::sort(found);
  return found;
}

// CPU     |--a--|--b--|
// stream 7      |aaa| |bbb|
TEST(ProfileGraph, OperationsFollowTheirLaunchAndTheirStream) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("aten::add", 0, 30)
                                 .kernel("a", 10, 12, 20)
                                 .kernel("b", 20, 33, 5)
                                 .graph();
  const int a = node(graph, "a"), b = node(graph, "b");
  EXPECT_TRUE(waits(graph, a, TraceRule::kStream).empty());
  EXPECT_EQ(waits(graph, b, TraceRule::kStream), std::vector<int>({a}));
  EXPECT_EQ(waits(graph, a, TraceRule::kLaunch), std::vector<int>({node(graph, "cpu", 10)}));
  EXPECT_EQ(waits(graph, b, TraceRule::kLaunch), std::vector<int>({node(graph, "cpu", 20)}));
  EXPECT_EQ(waits(graph, node(graph, "cpu", 20), TraceRule::kThread),
            std::vector<int>({node(graph, "cpu", 10)}));
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(a)].node.duration_ps, 20U * kUs);
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node(graph, "cpu", 20))].node.duration_ps,
            10U * kUs);
  const RecordedCheck check = check_recorded(graph);
  EXPECT_EQ(check.computations, 2U);
  EXPECT_EQ(check.unexplained_computations, 0U);
  EXPECT_EQ(check.largest_gap, 2 * kUs);
}

TEST(ProfileGraph, LeavesTheCpuOutOnRequest) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("x", 0, 9)
                                 .kernel("a", 1, 2, 3)
                                 .kernel("b", 4, 6, 3)
                                 .graph({.gpu_only = true});
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[1].node.after, std::vector<std::uint64_t>({0}));
}

// main      |--a--|            |--c--|     waits for the last launch of the backward thread
// backward        |--b--|                  starts with the last launch of the main thread
TEST(ProfileGraph, BackwardThreadIsStartedAndAwaited) {
  const ProfileGraph graph =
      SampleProfile()
          .cpu("forward", 0, 10)
          .kernel("a", 10, 12, 3)
          .cpu("backward", 15, 20, {{"Fwd thread id", 1}}, SampleProfile::kBackward)
          .kernel("b", 30, 32, 3, 7, SampleProfile::kBackward)
          .kernel("c", 50, 52, 3)
          .graph();
  const int started = node(graph, "cpu", 30), awaiting = node(graph, "cpu", 50);
  EXPECT_EQ(waits(graph, started, TraceRule::kAutograd),
            std::vector<int>({node(graph, "cpu", 10)}));
  EXPECT_EQ(waits(graph, awaiting, TraceRule::kAutograd), std::vector<int>({started}));
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(awaiting)].node.duration_ps, 20U * kUs)
      << "from the launch of b on";
  EXPECT_EQ(check_recorded(graph).recorded, 55 * kUs);
  EXPECT_EQ(check_recorded(graph).replayed, 53 * kUs) << "without the 2 µs from c's launch to c";
}

// stream 7  |aaa|         |b|   b is launched after the wait
// stream 40     |all-reduce|
TEST(ProfileGraph, CollectivesWaitForTheComputeStreamAndItForThem) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("x", 0, 100)
                                 .kernel("a", 10, 12, 20)
                                 .collective("allreduce", 1000, 13, 32, 30)
                                 .kernel("free", 20, 33, 4)
                                 .wait(30)
                                 .kernel("b", 35, 62, 3)
                                 .graph();
  const int reduce = node(graph, "allreduce");
  EXPECT_EQ(waits(graph, reduce, TraceRule::kCollective), std::vector<int>({node(graph, "a")}));
  EXPECT_TRUE(waits(graph, node(graph, "free"), TraceRule::kCollective).empty());
  EXPECT_EQ(waits(graph, node(graph, "b"), TraceRule::kCollective), std::vector<int>({reduce}));
  const TraceNode& made = graph.nodes[static_cast<std::size_t>(reduce)].node;
  EXPECT_EQ(made.type, TraceNodeType::kCollective);
  EXPECT_EQ(made.collective, TraceCollective::kAllReduce);
  EXPECT_EQ(made.bytes, 4000U);
  const RecordedCheck check = check_recorded(graph);
  EXPECT_EQ(check.communications, 1U);
  EXPECT_EQ(check.unexplained_communications, 0U);
  for (const auto& rule : check.rules) EXPECT_EQ(sum_of(rule).violated, 0U);
  EXPECT_EQ(check.exposed, 26 * kUs) << "32 to 62, of which free has 4";
}

// DistributedDataParallel: the backward thread waits, the main thread launches next.
TEST(ProfileGraph, AWaitHoldsTheStreamWhoeverLaunchesOnItNext) {
  const ProfileGraph graph =
      SampleProfile()
          .cpu("x", 0, 200)
          .cpu("backward", 5, 60, {{"Fwd thread id", 1}}, SampleProfile::kBackward)
          .kernel("a", 10, 12, 20, 7, SampleProfile::kBackward)
          .collective("allreduce", 1000, 13, 32, 60, SampleProfile::Json::object(),
                      SampleProfile::kBackward)
          .wait(30, SampleProfile::kBackward)
          .kernel("adam", 40, 93, 5)
          .graph();
  EXPECT_EQ(waits(graph, node(graph, "adam"), TraceRule::kCollective),
            std::vector<int>({node(graph, "allreduce")}));
}

// CPU     |-a-|        |-b-|   from the end of the copy on
// GPU       |-a-||copy|
TEST(ProfileGraph, ThreadsWaitWhereTheySynchronise) {
  for (const std::string sync : {"cudaStreamSynchronize", "cudaDeviceSynchronize"}) {
    const ProfileGraph graph = SampleProfile()
                                   .cpu("x", 0, 100)
                                   .kernel("a", 10, 12, 20)
                                   .copy("Memcpy DtoH (Device -> Pinned)", 15, 32, 10, 4096)
                                   .runtime(sync, 17, 27)
                                   .kernel("b", 50, 52, 3)
                                   .graph();
    const int copied = node(graph, "Memcpy DtoH (Device -> Pinned)");
    const int on = node(graph, "cpu", 50);
    EXPECT_EQ(waits(graph, on, TraceRule::kSync), std::vector<int>({copied})) << sync;
    EXPECT_EQ(graph.nodes[static_cast<std::size_t>(on)].node.duration_ps, 8U * kUs) << sync;
    const TraceNode& made = graph.nodes[static_cast<std::size_t>(copied)].node;
    EXPECT_EQ(made.type, TraceNodeType::kStore);
    EXPECT_EQ(made.tensor_bytes, 4096U);
    EXPECT_EQ(check_recorded(graph).replayed, 51 * kUs) << "without 2 µs twice, as of a launch";
  }
}

TEST(ProfileGraph, StreamsWaitForEventsThatTheProfileHas) {
  SampleProfile profile;
  profile.cpu("x", 0, 100).kernel("a", 10, 12, 30, 7);
  profile.event({{"ph", "X"},
                 {"cat", "cuda_sync"},
                 {"name", "Stream Wait Event"},
                 {"pid", 0},
                 {"tid", 9},
                 {"ts", 15},
                 {"dur", 1},
                 {"args", {{"stream", 9}, {"wait_on_stream", 7}}}});
  const ProfileGraph graph = profile.kernel("b", 20, 42, 5, 9).graph();
  EXPECT_EQ(waits(graph, node(graph, "b"), TraceRule::kEvent),
            std::vector<int>({node(graph, "a")}));
}

// stream 7 of device 3   |a| |c|     the event is recorded between their launches
// stream 9                  |b|
TEST(ProfileGraph, AnEventIsThatOfItsRecordAndDevice) {
  SampleProfile profile;
  profile.device(3).cpu("x", 0, 100).kernel("a", 10, 12, 5, 7);
  profile.event({{"ph", "X"},
                 {"cat", "cuda_runtime"},
                 {"name", "cudaEventRecord"},
                 {"pid", 1},
                 {"tid", SampleProfile::kMain},
                 {"ts", 12},
                 {"dur", 1},
                 {"args", {{"correlation", 900}}}});
  profile.kernel("c", 14, 20, 30, 7);
  profile.event({{"ph", "X"},
                 {"cat", "cuda_sync"},
                 {"name", "Stream Wait Event"},
                 {"pid", 3},
                 {"tid", 9},
                 {"ts", 16},
                 {"dur", 1},
                 {"args",
                  {{"stream", 9},
                   {"device", 3},
                   {"wait_on_stream", 7},
                   {"wait_on_cuda_event_record_corr_id", 900}}}});
  const ProfileGraph graph = profile.kernel("b", 20, 22, 5, 9).graph();
  EXPECT_EQ(waits(graph, node(graph, "b"), TraceRule::kEvent),
            std::vector<int>({node(graph, "a")}));
}

TEST(ProfileGraph, StreamsOfTwoDevicesAreApart) {
  SampleProfile profile;
  profile.cpu("x", 0, 100).device(1).kernel("a", 10, 12, 20, 7).kernel("b", 14, 33, 5, 9);
  const ProfileGraph graph = profile.device(2).kernel("c", 20, 22, 5, 7).graph();
  std::set<int> streams;
  for (const ProfileGraph::Lane& lane : graph.lanes)
    if (!lane.is_cpu) streams.insert(lane.stream);
  EXPECT_EQ(streams, std::set<int>({7, 9, 10}));
  EXPECT_TRUE(waits(graph, node(graph, "c"), TraceRule::kStream).empty());
}

// Two groups, a stream each: neither waits for the other, until the compute stream does.
// stream 7   |a|
// stream 40     |first   |
// stream 41     |second|      |third|   behind the wait for the first
TEST(ProfileGraph, CollectivesOfTwoGroupsWaitForEachOtherByTheComputeStream) {
  SampleProfile profile;
  const auto on = [](int stream) { return SampleProfile::Json{{"stream", stream}}; };
  profile.cpu("x", 0, 200).kernel("a", 10, 12, 20);
  profile.collective("allreduce", 1000, 13, 32, 30);
  profile.collective("_allgather_base", 1000, 20, 32, 10, on(41));
  profile.wait(30).collective("broadcast", 1000, 35, 62, 10, on(41));
  const ProfileGraph graph = profile.graph();
  const int first = node(graph, "allreduce"), second = node(graph, "_allgather_base");
  const int third = node(graph, "broadcast"), a = node(graph, "a");
  EXPECT_EQ(waits(graph, first, TraceRule::kCollective), std::vector<int>({a}));
  EXPECT_EQ(waits(graph, second, TraceRule::kCollective), std::vector<int>({a}));
  EXPECT_EQ(waits(graph, third, TraceRule::kCollective), std::vector<int>({a, first}));
}

TEST(ProfileGraph, TakesTheStepsThatAreAskedFor) {
  SampleProfile profile;
  for (int n = 0; n < 3; ++n)
    profile.step(n + 4, 100.0 * n, 100)
        .kernel(fmt::format("k{}", n), 100.0 * n + 10, 100.0 * n + 12, 5);
  const auto names = [&](std::optional<std::pair<int, int>> steps) {
    std::vector<std::string> found;
    for (const ProfiledNode& one : profile.graph({.steps = steps}).nodes)
      if (!one.node.on_cpu) found.push_back(one.node.name);
    return found;
  };
  EXPECT_EQ(names({}), std::vector<std::string>({"k2"}));
  EXPECT_EQ(names({{4, 5}}), std::vector<std::string>({"k0", "k1"}));
  EXPECT_EQ(check_recorded(profile.graph()).recorded, 100 * kUs);
  try {
    profile.graph({.steps = {{7, 7}}});
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_PRED2(has_text, error.what(), "--step: found 7");
    EXPECT_PRED2(has_text, error.what(), "allowed: 4, 5, 6");
  }
}

TEST(ProfileGraph, SizesOfCollectivesAreThoseOfTheTable) {
  const auto bytes = [](const char* name, std::uint64_t in, std::uint64_t out) {
    const ProfileGraph graph =
        SampleProfile()
            .cpu("x", 0, 100)
            .collective(name, in, 10, 20, 5, {{"Out msg nelems", out}, {"dtype", "BFloat16"}})
            .graph();
    return graph.nodes.back().node.bytes;
  };
  EXPECT_EQ(bytes("allreduce", 100, 100), 200U);
  EXPECT_EQ(bytes("_allgather_base", 100, 800), 200U) << "the shard, not the output";
  EXPECT_EQ(bytes("all_gather_into_tensor_coalesced", 100, 800), 200U);
  EXPECT_EQ(bytes("_reduce_scatter_base", 800, 100), 1600U);
  EXPECT_EQ(bytes("reduce_scatter_tensor_coalesced", 800, 100), 1600U);
  EXPECT_EQ(bytes("all_to_allv", 800, 700), 1600U);
  EXPECT_EQ(bytes("broadcast", 64, 64), 128U);
}

// Splits of rows of four elements of 4 B; equal ones, and a rank that sends nothing.
TEST(ProfileGraph, UnequalAllToAllsKeepTheirSplits) {
  const auto splits = [](std::uint64_t elements, const char* in) {
    return SampleProfile()
        .cpu("x", 0, 100)
        .collective("all_to_allv", elements, 10, 20, 5, {{"In split size", in}})
        .graph()
        .nodes.back()
        .node.splits;
  };
  EXPECT_EQ(splits(24, "[1, 2, 3]"), std::vector<std::uint64_t>({16, 32, 48}));
  EXPECT_TRUE(splits(24, "[2, 2, 2]").empty());
  EXPECT_TRUE(splits(24, "[]").empty());
  EXPECT_EQ(splits(0, "[0, 0, 0]"), std::vector<std::uint64_t>({0, 0, 0}));
}

// stream 40   |send, receive|   one kernel, launched behind both calls
TEST(ProfileGraph, OneKernelDoesCoalescedSendsAndReceives) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("x", 0, 200)
                                 .kernel("a", 5, 7, 10)
                                 .cpu("record_param_comms", 20, 2,
                                      {{"Collective name", "send"},
                                       {"In msg nelems", 100},
                                       {"dtype", "Float"},
                                       {"Dst Rank", 1}})
                                 .cpu("record_param_comms", 24, 2,
                                      {{"Collective name", "recv"},
                                       {"Out msg nelems", 50},
                                       {"dtype", "Float"},
                                       {"Src Rank", 2},
                                       {"Dst Rank", 0}})
                                 .kernel("ncclDevKernel_SendRecv", 30, 40, 8, 40)
                                 .collective("allreduce", 10, 50, 60, 5)
                                 .graph();
  const int send = node(graph, "send"), receive = node(graph, "recv");
  const int join = node(graph, "coalesced");
  const auto& made = graph.nodes;
  EXPECT_EQ(made[static_cast<std::size_t>(send)].node.type, TraceNodeType::kSend);
  EXPECT_EQ(made[static_cast<std::size_t>(send)].node.bytes, 400U);
  EXPECT_EQ(made[static_cast<std::size_t>(send)].node.duration_ps, 8U * kUs);
  EXPECT_EQ(made[static_cast<std::size_t>(receive)].node.type, TraceNodeType::kReceive);
  EXPECT_EQ(made[static_cast<std::size_t>(receive)].node.bytes, 200U);
  const auto& after = made[static_cast<std::size_t>(receive)].node.after;
  EXPECT_FALSE(std::ranges::count(after, static_cast<std::uint64_t>(send))) << "side by side";
  EXPECT_EQ(after, made[static_cast<std::size_t>(send)].node.after);
  EXPECT_EQ(made[static_cast<std::size_t>(join)].node.after.size(), 2U);
  EXPECT_EQ(waits(graph, node(graph, "allreduce"), TraceRule::kStream), std::vector<int>({join}));
  const RecordedCheck check = check_recorded(graph);
  EXPECT_EQ(check.communications, 3U);
  EXPECT_EQ(check.computations, 1U);
  for (const auto& rule : check.rules) EXPECT_EQ(sum_of(rule).violated, 0U);
}

TEST(ProfileGraph, UnknownCollectivesAreRefusedByName) {
  SampleProfile profile;
  profile.cpu("x", 0, 100).collective("quantised_exchange", 10, 10, 20, 5);
  try {
    profile.graph();
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_PRED2(has_text, error.what(), "found the collective 'quantised_exchange'");
  }
  const ProfileGraph graph = profile.graph({.unknown_is_compute = true});
  EXPECT_EQ(graph.unknown_calls, 1U);
  EXPECT_EQ(graph.nodes.back().node.type, TraceNodeType::kCompute);
}

TEST(ProfileGraph, FindsRulesThatTheRecordingViolates) {
  ProfileGraph graph =
      SampleProfile().cpu("x", 0, 100).kernel("a", 10, 12, 20).kernel("b", 20, 33, 5).graph();
  ProfiledNode& b = graph.nodes[static_cast<std::size_t>(node(graph, "b"))];
  b.begin -= 5 * kUs;  // before the end of a
  const RecordedCheck check = check_recorded(graph);
  const auto of = [](const RecordedCheck& recorded, TraceRule rule, RecordedKind kind) {
    return recorded.rules[static_cast<std::size_t>(rule)][static_cast<std::size_t>(kind)];
  };
  EXPECT_EQ(of(check, TraceRule::kStream, RecordedKind::kComputation).violated, 1U);
  EXPECT_EQ(sum_of(check.rules[static_cast<std::size_t>(TraceRule::kLaunch)]).violated, 0U);
  b.begin += 40 * kUs;
  const RecordedCheck late = check_recorded(graph);
  EXPECT_EQ(late.unexplained_computations, 1U);
  EXPECT_EQ(of(late, TraceRule::kStream, RecordedKind::kComputation).unexplained, 1U)
      << "a ends after the launch of b";
  EXPECT_EQ(of(late, TraceRule::kLaunch, RecordedKind::kComputation).unexplained, 0U);
  b.after.clear();
  EXPECT_EQ(check_recorded(graph).free[static_cast<std::size_t>(RecordedKind::kComputation)], 1U);
}

TEST(ProfileGraph, CountsArithmeticOfMatrices) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("aten::mm", 0, 50, {{"Input Dims", {{16, 32}, {32, 8}}}})
                                 .kernel("gemm", 10, 12, 3)
                                 .cpu("aten::relu", 60, 10, {{"Input Dims", {{16, 8}}}})
                                 .kernel("relu", 65, 67, 3)
                                 .graph();
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node(graph, "gemm"))].node.operations,
            2U * 16 * 32 * 8);
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node(graph, "relu"))].node.operations, 0U);
}

// A convolution in another layout: two transpositions around the kernel that multiplies.
TEST(ProfileGraph, GivesArithmeticToTheLongestKernelOfAnOperation) {
  const ProfileGraph graph = SampleProfile()
                                 .cpu("aten::mm", 0, 50, {{"Input Dims", {{16, 32}, {32, 8}}}})
                                 .kernel("nchwToNhwc", 10, 12, 3)
                                 .kernel("gemm", 14, 16, 30)
                                 .kernel("nhwcToNchw", 18, 46, 4)
                                 .graph();
  std::uint64_t sum = 0;
  for (const ProfiledNode& one : graph.nodes) sum += one.node.operations;
  EXPECT_EQ(sum, 2U * 16 * 32 * 8) << "once";
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node(graph, "gemm"))].node.operations, sum);
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node(graph, "nchwToNhwc"))].node.tensor_bytes, 0U);
}

// Random threads of launches, waits and collectives: the order is one of the dependencies, nothing
// that was implied is lost, and the replay is no later than the recording.
class RandomProfile : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProfile, KeepsWhatItsDependenciesImply) {
  Random random(GetParam());
  SampleProfile profile;
  profile.cpu("x", 0, 10000);
  double now = 5;
  std::map<int, double> free;
  double last = 0;
  for (int n = 0; n < 60; ++n) {
    now += static_cast<double>(1 + random.below(30));
    const int stream = random.below(4) == 0 ? 9 : 7;
    const double length = static_cast<double>(1 + random.below(60));
    switch (random.below(8)) {
      case 0: {
        const double begin = std::max({now + 3, free[40], free[7], free[9]});
        profile.collective("allreduce", 10, now, begin, length);
        free[40] = last = begin + length;
        now += 6;
        break;
      }
      case 1:
        profile.runtime("cudaDeviceSynchronize", now, std::max(last - now, 0.0) + 1);
        now = std::max(now, std::max({free[7], free[9], free[40]})) + 2;
        break;
      default: {
        const double begin = std::max(now + 2, free[stream]);
        profile.kernel(fmt::format("k{}", n), now, begin, length, stream);
        free[stream] = begin + length;
        last = std::max(last, free[stream]);
      }
    }
  }
  const ProfileGraph graph = profile.graph();
  const std::size_t count = graph.nodes.size();
  std::vector<std::set<int>> all(count), kept(count);
  for (std::size_t n = 0; n < count; ++n) {
    for (const auto& after : graph.nodes[n].after) {
      ASSERT_LT(after.node, static_cast<int>(n));
      all[n].insert(after.node);
      const auto& more = all[static_cast<std::size_t>(after.node)];
      all[n].insert(more.begin(), more.end());
    }
    for (const std::uint64_t after : graph.nodes[n].node.after) {
      kept[n].insert(static_cast<int>(after));
      kept[n].insert(kept[after].begin(), kept[after].end());
    }
    EXPECT_EQ(kept[n], all[n]) << "node " << n;
    for (const std::uint64_t one : graph.nodes[n].node.after)
      for (const std::uint64_t other : graph.nodes[n].node.after)
        EXPECT_FALSE(all[other].contains(static_cast<int>(one))) << "node " << n << " keeps both";
  }
  const RecordedCheck check = check_recorded(graph);
  EXPECT_LE(check.replayed, check.recorded);
  for (std::size_t r = 0; r < kTraceRules.size(); ++r)
    EXPECT_EQ(sum_of(check.rules[r]).violated, 0U) << kTraceRules[r];
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomProfile, ::testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace fredsim::test
