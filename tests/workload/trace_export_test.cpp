// SPDX-License-Identifier: Apache-2.0
// Traces that were written from a training graph: read back they are the same operations, and take
// the same cycles.
#include "workload/trace_export.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "graphs.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/graph_run.h"
#include "workload/inference_graph.h"
#include "workload/model_file.h"
#include "workload/trace_graph.h"
#include "workload/training_graph.h"

namespace fredsim::test {
namespace {

class Files {
 public:
  explicit Files(const TraceTexts& texts) {
    for (std::size_t r = 0; r < texts.ranks.size(); ++r)
      write_file(fmt::format("{}.{}.et", prefix_, r), texts.ranks[r]);
    write_file(groups_, texts.groups);
  }
  TaskGraph graph(const Topology& topology, const std::string& algorithm = {}) const {
    const TraceFiles files = check_traces(prefix_);
    const CommGroups groups = read_comm_groups(groups_, static_cast<int>(files.paths.size()));
    TaskGraph graph = trace_graph(files, groups, {}, topology, {.algorithm = algorithm});
    graph.check();
    return graph;
  }
  void drop_our_attributes() const {
    for (const std::string& path : check_traces(prefix_).paths) {
      std::vector<TraceNode> nodes = read_trace(path);
      for (TraceNode& node : nodes) {
        node.shape = TraceNode::kNobody;
        node.times = 1;
        node.category.clear();
      }
      write_trace(path, nodes);
    }
  }

 private:
  TemporaryFolder folder_;
  std::string prefix_ = folder_.file("t"), groups_ = folder_.file("g.json");
};

constexpr ComputeSpeed kExportSpeed{{.memory_bandwidth = 3'000'000'000'000}, 1e15};

void expect_same_cycles(const TaskGraph& graph, const Topology& topology) {
  const Files files(trace_texts(graph, topology));
  const TaskGraph same = files.graph(topology);
  Simulation simulation;
  Machine first("first", topology, {});
  Machine second("second", topology, {});
  simulation.run([&] {
    const GraphOutcome a =
        run_graph(first, graph, plan_shapes(topology, graph, OnConflict::kRefuse));
    const GraphOutcome b =
        run_graph(second, same, plan_shapes(topology, same, OnConflict::kRefuse));
    EXPECT_EQ(a.result.cycles, b.result.cycles);
    EXPECT_EQ(comparable_results(a.result), comparable_results(b.result));
  });
}

using ExportCase = std::tuple<const char*, Strategy, Accounting, const Schedule*>;
class TraceExportTest : public testing::TestWithParam<ExportCase> {
 protected:
  TaskGraph training() const {
    const auto& [config, strategy, accounting, gradients] = GetParam();
    TrainingOptions options{.strategy = strategy, .accounting = accounting, .gradients = gradients};
    options.microbatches = strategy.pp > 1 ? 3 : 1;
    options.minibatch = 4 * static_cast<std::uint64_t>(strategy.dp) * options.microbatches;
    options.bucket_bytes = 30'001;  // divides by no number of replicas
    options.optimizer = gradients == find_schedule("zero2") ? Optimizer::kAdam : Optimizer::kNone;
    return training_graph(read_model_file("configs/models/small.yaml"), options, kExportSpeed,
                          topology_);
  }
  Topology topology_ = load_config(std::get<0>(GetParam())).topology;
};

TEST_P(TraceExportTest, ReadBackTakesTheSameCycles) { expect_same_cycles(training(), topology_); }

INSTANTIATE_TEST_SUITE_P(
    Runs, TraceExportTest,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{1, 4, 1}, Strategy{2, 1, 2}, Strategy{2, 2, 1},
                                     Strategy{1, 2, 2}, Strategy{1, 1, 4}),
                     testing::Values(Accounting::kSerial, Accounting::kOverlap),
                     testing::Values(find_schedule("bucket"), find_schedule("zero2"),
                                     find_schedule("dear"))));

// Operations that are repeated, with a root per block.
TEST(TraceExport, WeightsThatAreStreamedTakeTheSameCycles) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  for (const Stream stream : {Stream::kBroadcast, Stream::kMulticast}) {
    TrainingOptions options{.strategy = {1, 2, 2}, .accounting = Accounting::kOverlap};
    options.microbatches = 2;
    options.minibatch = 8;
    options.execution = Execution::kStreaming;
    options.stream = stream;
    options.stream_layers = 1;
    options.chunk_bytes = 5000;
    const TaskGraph graph =
        training_graph(read_model_file("configs/models/small.yaml"), options, {{}, 1e15}, topology);
    EXPECT_TRUE(std::ranges::any_of(graph.operations, [](const auto& o) { return o.times > 1; }));
    expect_same_cycles(graph, topology);
  }
}

