// SPDX-License-Identifier: Apache-2.0
// Schedules of gradients in whole runs: against an event model of one stream of collectives that
// shares no code with the program, the figures of docs/studies/gradients.md, reductions within
// nodes, compressed volumes, bad options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// ---- event model

constexpr int kReplicas = 8;
constexpr double kBytesPerNs = 64;

struct ModelledLayer {
  double forward = 0, backward = 0, bytes = 0;  // ns, ns, bytes of gradients
};

struct ModelledBuffer {
  double bytes = 0, there = 0;  // when its gradients are
  int lowest = 0;
};

// On a ring each NPU sends all but its own share; latencies are left out.
double half_of_all_reduce(double bytes) {
  return bytes * (kReplicas - 1) / kReplicas / kBytesPerNs;
}

class EventModel {
 public:
  EventModel(std::vector<ModelledLayer> layers, double buffer)
      : layers_(std::move(layers)), buffer_(buffer), ready_(layers_.size(), 0) {}

  // Ends of the iterations.
  std::vector<double> run(const std::string& schedule, int iterations) {
    std::vector<double> ends;
    for (int i = 0; i < iterations; ++i) {
      for (std::size_t l = 0; l < layers_.size(); ++l)
        computed_ = std::max(computed_, ready_[l]) + layers_[l].forward;
      send(schedule, backward(schedule == "layer"));
      ends.push_back(std::max(computed_, sent_));
    }
    return ends;
  }

 private:
  std::vector<ModelledBuffer> backward(bool by_layer) {
    std::vector<ModelledBuffer> buffers;
    double held = 0;
    int lowest = 0;
    for (int l = static_cast<int>(layers_.size()) - 1; l >= 0; --l) {
      computed_ += layers_[l].backward;
      held += layers_[l].bytes;
      lowest = l;
      while (!by_layer && held >= buffer_) {
        buffers.push_back({buffer_, computed_, l});
        held -= buffer_;
      }
      if (by_layer) buffers.push_back({std::exchange(held, 0), computed_, l});
    }
    if (held > 0) buffers.push_back({held, computed_, lowest});
    return buffers;
  }

  void send_one(const ModelledBuffer& buffer, double there, double time) {
    sent_ = std::max(sent_, there) + time;
    for (std::size_t l = buffer.lowest; l < ready_.size(); ++l)
      ready_[l] = std::max(ready_[l], sent_);
  }

  void send(const std::string& schedule, std::vector<ModelledBuffer> buffers) {
    if (schedule == "priority") {
      while (!buffers.empty()) {
        const double free =
            std::max(sent_, std::ranges::min(buffers, {}, &ModelledBuffer::there).there);
        auto next = buffers.end();
        for (auto at = buffers.begin(); at != buffers.end(); ++at)
          if (at->there <= free && (next == buffers.end() || at->lowest < next->lowest)) next = at;
        send_one(*next, next->there, 2 * half_of_all_reduce(next->bytes));
        buffers.erase(next);
      }
    } else if (schedule == "dear") {
      for (const ModelledBuffer& buffer : buffers)
        sent_ = std::max(sent_, buffer.there) + half_of_all_reduce(buffer.bytes);
      std::ranges::reverse(buffers);
      for (const ModelledBuffer& buffer : buffers)
        send_one(buffer, computed_, half_of_all_reduce(buffer.bytes));
    } else {
      for (const ModelledBuffer& buffer : buffers)
        sent_ = std::max(sent_, buffer.there) + 2 * half_of_all_reduce(buffer.bytes);
      std::ranges::fill(ready_, sent_);
    }
  }

  const std::vector<ModelledLayer> layers_;
  const double buffer_;
  std::vector<double> ready_;  // by layer: its gradients of the iteration before are reduced
  double computed_ = 0, sent_ = 0;
};

