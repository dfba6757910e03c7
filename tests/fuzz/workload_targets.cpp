// SPDX-License-Identifier: Apache-2.0
// Targets of workloads: execution traces, profiles, text workloads and what belongs to them.
#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"
#include "config/config.h"
#include "profile/host_trace.h"
#include "profile/kineto.h"
#include "schedule_files/schedule_file.h"
#include "synthesis/learn.h"
#include "synthesis/synthesize.h"
#include "target_input.h"
#include "targets.h"
#include "workload/text_graph.h"
#include "workload/text_groups.h"
#include "workload_files/astra_system.h"
#include "workload_files/chakra_formats.h"
#include "workload_files/chakra_writer.h"
#include "workload_files/comm_groups.h"
#include "workload_files/text_workload.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_feeder.h"

namespace fredsim::fuzz {
namespace {

bool trace(std::string_view input) {
  static const InputFile file("trace.0.et");
  file.write(input);
  static const std::string prefix = file.path().substr(0, file.path().size() - 5);
  return accepts(prefix, [] {
    const TraceFiles traces = check_traces(prefix);
    TraceFeeder feeder(file.path(), 4, traces.dependencies, traces.order_of(0));
    std::uint64_t nodes = 0;
    for (; const std::optional<TraceNode> node = feeder.next(); ++nodes) feeder.complete(node->id);
    if (!feeder.is_done() || nodes != traces.nodes)
      throw std::logic_error("a trace that was found right does not come to its end");
  });
}

std::vector<std::string> traces() {
  TraceShape shape;
  shape.work.emplace_back();
  shape.work.back().group = "0";
  shape.work.back().collective = "all_reduce";
  shape.work.back().bytes = 4096;
  shape.work.back().algorithm = "paper";
  ChakraWriter writer({{0, std::move(shape)}});
  writer.add(
      {.id = 1, .name = "compute", .type = TraceNodeType::kCompute, .duration_ps = 1'500'000});
  writer.add(
      {.id = 2, .name = "load", .type = TraceNodeType::kLoad, .after = {1}, .tensor_bytes = 64});
  TraceNode reduce{.id = 3, .name = "reduce", .type = TraceNodeType::kCollective, .after = {1, 2}};
  reduce.bytes = 4096;
  reduce.group = "0";
  reduce.dimensions = {true, false};
  reduce.shape = 0;
  writer.add(reduce);
  return {writer.text()};
}

// Checks as `trace` does; JSON, protobuf and JSON again are equal.
bool trace_json(std::string_view input) {
  static const InputFile file("trace.0.json"), protobuf("back.et");
  file.write(input);
  return accepts(file.path(), [] {
    const TraceFiles traces = check_traces(trace_name(file.path()));
    TraceFeeder feeder(file.path(), 4, traces.dependencies, traces.order_of(0));
    std::uint64_t nodes = 0;
    for (; const std::optional<TraceNode> node = feeder.next(); ++nodes) feeder.complete(node->id);
    if (!feeder.is_done() || nodes != traces.nodes)
      throw std::logic_error("a trace that was found right does not come to its end");
    const std::string json = chakra_text(file.path(), ChakraFormat::kJson);
    protobuf.write(chakra_text(file.path(), ChakraFormat::kProtobuf));
    if (chakra_text(protobuf.path(), ChakraFormat::kJson) != json)
      throw std::logic_error("JSON is another after protobuf");
  });
}

std::vector<std::string> traces_as_json() {
  return {
      R"({"version": "0.0.4", "attr": [{"name": "schema", "stringVal": "1.0"}]}
{"id": "1", "name": "mm", "type": "COMP_NODE", "startTimeMicros": "3", "durationMicros": "12",
 "inputs": {"values": "[]"}, "attr": [{"name": "stream", "int64Val": "7"}]}
{"id": "2", "name": "add", "type": 4, "startTimeMicros": "2", "durationMicros": "1", "attr":
 [{"name": "stream", "int32Val": 7}, {"name": "d", "doubleVal": 0.5}, {"name": "b", "bytesVal": "/wE="}]}
{"id": "3", "name": "sum", "type": "COMM_COLL_NODE", "dataDeps": ["1"], "attr": [
 {"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "uint64Val": "300"},
 {"name": "involved_dim", "boolList": {"values": [true, false]}}]}
)",
      R"([{"version": "0.0.4"}, {"id": 1, "name": "## process_group:init ##", "type": "METADATA_NODE",
 "inputs": {"values": "['[{\"pg_name\": \"0\", \"ranks\": [0]}]']"}}])",
      R"({"soc": "x", "workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 5,
 "is_cpu_op": true, "ctrlDeps": [3]}, {"Id": 2, "NodeType": 7, "data_deps": [1], "comm_type": 0,
 "comm_size": 64}], "ngpus": 8})"};
}

bool kineto(std::string_view input) {
  static const InputFile file("profile.json");
  file.write(input);
  return accepts(file.path(), [] { steps_of(read_kineto(file.path())); });
}

