// SPDX-License-Identifier: Apache-2.0
// Bytes per value of weights, activations and KV cache: sizes, times, memory and messages against
// counts by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"
#include "config/config.h"
#include "small_transformer.h"
#include "support/simulation.h"
#include "workload/inference_graph.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"
#include "workload/training_memory.h"

namespace fredsim::test {
namespace {

constexpr ValueBytes kNarrow{.weights = 0.5, .activations = 1, .kv = 0.25};

// A byte is a ps, FLOPs take no time.
ComputeSpeed bytes_alone(const ValueBytes& values) {
  return {.npu = {.peak_gflops = 1'000'000'000'000,
                  .memory_bandwidth = 1'000'000'000'000,
                  .memory_bytes = 80'000'000'000,
                  .value_bytes = values}};
}

// Bytes of the first part of each operation, summed by label.
std::map<std::string, std::uint64_t> bytes_by_label(const TaskGraph& graph) {
  graph.check();
  std::map<std::string, std::uint64_t> bytes;
  for (const GraphOperation& operation : graph.operations)
    bytes[graph.labels[operation.label]] += graph.shapes[operation.shape].work.front().bytes;
  return bytes;
}

TEST(ValueBytes, AreReadFromMachineFiles) {
  EXPECT_EQ(load_config("configs/fred_d.yaml").compute.value_bytes, ValueBytes{});
  const ValueBytes found = load_config("configs/fred_d.yaml",
                                       {"npu.value_bytes.weights=0.5",
                                        "npu.value_bytes.activations=1", "npu.value_bytes.kv=0.25"})
                               .compute.value_bytes;
  EXPECT_EQ(found, kNarrow);
  for (const std::string wrong : {"0", "-1", "0.1", "9", "2 B", "nan", "FP8"}) {
    const std::string message = message_of<BadInput>(
        [&] { load_config("configs/fred_d.yaml", {"npu.value_bytes.kv=" + wrong}); });
    EXPECT_NE(message.find("npu.value_bytes.kv: found '" + wrong + "'; allowed: 0.125 to 8 bytes"),
              std::string::npos)
        << message;
  }
  EXPECT_NE(message_of<BadInput>([] {
              load_config("configs/fred_d.yaml", {"npu.value_bytes.weight=1"});
            }).find("weights"),
            std::string::npos);
}

TEST(ValueBytes, OfDecodeAreReadFromMemoryAtTheirOwnWidth) {
  const InferenceWork work{3, 1, 10};
  const ComputeSpeed speed = bytes_alone(kNarrow);
  const double qkv = 0.5 * 64 * 128 + 3 * (64 + 64) + 0.25 * 3 * 64;
  const double attention = 0.25 * 3 * 11 * 2 * 32 + 3 * 2 * 64;
  const double out = 0.5 * 64 * 64 + 3 * (64 + 64);
  EXPECT_NEAR(attention_ps(speed, kSmallTransformer, work, 1), qkv + attention + out, 1e-6);
  EXPECT_NEAR(mlp_ps(speed, kSmallTransformer, work, 1),
              0.5 * 3 * 64 * 96 + 3 * (64 + 96) + 3 * (96 + 64), 1e-6);
  EXPECT_NEAR(head_ps(speed, kSmallTransformer, work, 1), 0.5 * 64e3 + 3 * (64 + 1000), 1e-6);
  EXPECT_EQ(layer_weight_bytes(kSmallTransformer, 1, kNarrow),
            (64U * 128 + 64 * 64 + 3 * 64 * 96) / 2);
  EXPECT_EQ(vocabulary_bytes(kSmallTransformer, 1, kNarrow), 32'000U);
  EXPECT_EQ(kv_bytes(kSmallTransformer, 1, kNarrow), 2U * 32 / 4);
}

// 3 sequences of 64 values; rounded up to whole bytes.
TEST(ValueBytes, OfActivationsAreThoseOfMessages) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const InferenceOptions options{
      .strategy = {2, 1, 2}, .batch = 6, .context = 10, .microbatches = 2};
  for (const auto& [activations, bytes] :
       {std::pair(1.0, 192U), std::pair(0.5, 96U), std::pair(0.3, 58U), std::pair(4.0, 768U)}) {
    const TaskGraph graph =
        inference_graph("grouped", kSmallTransformer, options,
                        bytes_alone({.weights = 1, .activations = activations}), topology);
    for (const GraphOperation& operation : graph.operations)
      EXPECT_EQ(graph.shapes[operation.shape].work.front().bytes, bytes)
          << activations << ", " << graph.labels[operation.label];
  }
}

// Weights and keys and values of 11 tokens; a byte less does not do.
TEST(ValueBytes, DecideWhatFitsTheMemory) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const InferenceOptions options{.strategy = {}, .batch = 3, .context = 10};
  ComputeSpeed speed = bytes_alone(kNarrow);
  speed.npu.memory_bytes = 4 * 30'720 / 2 + 2 * 32'000 + 3 * 11 * 4 * 16;
  const auto refusal = [&] {
    return message_of<BadInput>(
        [&] { inference_graph("grouped", kSmallTransformer, options, speed, topology); });
  };
  EXPECT_NO_THROW(inference_graph("grouped", kSmallTransformer, options, speed, topology));
  --speed.npu.memory_bytes;
  EXPECT_NE(refusal().find("KV cache"), std::string::npos);
}

TEST(ValueBytes, ScaleModelsButNotSizesThatAFileStates) {
  const ModelShape transformer = built_in_model("transformer_17b");
  const ModelShape eighth = at_value_bytes(transformer, kNarrow);
  EXPECT_EQ(eighth.sample_bytes, transformer.sample_bytes);  // tokens
  EXPECT_EQ(eighth.layers[1].output_bytes, 1024U * 4256);
  EXPECT_EQ(eighth.layers[0].kept_bytes, 1024U * 4256 * 3);  // two values, and a mask of a byte
  EXPECT_EQ(eighth.layers[0].score_bytes, 1024U * 1024 * 28 * 3);
  EXPECT_EQ(eighth.layers[1].kept_split_bytes, 2 * 1024U * 4 * 4256);
  const ModelShape images = at_value_bytes(built_in_model("resnet152"), kNarrow);
  EXPECT_EQ(images.sample_bytes, 224U * 224 * 3);
  EXPECT_EQ(images.layers.back().output_bytes, 1000U);
  const ModelShape file = read_model_file("configs/models/small.yaml");
  const ModelShape same = at_value_bytes(file, kNarrow);
  EXPECT_EQ(same.sample_bytes, file.sample_bytes);
  EXPECT_EQ(same.layers[2].output_bytes, file.layers[2].output_bytes);
}

// A layer of 1000 parameters that reads and writes 300 bytes: the backward pass reads its weights,
// and writes FP16 gradients.
TEST(ValueBytes, OfTrainingAreThoseOfWeightsBesideFp16Gradients) {
  const ModelLayer layer{.name = "a", .parameters = 1000, .flops = 1, .output_bytes = 200};
  const ComputeSpeed speed = bytes_alone({.weights = 1, .activations = 2});
  EXPECT_DOUBLE_EQ(compute_ps(speed, layer, 100, Pass::kForward, 1, 1), 1300);
  EXPECT_DOUBLE_EQ(compute_ps(speed, layer, 100, Pass::kBackward, 1, 1), 1000 + 2000 + 600);
  EXPECT_DOUBLE_EQ(compute_ps(speed, layer, 100, Pass::kBackward, 1, 1, Recompute::kFull),
                   2 * 1000 + 2000 + 900);
  const ModelShape model = built_in_model("transformer_17b");
  const TrainingOptions options{
      .strategy = {.mp = 1, .dp = 4, .pp = 1}, .minibatch = 4, .optimizer = Optimizer::kAdam};
  const TrainingMemory memory = training_memory(model, options, 0, {.weights = 1});
  EXPECT_EQ(memory.weights, model.parameters());
  EXPECT_EQ(memory.gradients, 2 * model.parameters());
  EXPECT_EQ(memory.optimizer, 12 * model.parameters());
  EXPECT_EQ(memory.activations, training_memory(model, options, 0).activations);
}

TEST(ValueBytes, OfTrainingsMessages) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const ModelShape model = built_in_model("transformer_17b");
  const auto messages = [&](const TrainingOptions& options, const ValueBytes& values) {
    return bytes_by_label(training_graph(model, options, bytes_alone(values), topology));
  };
  TrainingOptions options{.strategy = {.mp = 2, .dp = 2, .pp = 2},
                          .minibatch = 2,
                          .iterations = 1,
                          .gradients = find_schedule("zero2")};
  const auto wide = messages(options, {});
  const auto narrow = messages(options, {.weights = 1, .activations = 0.5});
  ASSERT_EQ(wide.size(), narrow.size());
  for (const auto& [label, bytes] : wide) {
    const int parts = label == "gradients' reduce-scatter" ? 1
                      : label == "parameters' all-gather"  ? 2
                                                           : 4;
    EXPECT_NEAR(static_cast<double>(narrow.at(label)) * parts, static_cast<double>(bytes), 40)
        << label;
  }
  options = {.strategy = {.mp = 2, .dp = 2, .pp = 1},
             .minibatch = 2,
             .iterations = 1,
             .execution = Execution::kStreaming,
             .stream_layers = 78};
  const auto streamed = messages(options, {}), halved = messages(options, {.weights = 1});
  EXPECT_EQ(streamed.at("gradients"), halved.at("gradients"));
}

// A store: FP32 copy and moments, and the weight.
TEST(ValueBytes, OfWeightsAreStoredByTheOptimizer) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const ModelShape model = built_in_model("transformer_17b");
  const TrainingOptions options{.strategy = {.mp = 1, .dp = 2, .pp = 1},
                                .minibatch = 2,
                                .iterations = 1,
                                .optimizer = Optimizer::kAdam};
  std::uint64_t loaded = 0, stored = 0;
  const TaskGraph graph = training_graph(model, options, bytes_alone(kNarrow), topology);
  for (const Task& task : graph.ranks[0].tasks) {
    if (task.category != TimeCategory::kMemory) continue;
    (task.stores ? stored : loaded) += task.bytes;
  }
  EXPECT_EQ(loaded, 14 * model.parameters());
  EXPECT_EQ(static_cast<double>(stored), 12.5 * static_cast<double>(model.parameters()));
}

}  // namespace
}  // namespace fredsim::test