class GradientRuns : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::ofstream(path) << text;
    return path;
  }
  std::string cluster() {
    return file("cluster.yaml", fmt::format(R"(
name: cluster
clock: 1 GHz
fabric:
  type: dimensions
  dimensions:
    - {{block: switch, size: {}, bandwidth: {} GB/s, latency: 10 ns}}
)",
                                            kReplicas, kBytesPerNs));
  }
  std::string model(const std::vector<ModelledLayer>& layers) {
    std::string text = "name: model\nsample: 1 KiB\nlayers:\n";
    for (std::size_t l = 0; l < layers.size(); ++l)
      text += fmt::format(
          "  - {{name: l{}, parameters: {}, flops: 1e6, output: 1 KiB, forward: {} ns, backward: "
          "{} "
          "ns}}\n",
          l, layers[l].bytes / 2, layers[l].forward, layers[l].backward);
    return file("model.yaml", text);
  }
  static json run(Words words) {
    words.insert(words.end(), {"--quiet", "--json", "-"});
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }

  TemporaryFolder folder_;
};

std::vector<ModelledLayer> random_layers(std::mt19937& random, double seldom) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<ModelledLayer> layers(static_cast<std::size_t>(3 + below(10)));
  for (ModelledLayer& layer : layers) {
    layer.forward = 1000 + below(40'000);
    layer.backward = 2 * layer.forward;
    layer.bytes = 2 * std::floor(seldom * (100'000 + below(1'500'000)));
  }
  return layers;
}

TEST_F(GradientRuns, TakeAsLongAsAnEventModelSays) {
  constexpr double kMaxError = 0.015;  // latencies, and flits that are not full
  constexpr int kIterations = 3;
  const std::string machine = cluster();
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    // From computing alone to communication alone.
    const std::vector<ModelledLayer> layers = random_layers(random, seed % 3 == 0 ? 0.2 : 1);
    const double buffer = 500'000 + static_cast<double>(random() % 4'000'000);
    const std::string workload = model(layers);
    double compute = 0, communication = 0;
    for (const ModelledLayer& layer : layers) {
      compute += layer.forward + layer.backward;
      communication += 2 * half_of_all_reduce(layer.bytes);
    }
    for (const std::string schedule : {"layer", "bucket", "dear", "priority"}) {
      SCOPED_TRACE(schedule);
      const std::string word =
          schedule == "layer" ? schedule : fmt::format("{}={:.0f}B", schedule, buffer);
      const json found = run(
          {"train", machine, "--workload", workload, "--dp", std::to_string(kReplicas),
           "--gradients", word, "--accounting", "overlap", "--algorithm", "ring", "--iterations",
           std::to_string(kIterations), "--engine", seed == 1 ? "exact" : "flow"});
      ASSERT_FALSE(found.is_null());
      const std::vector<double> ends = EventModel(layers, buffer).run(schedule, kIterations);
      double end = 0;
      for (int i = 0; i < kIterations; ++i) {
        end += found.at("iterations_ns").at(i).get<double>();
        EXPECT_NEAR(end, ends[i], kMaxError * ends[i] + 200);
      }
      // No schedule is faster than either of the two alone.
      const double steady = found.at("iterations_ns").back();
      EXPECT_GE(steady * (1 + kMaxError), std::max(compute, communication));
    }
  }
}

// All is hidden but a layer: its backward pass comes last, and its gradients are needed first.
TEST_F(GradientRuns, DearHidesBothHalvesUpToTheLongerOfTheTwo) {
  constexpr int kLayers = 40;
  constexpr double kBytes = 800'000;
  const std::string machine = cluster();
  for (const double share : {0.2, 0.8, 1.0, 1.6, 4.0}) {  // communication over computing
    SCOPED_TRACE(share);
    // Halves: a reduce-scatter beside a backward pass of two units, an all-gather beside a forward
    // pass of one.
    const double half = half_of_all_reduce(kBytes) * kLayers;
    const double compute = 2 * half / share;
    const std::vector<ModelledLayer> layers(
        kLayers,
        {std::round(compute / 3 / kLayers), std::round(2 * compute / 3 / kLayers), kBytes});
    const json found =
        run({"train", machine, "--workload", model(layers), "--dp", std::to_string(kReplicas),
             "--gradients", fmt::format("dear={:.0f}B", kBytes), "--algorithm", "ring",
             "--iterations", "4", "--engine", "flow"});
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found.at("accounting"), "overlap");
    const double bound = std::max(2 * compute / 3, half) + std::max(compute / 3, half);
    const double one =
        2 * half_of_all_reduce(kBytes) + compute / kLayers;  // layer that nothing hides
    const double steady = found.at("iterations_ns").back();
    EXPECT_GE(steady, 0.995 * bound);
    EXPECT_LE(steady, 1.02 * bound + one);
  }
}