std::vector<std::string> kineto_profiles() {
  return {text_of("configs/profiles/step_0.json"),
          R"([{"ph": "X", "cat": "Operator", "name": "c10d::allreduce_", "pid": 1, "tid": "2",
 "ts": 1694128201435418.123, "dur": 2.5, "args": {"Collective name": "allreduce", "dtype": "Float",
 "In msg nelems": 4, "Out msg nelems": 4, "Process Group Ranks": "[0, 1]", "Input Dims": [[2, 2], []]}},
 {"ph": "s", "cat": "fwdbwd", "id": 1, "pid": 1, "tid": 2, "ts": 1694128201435419},
 {"ph": "f", "cat": "fwdbwd", "id": 1, "pid": 1, "tid": 3, "ts": 1694128201435420.5},
 {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": 7, "ts": "1694128201435421", "dur": 1e0,
  "args": {"stream": 7, "correlation": 3}}])"};
}

bool host_trace(std::string_view input) {
  static const InputFile file("host.json"), own("profile.json");
  static const Kineto profile = [] {
    own.write(kineto_profiles().back());
    return read_kineto(own.path());
  }();
  file.write(input);
  return accepts(file.path(), [] {
    Kineto joined = profile;
    join(joined, read_host_trace(file.path()));
  });
}

std::vector<std::string> host_traces() {
  return {
      R"({"schema": "1.0.1", "pid": 1, "nodes": [{"id": 2, "name": "record_param_comms", "rf_id": 3,
 "tid": 1, "inputs": [[[4, 5, 0, 64, 4, "cuda:0"]], 0, ["0", "default"], 0, "allreduce", [], [], 0, 1, 2],
 "outputs": [], "input_shapes": [[64]]}, {"id": 3, "name": "c10d::allreduce_", "tid": 1}]})",
      R"({"schema": "1.0.3-chakra.0.0.4", "nodes": [{"id": 3, "name": "## process_group:init ##",
 "inputs": {"values": ["[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 2}]"]},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 1}, {"name": "tid", "value": 1}]}]})"};
}

bool text_workload(std::string_view input) {
  static const InputFile file("workload.txt");
  static const Topology topology = load_config("configs/fred_small.yaml").topology;
  file.write(input);
  return accepts(file.path(), [] {
    const TextWorkload workload = read_text_workload(file.path());
    constexpr std::size_t kMaxLayers = 64;  // keeps graphs quick
    const TextLayout layout = text_layout(workload, file.path(), 0,
                                          static_cast<int>(topology.npus.size()), topology.name);
    text_words(workload, layout);
    if (workload.layers.size() <= kMaxLayers)
      text_graph(workload, file.path(), {}, topology).check();
  });
}

std::vector<std::string> text_workloads() {
  return {
      "DATA\n2\nfirst -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 4096 3\n"
      "second -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8192 3\n",
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
      "checkpoint_initiates: 1 1\n2\nfirst -1 5 ALLGATHER 64 5 REDUCESCATTER 64 5 ALLREDUCE 4096 "
      "3\n"
      "second -1 5 ALLREDUCE 64 5 ALLTOALL 64 5 NONE 0 3\n",
      "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 2 pp: 2 vpp: 2 ga: 2 all_gpus: 4 mode: 0 "
      "pp_comm 64.0\n5\nhead -1 5 NONE 0 5 NONE 0 5 ALLREDUCE_DP_EP 64 3\n"
      "a -1 5 ALLTOALL_EP 64 5 NONE 0 5 NONE 0 3\nb -1 5 NONE 0 5 BROADCAST 64 5 NONE 0 3\n"
      "a -1 5 ALLTOALL_EP 64 5 NONE 0 5 NONE 0 3\nb -1 5 NONE 0 5 BROADCAST 64 5 NONE 0 3\n"};
}

bool comm_groups(std::string_view input) {
  static const InputFile file("groups.json");
  file.write(input);
  constexpr int kRanks = 8;
  return accepts(file.path(), [] { read_comm_groups(file.path(), kRanks); });
}

std::vector<std::string> groups_of_ranks() { return {R"({"0": [0, 1, 2, 3], "dp": [7, 2]})"}; }

bool astra_system(std::string_view input) {
  static const InputFile file("system.json");
  file.write(input);
  return accepts(file.path(), [] { read_astra_system(file.path()); });
}

std::vector<std::string> astra_systems() {
  return {R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
"preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct2"],
"all-gather-implementation": ["halvingDoubling"], "collective-optimization": "localBWAware",
"local-mem-bw": 1600, "roofline-enabled": 1, "peak-perf": 900, "boost-mode": 0})",
          R"({"all-reduce-implementation-custom": ["folder/all"], "replay-only": true,
"model-shared-bus": 1, "L": 5, "local-mem-trace-filename": "mem/trace"})"};
}

