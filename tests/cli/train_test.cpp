// SPDX-License-Identifier: Apache-2.0
// `fredsim train`: the table, sums in the JSON, fitted rates, bad options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kTrainedMesh = "configs/mesh_2x2.yaml";
const std::string kFred = "configs/fred_small.yaml";

// Runs the small model on the mesh and on a tree.
Words train(const Words& more) {
  Words words{"train", kTrainedMesh, kFred, "--workload", "configs/models/small.yaml"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Train, PrintsIterationsAndTheirParts) {
  const Outcome outcome =
      run_fredsim(train({"--mp", "2", "--pp", "2", "--compute-rate", "1PFLOP/s"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* word :
       {"model_small: 90 k parameters, mp2-dp1-pp2 (placement paper), minibatch 16",
        "microbatches, 2 iterations", "accounting serial", "compute 1 PFLOP/s per", "\nmesh_2x2 ",
        "\nfred_small ", "speed-up", "compute", " mp ", " pp\n", "bubble"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
}

TEST(Train, PartsAddUpToTheIteration) {
  for (const Words& work : {Words{"--dp", "4"}, Words{"--mp", "2", "--pp", "2"},
                            Words{"--mp", "2", "--dp", "2", "--gradients", "zero2=8KiB"},
                            Words{"--dp", "2", "--pp", "2", "--accounting", "overlap"},
                            Words{"--dp", "4", "--gradients", "layer", "--iterations", "3"}}) {
    Words words = train(work);
    words.insert(words.end(), {"--json", "-"});
    const Outcome outcome = run_fredsim(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json runs = outcome.json()["runs"];
    ASSERT_EQ(runs.size(), 2U);
    for (const json& run : runs) {
      double sum = 0;
      for (const json& part : run["breakdown_ns"]) sum += part.get<double>();
      EXPECT_NEAR(sum, run["iteration_ns"], 1e-6 * sum);
      double of_path = 0;
      for (const json& part : run["critical_path_ns"]) of_path += part.get<double>();
      EXPECT_NEAR(of_path, run["iteration_ns"], 1e-6 * of_path);
      // Equal for every rank, with one meaning of exposed in both.
      double exposed = 0, exposed_of_npus = 0;
      for (const auto& [part, ns] : run["breakdown_ns"].items())
        if (part != "compute" && part != "memory" && part != "bubble") exposed += ns.get<double>();
      for (const json& rank : run["ranks"]) {
        EXPECT_NEAR(rank["end_ns"].get<double>(),
                    rank["compute_ns"].get<double>() + rank["memory_ns"].get<double>() +
                        rank["exposed_communication_ns"].get<double>() +
                        rank["bubble_ns"].get<double>(),
                    1e-3);
        if (!rank["member"].get<std::string>().starts_with("io"))
          exposed_of_npus += rank["exposed_communication_ns"].get<double>();
      }
      EXPECT_NEAR(exposed, exposed_of_npus / 4 / run["iterations"].get<double>(), 1e-3);
      if (work.size() > 2 && work[2] == "--pp") {
        EXPECT_GT(run["breakdown_ns"]["bubble"], 0.1 * sum);
      }
      EXPECT_EQ(run["payload"], "exact");
      EXPECT_NEAR(run["time_ns"].get<double>(),
                  run["iteration_ns"].get<double>() * run["iterations"].get<double>(), 1e-3);
    }
    EXPECT_FALSE(runs[0].contains("speedup"));
    EXPECT_DOUBLE_EQ(runs[1]["speedup"],
                     runs[0]["iteration_ns"].get<double>() / runs[1]["iteration_ns"].get<double>());
  }
}

// Memory is in the JSON of all; where it does not fit, that is idealised, or it lies in expanded
// memory and takes time.
TEST(Train, MemoryBeyondTheNpusIsNamedOrTakesTime) {
  const auto runs = [](const Words& more) {
    Words words = train({"--dp", "4", "--optimizer", "adam", "--json", "-"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0];
  };
  const json fits = runs({});
  const json& memory = fits["npu_memory"];
  EXPECT_EQ(memory["weights_bytes"], 2 * fits["parameters"].get<std::uint64_t>());
  EXPECT_EQ(memory["optimizer_bytes"], 12 * fits["parameters"].get<std::uint64_t>());
  EXPECT_EQ(memory["expanded_bytes"], 0);
  EXPECT_EQ(fits["memory"], "unlimited");
  EXPECT_EQ(fits["idealised"].size(), 1U);
  const json beyond = runs({"--set", "npu.memory=1MB"});
  EXPECT_GT(beyond["npu_memory"]["expanded_bytes"], 0);
  EXPECT_EQ(beyond["cycles"], fits["cycles"]);
  EXPECT_NE(beyond["idealised"].dump().find("NPUs of 1 MB hold"), std::string::npos);
  const Words small = train({"--dp", "4", "--optimizer", "adam", "--set", "npu.memory=1MB"});
  EXPECT_TRUE(run_fredsim(small).out.starts_with("warning: NPUs of 1 MB hold"));
  const Words expanded{"--memory",       "limited", "--set",
                       "npu.memory=1MB", "--set",   "npu.expanded_memory=1GB"};
  const json limited = runs(expanded);
  EXPECT_EQ(limited["npu_memory"], beyond["npu_memory"]);
  EXPECT_EQ(limited["memory"], "limited");
  EXPECT_EQ(limited["idealised"].size(), 1U);
  EXPECT_GT(limited["cycles"], fits["cycles"]);
  Words faster = expanded;
  faster.insert(faster.end(), {"--set", "npu.expanded_memory_bandwidth=3TB/s"});
  EXPECT_LT(runs(faster)["cycles"], limited["cycles"]);
  EXPECT_GT(runs({"--recompute", "full"})["cycles"], fits["cycles"]);
  Words table = train({"--dp", "4"});
  table.insert(table.end(), expanded.begin(), expanded.end());
  const Outcome shown = run_fredsim(table);
  for (const char* word : {"NPU memory", "expanded"})
    EXPECT_NE(shown.out.find(word), std::string::npos) << word << " in\n" << shown.out;
}

// Layers of each stage, halves of a transformer's among them, are in the table of a pipeline and in
// the JSON of all.
TEST(Train, LayersPerStageAreSaid) {
  const auto trained = [](const Words& more) {
    return run_fredsim(with({"train", kFred, "--iterations", "1"}, more));
  };
  const Words model{"--workload", "configs/models/small.yaml"};
  const Outcome shown = trained(with(model, {"--pp", "4"}));
  for (const char* words : {" layers ", " per stage ", " 4*1 "})
    EXPECT_NE(shown.out.find(words), std::string::npos) << words << " in\n" << shown.out;
  EXPECT_EQ(trained(with(model, {"--dp", "2"})).out.find("per stage"), std::string::npos);
  const auto layers = [&](const Words& more) {
    const Outcome outcome = trained(with(more, {"--json", "-"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0]["layers_per_stage"];
  };
  EXPECT_EQ(layers(with(model, {"--dp", "4"})), json({4}));
  EXPECT_EQ(layers(with(model, {"--pp", "4"})), json({1, 1, 1, 1}));
  const TemporaryFolder folder;
  const std::string file = folder.file("three.yaml");
  std::ofstream(file)
      << "name: three\ntransformer: {layers: 3, hidden: 64, heads: 6, head_size: 16, "
         "mlp: 64, vocabulary: 100, sequence: 16}\n";
  EXPECT_EQ(layers({"--workload", file}), json({3}));
  EXPECT_EQ(layers({"--workload", file, "--pp", "2"}), json({1.5, 1.5}));
  EXPECT_EQ(layers({"--workload", file, "--pp", "2", "--phase", "prefill", "--batch", "8",
                    "--context", "16"}),
            json({1, 2}));
}

// Six heads over four workers: two workers have two, which determines the time of attention, and a
// sentence says so.
TEST(Train, HeadsThatDoNotDivideAreNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.file("six.yaml");
  std::ofstream(file) << "name: six\ntransformer: {layers: 1, hidden: 96, heads: 6, mlp: 1, "
                         "vocabulary: 100, sequence: 4096}\n";
  const auto run = [&](int mp) {
    const Outcome outcome = run_fredsim({"train", kTrainedMesh, "--workload", file, "--mp",
                                         fmt::to_string(mp), "--iterations", "1", "--samples", "1",
                                         "--compute-rate", "1TFLOP/s", "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0];
  };
  const json three = run(3), four = run(4);
  EXPECT_EQ(three["idealised"].dump().find("heads"), std::string::npos);
  EXPECT_NE(four["idealised"].dump().find("one with 2 of the 6 heads"), std::string::npos);
  // The MLP is next to nothing.
  EXPECT_NEAR(four["breakdown_ns"]["compute"].get<double>() /
                  three["breakdown_ns"]["compute"].get<double>(),
              1, 1e-3);
}

// Messages and memory of FP8 are half as large; the result says that FP16 lanes carry them.
TEST(Train, NarrowValuesAreNamed) {
  const auto decode = [](const Words& more) {
    Words words{"train",
                "configs/fred_d.yaml",
                "--workload",
                "transformer_17b",
                "--phase",
                "decode",
                "--mp",
                "4",
                "--iterations",
                "1",
                "--quiet",
                "--json",
                "-"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0];
  };
  const json wide = decode({});
  EXPECT_EQ(wide["idealised"].dump().find("npu.value_bytes"), std::string::npos);
  const json narrow =
      decode({"--set", "npu.value_bytes.weights=1", "--set", "npu.value_bytes.activations=1"});
  const std::string idealised = narrow["idealised"].dump();
  for (const char* words :
       {"npu.peak, whatever npu.value_bytes is", "all-reduces of activations carry 1 B for each"})
    EXPECT_NE(idealised.find(words), std::string::npos) << idealised;
  const auto compute = [](const json& run) { return run["breakdown_ns"]["compute"].get<double>(); };
  EXPECT_GT(compute(narrow), 0.5 * compute(wide));  // the KV cache is as wide
  EXPECT_LT(compute(narrow), 0.6 * compute(wide));
  EXPECT_LT(narrow["cycles"], wide["cycles"]);
}

// 90 k parameters over two MP workers and, with ZeRO-2, two replicas: memory time with HBM of 3
// TB/s.
TEST(Train, OptimizersTakeTheTimeOfTheirMemory) {
  const auto runs = [](const Words& more) {
    Words words = train({"--mp", "2", "--dp", "2", "--json", "-"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"];
  };
  const json none = runs({});
  for (const auto& [name, gradients, bytes] :
       {std::tuple("sgd", "bucket", 12.0 / 2), std::tuple("adam", "bucket", 28.0 / 2),
        std::tuple("adam", "zero2", 28.0 / 4)}) {
    const json with = runs({"--optimizer", name, "--gradients", gradients});
    for (std::size_t i = 0; i < with.size(); ++i) {
      EXPECT_EQ(with[i]["optimizer"], name);
      const double want = bytes * with[i]["parameters"].get<double>() / 3e12 * 1e9;
      EXPECT_NEAR(with[i]["breakdown_ns"]["memory"], want, 2);  // two accesses, whole cycles
      EXPECT_EQ(with[i]["idealised"].size(), 1U);
      EXPECT_EQ(none[i]["optimizer"], "none");
      EXPECT_FALSE(none[i]["breakdown_ns"].contains("memory"));
      EXPECT_EQ(none[i]["idealised"].size(), 2U);
      if (std::string(gradients) == "bucket") {
        EXPECT_NEAR(with[i]["iteration_ns"], none[i]["iteration_ns"].get<double>() + want, 2);
      }
    }
  }
  const Outcome table = run_fredsim(train({"--dp", "4", "--optimizer", "adam"}));
  for (const char* word : {"optimizer adam", " memory ", "\nIdealised: a collective begins"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << " in\n" << table.out;
}

TEST(Train, AFittedRateGivesTheSpeedUp) {
  const Outcome outcome =
      run_fredsim(train({"--mp", "2", "--pp", "2", "--fit", kFred + "=0.98", "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][1];
  EXPECT_NEAR(run["speedup"], 0.98, 0.001);
  EXPECT_GT(run["compute_flops_per_s"], 0);
  EXPECT_EQ(run["fit"]["config"], kFred);
}

TEST(Train, TheSameResultsWithoutSkipping) {
  const Words words = train({"--mp", "2", "--dp", "2", "--iterations", "6", "--json", "-"});
  Words whole = words;
  whole.emplace_back("--no-skip");
  json skipped = run_fredsim(words).json()["runs"];
  json simulated = run_fredsim(whole).json()["runs"];
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* key : {"idle_cycles", "repeated_cycles", "repeated_flit_hops"}) {
      EXPECT_GT(skipped[i]["skipped"][key], 0) << key;
      EXPECT_EQ(simulated[i]["skipped"][key], 0) << key;
    }
    for (const char* key : {"skipped", "wall_s", "sim_cycles_per_s"}) {
      skipped[i].erase(key);
      simulated[i].erase(key);
    }
  }
  EXPECT_EQ(skipped, simulated);
}

// Gradients of ResNet have a pace on a mesh; there is no pace on a tree. The results say so, and
// equal a run in full.
TEST(Train, PacketsHaveAPaceWhereTheyCan) {
  const Words words{"train", kTrainedMesh,  kFred, "--workload", "resnet152", "--dp",
                    "4",     "--minibatch", "8",   "--json",     "-"};
  Words paced = words;
  paced.insert(paced.end(), {"--packet-order", "paced"});
  Words whole = paced;
  whole.emplace_back("--no-skip");
  const json plain = run_fredsim(words).json()["runs"];
  json skipped = run_fredsim(paced).json()["runs"];
  json simulated = run_fredsim(whole).json()["runs"];
  EXPECT_EQ(plain[0]["packet_order"], "recurring");
  EXPECT_EQ(skipped[0]["packet_order"], "paced");
  EXPECT_FALSE(skipped[1].contains("packet_order"));
  EXPECT_GT(skipped[0]["cycles"], plain[0]["cycles"]);
  EXPECT_LT(skipped[0]["cycles"].get<double>(), 1.01 * plain[0]["cycles"].get<double>());
  EXPECT_EQ(skipped[1]["cycles"], plain[1]["cycles"]);
  for (json* run : {&skipped[0], &simulated[0]})
    for (const char* key : {"skipped", "wall_s", "sim_cycles_per_s"}) run->erase(key);
  EXPECT_EQ(skipped[0], simulated[0]);
}

TEST(Train, DecodesAndPrefills) {
  const Words words{"train",
                    kTrainedMesh,
                    kFred,
                    "--workload",
                    "configs/models/llama3_70b.yaml",
                    "--mp",
                    "4",
                    "--batch",
                    "2",
                    "--context",
                    "64",
                    "--set",
                    "npu.memory=1000GB"};
  Words decode = words;
  decode.insert(decode.end(), {"--phase", "decode", "--iterations", "3", "--json", "-"});
  const Outcome outcome = run_fredsim(decode);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  for (const json& run : document["runs"]) {
    EXPECT_EQ(run["inference"], (json{{"phase", "decode"}, {"batch", 2}, {"context", 64}}));
    EXPECT_EQ(run["operations"]["complete"], 80 * 2 * 3);
    EXPECT_TRUE(run["minibatch"].is_null());
    EXPECT_TRUE(run["accounting"].is_null());
    const double ns = run["time_per_token_ns"];
    EXPECT_NEAR(ns,
                (run["iterations_ns"][1].get<double>() + run["iterations_ns"][2].get<double>()) / 2,
                1e-3);
    EXPECT_NEAR(run["tokens_per_s"], 2e9 / ns, 1);
    // At least the time to read a quarter of the weights.
    EXPECT_GT(run["breakdown_ns"]["compute"], 2 * 69.5e9 / 4 / 3e12 * 1e9);
    EXPECT_GT(run["breakdown_ns"]["mp"], 0);
  }
  Words prefill = words;
  prefill.insert(prefill.end(), {"--phase", "prefill"});
  Words prefill_json = prefill;
  prefill_json.insert(prefill_json.end(), {"--iterations", "2", "--json", "-"});
  const json prefilled = run_fredsim(prefill_json).json()["runs"];
  for (const json& run : prefilled) {
    const double ns = run["time_to_first_token_ns"];
    EXPECT_EQ(ns, run["iterations_ns"][0]);
    EXPECT_NEAR(run["tokens_per_s"], 2 * 64e9 / ns, 1);
    EXPECT_FALSE(run.contains("time_per_token_ns"));
  }
  const Outcome table = run_fredsim(prefill);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  for (const char* word : {"prefill of 2", "first token", "tokens/s", "algorithm auto", "1 pass"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << " in\n" << table.out;
}

TEST(Train, InferenceNamesWhatIsWrong) {
  const std::string llama = "configs/models/llama3_70b.yaml";
  const std::vector<std::pair<Words, Words>> cases{
      {{"--phase", "decoding"}, {"--phase", "'decoding'", "prefill or decode"}},
      {{"--batch", "3"}, {"--batch", "'3'", "--phase"}},
      {{"--phase", "decode", "--gradients", "layer"}, {"--gradients", "--phase"}},
      {{"--phase", "decode", "--optimizer", "adam"}, {"--optimizer", "--phase"}},
      {{"--overlap", "microbatches=2"}, {"--overlap", "'microbatches=2'", "without --phase"}},
      {{"--phase", "decode", "--overlap", "microbatches=3"},
       {"--overlap", "'microbatches=3'", "did you mean 'microbatches=2'?"}},
      {{"--phase", "decode", "--overlap", "2"}, {"--overlap", "'2'", "none or microbatches=2"}},
      {{"--phase", "decode", "--workload", llama, "--overlap", "microbatches=2", "--microbatches",
        "3"},
       {"--microbatches: found 3 together with --overlap microbatches=2", "a multiple of 2"}},
      {{"--phase", "decode", "--workload", llama, "--overlap", "microbatches=2", "--batch", "5"},
       {"--batch: found 5", "a multiple of 2"}},
      {{"--phase", "decode", "--workload", "resnet152"}, {"--phase", "resnet152", "transformer"}},
      {{"--phase", "decode", "--workload", llama},
       {"KV cache", "GB of weights", "npu.memory of mesh_2x2"}},
      {{"--phase", "decode", "--workload", llama, "--dp", "2", "--batch", "3"},
       {"--batch", "multiple of 2"}}};
  for (const auto& [options, words] : cases) {
    Words line{"train", kTrainedMesh};
    line.insert(line.end(), options.begin(), options.end());
    SCOPED_TRACE(testing::PrintToString(options));
    expect_refused(run_fredsim(line), words);
  }
}

TEST(Train, BadOptionsAreNamed) {
  const std::vector<std::pair<Words, Words>> cases{
      {{"--workload", "resnet"}, {"--workload", "'resnet'", "did you mean 'resnet50'?"}},
      {{"--mp", "0"}, {"--mp", "'0'"}},
      {{"--dp", "5"}, {"mp1-dp5-pp1", "5 workers", "4"}},
      {{"--pp", "4", "--dp", "2"}, {"8 workers"}},
      {{"--placement", "serpent"}, {"--placement", "serpent", "snake"}},
      {{"--pp", "2", "--microbatches", "0"}, {"--microbatches", "'0'"}},
      {{"--samples", "4", "--minibatch", "4"}, {"--samples", "--minibatch"}},
      {{"--accounting", "seriell"}, {"--accounting", "'seriell'", "did you mean 'serial'?"}},
      {{"--gradients", "buckets"}, {"--gradients", "'buckets'"}},
      {{"--gradients", "bucket=0"}, {"--gradients"}},
      {{"--gradients", "layer=3MB"}, {"--gradients", "'layer=3MB'"}},
      {{"--dp", "4", "--algorithm", "rings"}, {"'rings'"}},
      {{"--compute-rate", "10"}, {"--compute-rate", "'10'", "PFLOP/s"}},
      {{"--compute-rate", "1PFLOP/s", "--fit", kFred + "=1.1"}, {"--fit", "--compute-rate"}},
      {{"--fit", kTrainedMesh + "=1.1"}, {"--fit", kTrainedMesh, kFred}},
      {{"--fit", kFred}, {"--fit", "speed-up"}},
      {{"--execution", "stream"}, {"--execution", "'stream'", "streaming"}},
      {{"--stream", "multicast"}, {"--stream", "--execution streaming"}},
      {{"--stream-layers", "2"}, {"--stream-layers", "--execution streaming"}},
      {{"--execution", "streaming", "--stream", "unicast"}, {"--stream", "'unicast'", "multicast"}},
      {{"--execution", "streaming", "--stream-layers", "0"}, {"--stream-layers", "'0'"}},
      {{"--execution", "streaming", "--stream-groups", "3"}, {"--stream-groups", "overlap"}},
      {{"--execution", "streaming", "--gradients", "layer"}, {"--gradients", "stationary"}},
      {{"--execution", "streaming", "--optimizer", "adam"}, {"--optimizer", "stationary"}},
      {{"--optimizer", "adm"}, {"--optimizer", "'adm'", "did you mean 'adam'?"}},
      {{"--recompute", "ful"}, {"--recompute", "'ful'", "did you mean 'full'?"}},
      {{"--set", "npu.value_bytes.weights=0"}, {"npu.value_bytes.weights", "'0'", "0.125 to 8"}},
      {{"--memory", "80GB"}, {"--memory", "'80GB'", "unlimited", "limited"}},
      {{"--memory", "limited", "--compute-rate", "1PFLOP/s"},
       {"--memory limited", "--compute-rate"}},
      {{"--memory", "limited", "--set", "npu.memory=1KB"},
       {"--memory", "that an NPU needs", "npu.memory of", "npu.expanded_memory, 0 B"}},
      {{"--phase", "decode", "--recompute", "full"}, {"--recompute", "--phase"}},
      {{"--phase", "decode", "--memory", "limited"}, {"--memory", "--phase"}},
      {{"--execution", "streaming"}, {"fred_small", "0 I/O controllers", "io.count"}},
      {{"--packet-order", "pased"}, {"--packet-order", "'pased'", "did you mean 'paced'?"}},
      {{"--iterations", "0"}, {"--iterations", "'0'"}}};
  for (const auto& [options, words] : cases) {
    Words line{"train", kTrainedMesh, kFred};
    if (options.front() != "--workload")
      line.insert(line.end(), {"--workload", "configs/models/small.yaml"});
    line.insert(line.end(), options.begin(), options.end());
    SCOPED_TRACE(testing::PrintToString(options));
    expect_refused(run_fredsim(line), words);
  }
}

TEST(Train, ASpeedUpThatNoRateGivesIsRefused) {
  const Outcome outcome = run_fredsim(train({"--dp", "4", "--fit", kFred + "=900", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("which a compute rate can give"), std::string::npos) << outcome.err;
}

// On rows of two the snake turns at every end; a tree has one order.
TEST(Train, WorkersAreWhereThePlacementSays) {
  const auto run = [](const std::string& placement, std::size_t machine) {
    const Outcome outcome =
        run_fredsim(train({"--mp", "2", "--dp", "2", "--algorithm", "paper", "--placement",
                           placement, "--json", "-", "--quiet"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][machine];
  };
  EXPECT_EQ(run("auto", 0)["placement"], "paper");
  EXPECT_EQ(run("snake", 0)["placement"], "snake");
  EXPECT_EQ(run("snake", 1)["cycles"], run("paper", 1)["cycles"]);
  const Outcome wide =
      run_fredsim({"train", "configs/paper/mesh.yaml", "configs/fred_d.yaml", "--workload",
                   "configs/models/small.yaml", "--mp", "3", "--dp", "3", "--pp", "2", "--quiet"});
  ASSERT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_NE(wide.out.find("(placement searched on mesh, paper on"), std::string::npos) << wide.out;
}

class TrainPlacement : public FolderTest {};

TEST_F(TrainPlacement, AFileIsReadAndKept) {
  const auto of = [](const std::string& placement) {
    Words words = train({"--mp", "2", "--dp", "2", "--json", "-", "--quiet"});
    words.insert(words.end(), {"--placement", placement});
    return run_fredsim(words);
  };
  const json same = of(write("same.yaml", "[0, 1, 2, 3]")).json()["runs"][0];
  EXPECT_EQ(same["cycles"], of("paper").json()["runs"][0]["cycles"]);
  // MP workers across the diagonals of the mesh: their rings overlap.
  const json apart = of(write("apart.yaml", "[0, 3, 1, 2]")).json()["runs"][0];
  EXPECT_GT(apart["breakdown_ns"]["mp"], same["breakdown_ns"]["mp"]);
  EXPECT_EQ(apart["placement"], path("apart.yaml"));
  expect_refused(of(write("short.yaml", "[0, 1, 2]")), {"short.yaml", "3 NPUs", "4 workers"});
  Words clash = train({"--placement", path("same.yaml"), "--json", path("same.yaml")});
  expect_refused(run_fredsim(clash), {"--json", "--placement"});
}

class TrainReport : public FolderTest {};

TEST(Train, SaysWhatWasSimulated) {
  const Words words = train({"--dp", "4", "--iterations", "6"});
  Words as_json = words;
  as_json.insert(as_json.end(), {"--json", "-"});
  const std::string text = run_fredsim(words).out;
  const json document = run_fredsim(as_json).json();
  for (const json& run : document["runs"]) {
    const json& skipped = run["skipped"];
    const std::uint64_t cycles = run["cycles"], idle = skipped["idle_cycles"],
                        repeated = skipped["repeated_cycles"];
    const std::string line = fmt::format("\n  {}: {} of {} cycles, ", std::string(run["fabric"]),
                                         cycles - idle - repeated, cycles);
    EXPECT_NE(text.find(line), std::string::npos) << line << " in\n" << text;
  }
}

TEST_F(TrainReport, HasTheParts) {
  Words words = train({"--dp", "4", "--quiet", "--json", path("train.json")});
  ASSERT_EQ(run_fredsim(words).exit_code, 0);
  const Outcome outcome = run_fredsim({"report", path("train.json"), "-o", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* word : {"\"trainings\":[{", "\"input_load\":", "model_small"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace fredsim
