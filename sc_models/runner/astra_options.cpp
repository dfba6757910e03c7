// SPDX-License-Identifier: Apache-2.0
#include "runner/astra_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "collective/algorithm.h"
#include "topology/astra_sim/network_file.h"
#include "workload_files/astra_system.h"

namespace fredsim {
namespace {

constexpr double kPerGiga = 1e9;
constexpr double kPsPerNs = 1e3;
constexpr std::string_view kNoGroups = "empty";

// A word of ASTRA-sim for the collectives of a dimension. `is_flat`: of all dimensions at once.
struct AstraWord {
  std::string_view word, algorithm;
  bool is_flat = false;
  bool has_window = false;  // a number may follow
};
constexpr auto kAstraWords =
    std::to_array<AstraWord>({{"ring", "ring"},
                              {.word = "direct", .algorithm = "direct", .has_window = true},
                              {"halvingDoubling", "halving_doubling"},
                              {"doubleBinaryTree", "tree"},
                              {.word = "oneRing", .algorithm = "ring", .is_flat = true},
                              {"oneDirect", "direct", true, true},
                              {"oneHalvingDoubling", "halving_doubling", true}});

struct AstraCollective {
  Collective collective;
  std::string_view key;
};
// In the order of AstraSystem::implementations.
constexpr auto kAstraCollectives =
    std::to_array<AstraCollective>({{Collective::kAllReduce, "all-reduce-implementation"},
                                    {Collective::kAllGather, "all-gather-implementation"},
                                    {Collective::kReduceScatter, "reduce-scatter-implementation"},
                                    {Collective::kAllToAll, "all-to-all-implementation"}});

// Dimensions of the network file, each with the number of those that it becomes here.
std::vector<int> parts_of(const NetworkFile& network) {
  if (network.graph) return {1};
  std::vector<int> parts;
  for (const DimensionSpec& dimension : network.dimensions) {
    const bool is_second = dimension.name.ends_with('y');
    if (is_second)
      ++parts.back();
    else
      parts.push_back(1);
  }
  return parts;
}

const AstraWord& word_of(const std::string& text, const std::string& label) {
  const std::size_t end = text.find_last_not_of("0123456789") + 1;
  std::vector<std::string_view> words;
  for (const AstraWord& word : kAstraWords) {
    const std::string_view found = word.has_window ? std::string_view(text).substr(0, end) : text;
    if (found == word.word) return word;
    words.push_back(word.word);
  }
  throw BadInput(fmt::format("{}: found '{}'; {}", label, shown(text), advice(text, words)));
}

class Translation {
 public:
  Translation(const AstraOptions& options, TrainRequest& request)
      : options_(options),
        train_(request.train),
        request_(request),
        system_(read_astra_system(options.system)),
        network_(read_network_file(options.network)),
        parts_(parts_of(network_)) {}

  void make() {
    OptionTexts texts;
    texts["--trace"] = options_.workload;
    if (options_.groups != kNoGroups) texts["--comm-groups"] = options_.groups;
    train_ = train_options(texts, {});
    if (options_.groups == kNoGroups) train_.comm_groups.clear();
    request_.machines = {machine()};
    set_algorithms();
    set_chunks();
    set_times();
    add_keys(system_.keys);
    if (!options_.memory.empty()) set_memory();
  }

 private:
  MachineFile machine() const {
    const std::filesystem::path path(options_.network);
    std::string file;  // in quotes of YAML
    for (const char c : path.filename().string()) file += c == '\'' ? "''" : std::string(1, c);
    std::string text = "clock: auto\nnpu:\n  receive_buffer: auto\n";
    if (system_.peak_tflops > 0) text += fmt::format("  peak: {} TFLOP/s\n", system_.peak_tflops);
    if (system_.memory_gbps > 0)
      text += fmt::format("  memory_bandwidth: {} GB/s\n", system_.memory_gbps);
    text += fmt::format("fabric: {{type: astra_sim, file: '{}'}}\nswitch: {{input_buffer: auto}}\n",
                        file);
    return {.path = options_.network, .text = "name: astra_sim\n" + text};
  }