bool astra_memory(std::string_view input) {
  static const InputFile file("memory.json");
  file.write(input);
  return accepts(file.path(), [] { read_astra_memory(file.path()); });
}

std::vector<std::string> astra_memories() {
  return {R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100,
"remote-mem-bw": 50})",
          R"({"memory-type": "NO_MEMORY_EXPANSION"})"};
}

// Rank 0 sends its vector to rank 1, whose trace is fixed.
std::string trace_of_broadcast(TraceNodeType type, int peer) {
  ChakraWriter writer;
  const std::size_t metadata = writer.text().size();
  TraceNode node{.id = 1, .name = "message", .type = type};
  node.bytes = 4096;
  node.peer = peer;
  writer.add(node);
  // Metadata: an attribute "collective" with the text "broadcast".
  const std::string head =
      std::string("\x1a\x12\x18\x0a\x0a") + "collective" + "\xea\x01\x09" + "broadcast";
  return head + writer.text().substr(metadata);
}
bool chakra_schedule(std::string_view input) {
  static const TemporaryFolder folder;
  static const std::string first = folder.file("one.0.et");
  std::ofstream(folder.file("one.1.et"), std::ios::binary)
      << trace_of_broadcast(TraceNodeType::kReceive, 0);
  std::ofstream(first, std::ios::binary | std::ios::trunc) << input;
  return accepts("one.", [&] { read_schedule(first); });
}
std::vector<std::string> chakra_schedules() {
  return {trace_of_broadcast(TraceNodeType::kSend, 1)};
}

// A model that is read is written and read back equal, and gives traces that a run accepts.
bool trace_model(std::string_view input) {
  static const InputFile file("model.json"), back("back.json"), drawn("drawn.0.et");
  static const std::string prefix = drawn.path().substr(0, drawn.path().size() - 5);
  constexpr int kRanks = 3;
  constexpr std::uint64_t kMostNodes = 2000;
  file.write(input);
  TraceModel model;
  if (!accepts("model.json", [&] { model = read_model(file.path()); })) return false;
  back.write(model_text(model));
  if (model_text(read_model(back.path())) != model_text(model))
    throw std::logic_error("a model is another after it was written");
  SyntheticJob job;
  try {
    job = synthesize(model, kRanks, 1, {}, kMostNodes);
  } catch (const BadInput&) {
    return true;  // too many nodes
  }
  for (int rank = 0; rank < kRanks; ++rank)
    std::ofstream(prefix + "." + std::to_string(rank) + ".et", std::ios::binary)
        << job.ranks[static_cast<std::size_t>(rank)];
  try {
    check_traces(prefix);
  } catch (const BadInput& refusal) {
    throw std::logic_error(std::string("a synthetic trace is refused: ") + refusal.what());
  }
  return true;
}

std::vector<std::string> trace_models() {
  static const InputFile file("job.0.et");
  TraceShape shape;
  shape.work.emplace_back();
  shape.work.back().group = "0";
  shape.work.back().collective = "all_reduce";
  shape.work.back().bytes = 4096;
  shape.work.back().algorithm = "auto";
  ChakraWriter writer({{0, shape}});
  for (std::uint64_t id = 0; id < 8; id += 2) {
    TraceNode computation{.id = id, .type = TraceNodeType::kCompute, .duration_ps = 1'500'000};
    if (id > 0) computation.after = {id - 1};
    TraceNode reduce{.id = id + 1, .type = TraceNodeType::kCollective, .after = {id}};
    reduce.bytes = 4096;
    reduce.group = "0";
    reduce.shape = 0;
    writer.add(computation);
    writer.add(reduce);
  }
  const std::string prefix = file.path().substr(0, file.path().size() - 5);
  for (const char* const rank : {"0", "1"})
    std::ofstream(prefix + "." + rank + ".et", std::ios::binary) << writer.text();
  std::ofstream(prefix + ".groups.json") << R"({"0":[0,1]})";
  return {model_text(learn_model({job_sequences(prefix)}, 1.0).model)};
}

}  // namespace

std::span<const Target> workload_targets() {
  static const auto all = std::to_array<Target>({
      {"trace", "Chakra traces", trace, traces},
      {"trace_json", "Chakra traces as JSON", trace_json, traces_as_json},
      {"kineto", "profiles of trace convert", kineto, kineto_profiles},
      {"host_trace", "trace convert --host", host_trace, host_traces},
      {"trace_model", "models of trace synthesize", trace_model, trace_models},
      {"text_workload", "text workloads of ASTRA-sim and SimAI", text_workload, text_workloads},
      {"comm_groups", "--comm-groups", comm_groups, groups_of_ranks},
      {"astra_system", "system files of ASTRA-sim", astra_system, astra_systems},
      {"astra_memory", "memory files of ASTRA-sim", astra_memory, astra_memories},
      {"chakra_schedule", "Chakra traces of one collective", chakra_schedule, chakra_schedules},
  });
  return all;
}

}  // namespace fredsim::fuzz