// All-to-alls whose blocks differ.
TEST(TraceExport, ExpertsTakeTheSameCycles) {
  const TransformerShape shape{.layers = 2,
                               .hidden = 64,
                               .heads = 4,
                               .kv_heads = 4,
                               .head_size = 16,
                               .mlp = 96,
                               .experts = 8,
                               .top_k = 2,
                               .expert_mlp = 48,
                               .vocabulary = 1000,
                               .sequence = 128};
  ComputeSpeed speed = kExportSpeed;
  speed.npu.memory_bytes = 80'000'000'000;
  for (const char* config : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    const Topology topology = load_config(config).topology;
    InferenceOptions options{.strategy = {2, 2, 1}, .batch = 16, .context = 100};
    options.experts = {.ep = 4, .router = parse_router("zipf:1", 3)};
    const TaskGraph graph = inference_graph("sparse", shape, options, speed, topology);
    EXPECT_TRUE(std::ranges::any_of(graph.shapes,
                                    [](const auto& s) { return !s.work.front().matrix.empty(); }));
    expect_same_cycles(graph, topology);
  }
}

// All strategies of the wafers, with controllers that load input and idle NPUs.
class TraceExportOfAWafer : public testing::TestWithParam<std::tuple<const char*, Strategy>> {
 protected:
  TaskGraph training(const Schedule* gradients) const {
    const Strategy strategy = std::get<1>(GetParam());
    TrainingOptions options{
        .strategy = strategy, .gradients = gradients, .optimizer = Optimizer::kAdam};
    options.microbatches = 2;
    options.minibatch = 4 * static_cast<std::uint64_t>(strategy.dp);
    options.bucket_bytes = 30'001;
    return training_graph(read_model_file("configs/models/small.yaml"), options, kExportSpeed,
                          topology_);
  }
  Topology topology_ = load_config(std::get<0>(GetParam())).topology;
};

TEST_P(TraceExportOfAWafer, HasTheSameTasksAndShapes) {
  const TaskGraph graph = training(find_schedule("bucket"));
  const TaskGraph same = Files(trace_texts(graph, topology_)).graph(topology_);
  ASSERT_EQ(graph.shapes.size(), same.shapes.size());
  const auto key = [](const CollectiveSpec& s) {
    return std::tuple(s.collective, s.group, s.bytes, s.algorithm, s.vc, s.root, s.roots);
  };
  const auto keys = [&](const std::vector<CollectiveSpec>& specs) {
    std::vector<decltype(key(specs.front()))> all;
    for (const CollectiveSpec& spec : specs) all.push_back(key(spec));
    return all;
  };
  for (std::size_t s = 0; s < graph.shapes.size(); ++s) {
    EXPECT_EQ(keys(graph.shapes[s].before), keys(same.shapes[s].before));
    EXPECT_EQ(keys(graph.shapes[s].work), keys(same.shapes[s].work));
    EXPECT_EQ(keys(graph.shapes[s].beside), keys(same.shapes[s].beside));
  }
  EXPECT_EQ(graph.operations.size(), same.operations.size());
  for (const TaskRank& rank : graph.ranks) {
    const auto at = std::ranges::find(same.ranks, rank.member, &TaskRank::member);
    ASSERT_NE(at, same.ranks.end());
    ASSERT_EQ(rank.tasks.size(), at->tasks.size());
    for (std::size_t t = 0; t < rank.tasks.size(); ++t) {
      const Task &a = rank.tasks[t], &b = at->tasks[t];
      EXPECT_EQ(std::tuple(a.category, a.stores, a.bytes, a.cycles, a.part, a.rank, a.computes()),
                std::tuple(b.category, b.stores, b.bytes, b.cycles, b.part, b.rank, b.computes()));
      EXPECT_EQ(graph.labels[a.label], same.labels[b.label]);
      if (!a.computes()) {
        EXPECT_EQ(graph.operations[a.operation].shape, same.operations[b.operation].shape);
        EXPECT_EQ(graph.operations[a.operation].times, same.operations[b.operation].times);
      }
    }
  }
}