// ---- within nodes

TEST_F(GradientRuns, NodesReduceInEachIterationAllInEachKth) {
  const std::string machine = file("boxes.yaml", R"(
name: boxes
clock: 1 GHz
fabric:
  type: dimensions
  dimensions:
    - {name: box, block: switch, size: 4, bandwidth: 64 GB/s, latency: 10 ns}
    - {name: pod, block: switch, size: 2, bandwidth: 16 GB/s, latency: 10 ns}
)");
  constexpr double kBytes = 512'000;
  const std::string workload = model({{1000, 2000, kBytes}});
  const auto bytes = [&](const std::string& gradients, int iterations, const std::string& engine) {
    const json found = run({"train", machine, "--workload", workload, "--dp", "8", "--gradients",
                            gradients, "--iterations", std::to_string(iterations), "--algorithm",
                            "direct", "--engine", engine});
    std::map<std::string, double> of;  // by dimension, all links
    if (found.is_null()) return of;
    for (const json& link : found.at("links")) {
      const bool is_pod = link.dump().find("pod") != std::string::npos;
      of[is_pod ? "pod" : "box"] += link.at("bytes").get<double>();
    }
    return of;
  };
  // To the switch and from it, of each NPU: 2 (n - 1) / n of its data in a dimension; the second
  // has a quarter of it.
  const double box = 2 * 8 * 2 * kBytes * 3 / 4, pod = 2 * 8 * 2 * (kBytes / 4) / 2;
  for (const std::string engine : {"flow", "exact"}) {
    SCOPED_TRACE(engine);
    const auto every = bytes("every=3", 6, engine);
    ASSERT_EQ(every.size(), 2U);
    EXPECT_NEAR(every.at("box"), 6 * box, 0.01 * box);
    EXPECT_NEAR(every.at("pod"), 2 * pod, 0.01 * pod);
  }
}

TEST_F(GradientRuns, SayWhatIsIdealised) {
  const Words run_of{"train",      "configs/mesh_2x2.yaml",
                     "--workload", "configs/models/small.yaml",
                     "--mp",       "2",
                     "--dp",       "2"};
  Words words = run_of;
  words.insert(words.end(), {"--compress", "dp=100,mp=20"});
  const json plain = run(run_of), compressed = run(words);
  ASSERT_FALSE(plain.is_null() || compressed.is_null());
  EXPECT_TRUE(plain.at("compress").is_null());
  EXPECT_EQ(compressed.at("compress"), "dp=100,mp=20");
  const std::string idealised = compressed.at("idealised").dump();
  EXPECT_NE(idealised.find("communication along DP carries 1/100 of"), std::string::npos)
      << idealised;
  EXPECT_NE(idealised.find("communication along MP carries 1/20 of"), std::string::npos)
      << idealised;
  EXPECT_LT(compressed.at("iteration_ns"), plain.at("iteration_ns"));
  EXPECT_EQ(compressed.at("payload"), "exact");
}

// ---- figures of docs/studies/gradients.md

TEST_F(GradientRuns, GainOfDearAt10GigabitPerSecond) {
  struct Case {
    std::string workload, samples;
    Words all_reduces;
    double gain;  // gain over the best of these
  };
  for (const auto& [workload, samples, all_reduces, gain] :
       {Case{"configs/models/resnet50.yaml", "64", {"bucket=12.5MB"}, 1.055},
        Case{"configs/models/bert_base.yaml", "64", {"layer", "bucket=12.5MB"}, 1.092}}) {
    SCOPED_TRACE(workload);
    const auto time = [&](const std::string& gradients) {
      const json found = run({"train",        "configs/systems/dear_64_10g.yaml",
                              "--set",        "fabric.dimensions.1.bandwidth=0.625GB/s",
                              "--workload",   workload,
                              "--samples",    samples,
                              "--dp",         "64",
                              "--gradients",  gradients,
                              "--accounting", "overlap",
                              "--algorithm",  "ring",
                              "--iterations", "2",
                              "--engine",     "flow"});
      return found.is_null() ? 0.0 : found.at("iterations_ns").back().get<double>();
    };
    std::vector<double> times;
    for (const std::string& gradients : all_reduces) times.push_back(time(gradients));
    const double best = std::ranges::min(times);
    EXPECT_NEAR(best / time("dear=12.5MB"), gain, 0.005);
  }
}