  AstraKey* key(std::string_view name) {
    const auto found = std::ranges::find(system_.keys, name, &AstraKey::key);
    return found == system_.keys.end() ? nullptr : &*found;
  }

  // Algorithm of one dimension; `says` gets what differs from the word.
  std::string algorithm_of(const std::pair<std::string, std::string>& given, Collective collective,
                           std::string& says) const {
    const AstraWord& word = word_of(given.first, given.second);
    if (word.is_flat && (parts_.size() > 1 || parts_.front() > 1))
      throw BadInput(fmt::format(
          "{}: found '{}', over all dimensions at once; allowed on a network of several: a word "
          "per dimension, such as {}",
          given.second, shown(given.first), kAstraWords.front().word));
    if (given.first.ends_with(word.word) == false)
      says += "; messages of a direct exchange have no window";
    if (find_algorithm(word.algorithm, collective) != nullptr) return std::string(word.algorithm);
    says += fmt::format("; {} has no {}", word.algorithm, to_string(collective));
    return "auto";
  }

  void set_algorithms() {
    for (std::size_t c = 0; c < kAstraCollectives.size(); ++c) {
      const auto& [collective, name] = kAstraCollectives[c];
      const AstraSystem::Implementation& own = system_.implementations[c];
      if (!own.schedule.empty()) train_.rules.schedules[collective] = found_prefix(own.schedule);
      if (own.by_dimension.empty()) continue;
      if (own.by_dimension.size() != parts_.size())
        throw BadInput(fmt::format(
            "{}: {}: found {} words; allowed: {}, a word for each dimension "
            "of {}",
            options_.system, name, own.by_dimension.size(), parts_.size(), options_.network));
      std::string all, says;
      for (std::size_t d = 0; d < parts_.size(); ++d)
        for (int part = 0; part < parts_[d]; ++part)
          all += (all.empty() ? "" : ",") + algorithm_of(own.by_dimension[d], collective, says);
      key(name)->says = fmt::format("algorithm {}{}", all, says);
      if (!own.schedule.empty()) {
        key(name)->use = AstraKey::Use::kIgnored;
        key(name)->says = fmt::format("{}-custom is there", name);
      }
      train_.rules.algorithms[collective] = std::move(all);
    }
  }

  // A prefix is relative to the working directory, as in ASTRA-sim, or to a folder above the system
  // file, such as ASTRA-sim's own.
  std::string found_prefix(const std::string& prefix) const {
    std::error_code error;
    if (std::filesystem::exists(trace_file(prefix, 0), error)) return prefix;
    const std::filesystem::path file = std::filesystem::absolute(options_.system, error);
    for (auto folder = file.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
      std::string beside = (folder / prefix).string();
      if (std::filesystem::exists(trace_file(beside, 0), error)) return beside;
    }
    return prefix;
  }

  void set_chunks() {
    const bool is_graph = network_.graph.has_value();
    if (AstraKey* const found = key("preferred-dataset-splits")) {
      found->says = is_graph ? "a graph has no chunks" : "chunks of a collective";
      if (is_graph) found->use = AstraKey::Use::kUnsupported;
    }
    if (AstraKey* const found = key("active-chunks-per-dimension")) {
      found->says = system_.active_chunks == 1
                        ? "each chunk begins when the one before is complete"
                        : "latencies of chunks overlap; a dimension sends one chunk at a time";
      if (is_graph) found->use = AstraKey::Use::kUnsupported;
    }
    if (is_graph) return;
    train_.chunking.chunks = system_.splits;
    if (system_.active_chunks > 1) train_.chunking.chunk_order = ChunkOrder::kFifo;
  }