// Compatibility with other tools: without fredsim's own attributes the trace means the same. Each
// group's collective is then separate.
TEST_P(TraceExportOfAWafer, SaysTheSameWithoutOurAttributes) {
  for (const Schedule* const gradients : {find_schedule("bucket"), find_schedule("zero2")}) {
    const TaskGraph graph = training(gradients);
    const Files files(trace_texts(graph, topology_));
    files.drop_our_attributes();
    const TaskGraph plain = files.graph(topology_, "paper");
    const auto spec_of = [](const TaskGraph& of, const Task& task) {
      CollectiveSpec spec = of.shapes[of.operations[task.operation].shape].work[task.part];
      if (spec.collective == Collective::kMulticast) spec.collective = Collective::kBroadcast;
      const std::uint64_t ranks = spec.group.size();  // comm_size is the contribution of each rank
      if (spec.collective == Collective::kAllGather)
        spec.bytes = (spec.bytes + ranks - 1) / ranks * ranks;
      return spec;
    };
    for (const TaskRank& rank : graph.ranks) {
      const auto at = std::ranges::find(plain.ranks, rank.member, &TaskRank::member);
      ASSERT_NE(at, plain.ranks.end());
      ASSERT_EQ(rank.tasks.size(), at->tasks.size());
      int computed = -1;
      for (int t = 0; t < std::ssize(rank.tasks); ++t) {
        const Task &a = rank.tasks[t], &b = at->tasks[t];
        EXPECT_EQ(std::tuple(a.computes(), a.stores, a.bytes, a.cycles),
                  std::tuple(b.computes(), b.stores, b.bytes, b.cycles));
        std::set<int> after(a.after.begin(), a.after.end());
        if (a.computes() && computed >= 0) after.insert(computed);
        EXPECT_EQ(after, std::set<int>(b.after.begin(), b.after.end()));
        if (a.computes()) {
          computed = t;
          continue;
        }
        const CollectiveSpec one = spec_of(graph, a), other = spec_of(plain, b);
        EXPECT_EQ(
            std::tuple(one.collective, one.group, one.bytes, one.vc, one.root, a.rank),
            std::tuple(other.collective, other.group, other.bytes, other.vc, other.root, b.rank));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, TraceExportOfAWafer,
    testing::Combine(testing::Values("configs/paper/mesh.yaml", "configs/fred_d.yaml"),
                     testing::Values(Strategy{1, 20, 1}, Strategy{3, 3, 2}, Strategy{2, 5, 2},
                                     Strategy{5, 1, 4}, Strategy{1, 3, 1})));

TEST(TraceExport, TimesAreExact) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  GraphByHand hand;
  constexpr std::uint64_t kLongest = 1'500'000'000'000;  // 1000 s
  for (std::uint64_t cycles = 1; cycles < kLongest; cycles += 1 + cycles / 7)
    hand.compute(0, cycles);
  const TaskGraph same = Files(trace_texts(hand.graph(), topology)).graph(topology);
  const std::vector<Task>& tasks = hand.graph().ranks[0].tasks;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    EXPECT_EQ(tasks[t].cycles, same.ranks[0].tasks[t].cycles);
}

class DamagedExport : public testing::Test {
 protected:
  DamagedExport() {
    GraphByHand hand;
    const int sum = hand.operation({0, 1}, 4096);
    for (const int npu : {0, 1}) hand.join(npu, sum);
    texts_ = trace_texts(hand.graph(), topology_);
  }
  // Replaces `found` in the file of a rank by `by`; returns the refusal.
  std::string refusal(int rank, const std::string& found, const std::string& by) {
    TraceTexts texts = texts_;
    std::string& text = texts.ranks[rank];
    const std::size_t at = text.find(found);
    EXPECT_NE(at, std::string::npos) << found;
    text.replace(at, found.size(), by);
    return refusal_of([&] { Files(texts).graph(topology_); });
  }
  void expect(const std::string& message, const std::string& want) {
    EXPECT_NE(message.find(want), std::string::npos) << message;
  }
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  TraceTexts texts_;
};

TEST_F(DamagedExport, IsRefused) {
  expect(refusal(0, "{\"0\":{", "[\"0\",{"), "fredsim_shapes: found no JSON object");
  expect(refusal(0, "{\"0\":{", "{\"x\":{"), "found shape 'x'");
  expect(refusal(0, "{\"0\":{", "{\"7\":{"), "found 0, which the metadata of this file does not");
  expect(refusal(1, "4096", "4097"), "found 0, which is another one in");
  expect(refusal(0, "\"work\"", "\"wrok\""), "shape 0: work: found no list of parts");
  expect(refusal(0, "\"bytes\":4096", "\"bytes\":\"40\""), "bytes: found \"40\"");
  expect(refusal(0, "\"root\":0", "\"root\":2"), "found root 2");
  expect(refusal(0, "\"group\":\"0\"", "\"group\":\"4\""), "no group has that name");
  expect(refusal(0, "\"all_reduce\"", "\"all_reducx\""), "shape 0: collective: ");
}

}  // namespace
}  // namespace fredsim::test