TEST_F(GradientRuns, ModelsHaveAllParameters) {
  for (const auto& [name, parameters] :
       {std::pair("resnet50", 25'557'032), std::pair("densenet201", 20'013'928),
        std::pair("inception_v4", 42'679'816), std::pair("bert_base", 110'111'042),
        std::pair("bert_large", 336'232'258)}) {
    const json found = run({"train", "configs/mesh_2x2.yaml", "--workload",
                            fmt::format("configs/models/{}.yaml", name), "--iterations", "1"});
    ASSERT_FALSE(found.is_null()) << name;
    EXPECT_EQ(found.at("parameters"), parameters) << name;
  }
}

// ---- bad options

TEST_F(GradientRuns, BadSchedulesAreNamed) {
  const std::string one = cluster();
  const std::vector<std::pair<Words, Words>> cases{
      {{"--gradients", "dear", "--accounting", "serial"}, {"--accounting", "'serial'", "overlap"}},
      {{"--gradients", "priority", "--accounting", "serial"}, {"--accounting", "overlap"}},
      {{"--gradients", "dear=0"}, {"--gradients", "0"}},
      {{"--gradients", "deer"}, {"--gradients", "'deer'", "did you mean 'dear'?"}},
      {{"--gradients", "dear,priority"}, {"'dear,priority'"}},
      {{"--gradients", "every"}, {"'every'", "every=N"}},
      {{"--gradients", "every=0"}, {"--gradients every", "'0'", "1 to 1000"}},
      {{"--gradients", "zero2,every=2"}, {"'zero2,every=2'", "any but zero2"}},
      {{"--gradients", "every=2"}, {"every=2", "alone of cluster", "two of them or more"}},
      {{"--gradients", "every=4", "--iterations", "6"}, {"--iterations", "6", "a multiple of 4"}},
      {{"--gradients", "priority", "--export-et", folder_.file("t")},
       {"--export-et", "priority", "allowed: any other"}},
      {{"--compress", "dp=0.5"}, {"--compress", "'0.5'", "1 to 1000000"}},
      {{"--compress", "dp=nan"}, {"--compress", "'nan'"}},
      {{"--compress", "dp"}, {"--compress", "'dp'", "dp=100,mp=20"}},
      {{"--compress", "dp=2,dp=3"}, {"--compress", "each once"}},
      {{"--compress", "tp=2"}, {"--compress", "'tp=2'", "mp=N"}},
      {{"--phase", "decode", "--compress", "mp=2"}, {"--compress", "--phase"}},
      {{"--execution", "streaming", "--compress", "dp=2"}, {"--compress", "stationary"}}};
  for (const auto& [options, found] : cases) {
    Words words{"train", one, "--workload", "configs/models/small.yaml", "--dp", "8"};
    words.insert(words.end(), options.begin(), options.end());
    SCOPED_TRACE(testing::PrintToString(options));
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 2);
    for (const std::string& word : found)
      EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " in " << outcome.err;
  }
  // A machine without dimensions.
  const Outcome mesh =
      run_fredsim({"train", "configs/mesh_2x2.yaml", "--workload", "configs/models/small.yaml",
                   "--dp", "4", "--gradients", "every=2"});
  EXPECT_EQ(mesh.exit_code, 2);
  EXPECT_NE(mesh.err.find("on mesh_2x2, a machine without dimensions"), std::string::npos)
      << mesh.err;
}

}  // namespace
}  // namespace fredsim