  void set_times() {
    TraceRules& rules = train_.rules;
    rules.untimed_ps = static_cast<std::uint64_t>(kPsPerNs);
    rules.replays_all = system_.replays;
    rules.computing =
        system_.has_roofline ? TraceRules::Computing::kRoofline : TraceRules::Computing::kReplay;
    const bool has_roofline = system_.has_roofline && !system_.replays;
    if (AstraKey* const found = key("roofline-enabled"))
      found->says = has_roofline ? "computations take the roofline of num_ops and tensor_size"
                                 : "computations take the duration of the trace, or 1 ns";
    if (AstraKey* const found = key("replay-only"))
      found->says = system_.replays ? "every node takes its duration, or 1 ns, without a network"
                                    : "communication is simulated";
    if (AstraKey* const found = key("peak-perf")) {
      found->says = has_roofline ? "TFLOP/s of the roofline" : "there is no roofline";
      if (!has_roofline) found->use = AstraKey::Use::kIgnored;
    }
    if (AstraKey* const found = key("local-mem-bw")) {
      found->use = AstraKey::Use::kUnsupported;
      found->says =
          "GB/s of the three accesses to memory in each addition of a collective; additions take "
          "no time here";
      if (has_roofline) found->says = "GB/s of the roofline; " + found->says.substr(5);
    }
    AstraKey* const optimization = key("collective-optimization");
    if (optimization == nullptr || optimization->found != "baseline") return;
    const bool is_flat = parts_.size() == 1;
    optimization->use = is_flat ? AstraKey::Use::kIgnored : AstraKey::Use::kUnsupported;
    optimization->says = is_flat ? "the same as localBWAware in one dimension"
                                 : "all-reduces of the whole vector in each dimension; they run "
                                   "as with localBWAware";
  }

  void set_memory() {
    AstraMemory memory = read_astra_memory(options_.memory);
    TraceMemory& rule = train_.rules.memory;
    rule.is_missing = !memory.is_there;
    rule.latency_ps = static_cast<std::uint64_t>(std::llround(memory.latency_ns * kPsPerNs));
    rule.bandwidth = static_cast<std::uint64_t>(std::llround(memory.bandwidth_gbps * kPerGiga));
    for (AstraKey& key : memory.keys)
      if (key.key == "memory-type")
        key.says = memory.is_there ? "each NPU has a memory of its own, beside its computations "
                                     "one access at a time"
                                   : "traces with loads and stores are refused";
    add_keys(memory.keys);
  }

  void add_keys(const std::vector<AstraKey>& keys) {
    for (const AstraKey& key : keys)
      train_.foreign_keys.push_back(
          {.key = key.key,
           .found = key.found,
           .use = std::string(AstraKey::kUses[static_cast<std::size_t>(key.use)]),
           .says = key.says});
  }

  const AstraOptions& options_;
  TrainOptions& train_;
  TrainRequest& request_;
  AstraSystem system_;
  NetworkFile network_;
  std::vector<int> parts_;
};

}  // namespace

double parse_one(const std::string& text, std::string_view option) {
  const double number = parse_decimal(text, std::string(option));
  if (number == 1) return number;
  throw BadInput(fmt::format("{}: found '{}'; allowed: 1", option, shown(text)));
}

int parse_one_queue(const std::string& text, std::string_view option) {
  return static_cast<int>(parse_one(text, option));
}

void complete_astra(const AstraOptions& options, TrainRequest& request) {
  Translation(options, request).make();
}

void add_astra_files(const AstraOptions& options, FileUses& files) {
  const auto add = [&](const char* option, const std::string& path) {
    if (!path.empty() && path != kNoGroups) files.inputs.push_back({option, path});
  };
  add("--system-configuration", options.system);
  add("--network-configuration", options.network);
  add("--remote-memory-configuration", options.memory);
  add("--comm-group-configuration", options.groups);
}

}  // namespace fredsim
