// SPDX-License-Identifier: Apache-2.0
#include "workload_files/astra_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/key_reader.h"

namespace fredsim {
namespace {

using Use = AstraKey::Use;

constexpr double kMaxRate = 1e6;     // GB/s, TFLOP/s
constexpr double kMaxDelay = 1e9;    // ns
constexpr double kMaxChunks = 4096;  // plan/chunking.h

constexpr std::string_view kWords =
    "list of words, one per dimension: ring, direct, halvingDoubling, doubleBinaryTree, oneRing, "
    "oneDirect or oneHalvingDoubling";
constexpr std::string_view kPrefixes = "list of one prefix of Chakra traces";

// A key of these files; `other`: the use of any value but `harmless`.
struct KeyRow {
  FileKey key;
  Use use = Use::kIgnored;
  std::string_view says{};
  std::string_view harmless{};
};

constexpr KeyRow number(std::string_view path, double min, double max, Use use,
                        std::string_view says) {
  return {{.path = path,
           .meaning = says,
           .holds = Holds::kNumber,
           .is_optional = true,
           .min = min,
           .max = max},
          use,
          says};
}
constexpr KeyRow whole(std::string_view path, double min, double max, Use use,
                       std::string_view says) {
  return {{.path = path,
           .meaning = says,
           .holds = Holds::kInteger,
           .is_optional = true,
           .min = min,
           .max = max},
          use,
          says};
}
constexpr KeyRow word(std::string_view path, std::string_view words, Use use, std::string_view says,
                      std::string_view harmless = {}) {
  return {
      {.path = path, .meaning = says, .holds = Holds::kWord, .is_optional = true, .words = words},
      use,
      says,
      harmless};
}
constexpr KeyRow text(std::string_view path, std::string_view says) {
  return {{.path = path, .meaning = says, .holds = Holds::kText, .is_optional = true},
          Use::kIgnored,
          says};
}
constexpr KeyRow list(std::string_view path, std::string_view form, std::string_view says) {
  return {
      {.path = path, .meaning = says, .holds = Holds::kWords, .is_optional = true, .form = form},
      Use::kMapped,
      says};
}

constexpr std::string_view kFlags = "0 1 false true";
constexpr std::string_view kOld = "the present ASTRA-sim does not read it";
constexpr std::string_view kBus = "of the shared memory bus, which model-shared-bus turns on";
constexpr std::string_view kIsSchedule =
    "sends, receives and computations of these traces, whose sizes hold whatever comm_size is";

constexpr auto kSystemRows = std::to_array<KeyRow>({
    word(
        "scheduling-policy", "LIFO FIFO EXPLICIT", Use::kIgnored,
        "orders equal chunks of one collective: ASTRA-sim runs one collective of a rank at a time; "
        "here collectives that are ready run side by side"),
    word("collective-optimization", "baseline localBWAware", Use::kMapped,
         "an all-reduce scatters up the dimensions and gathers down, as with localBWAware"),
    number("endpoint-delay", 0, kMaxDelay, Use::kUnsupported,
           "ns of every message at an NPU; not added"),
    whole("active-chunks-per-dimension", 1, kMaxChunks, Use::kMapped, {}),
    whole("preferred-dataset-splits", 1, kMaxChunks, Use::kMapped, {}),
    list("all-reduce-implementation", kWords, {}),
    list("all-gather-implementation", kWords, {}),
    list("reduce-scatter-implementation", kWords, {}),
    list("all-to-all-implementation", kWords, {}),
    list("all-reduce-implementation-custom", kPrefixes, kIsSchedule),
    list("all-gather-implementation-custom", kPrefixes, kIsSchedule),
    list("reduce-scatter-implementation-custom", kPrefixes, kIsSchedule),
    list("all-to-all-implementation-custom", kPrefixes, kIsSchedule),
    number("local-mem-bw", 1e-3, kMaxRate, Use::kMapped, {}),
    number("peak-perf", 1e-3, kMaxRate, Use::kMapped, {}),
    word("roofline-enabled", kFlags, Use::kMapped, {}),
    word("replay-only", kFlags, Use::kMapped, {}),
    word("trace-enabled", kFlags, Use::kIgnored, "log of nodes; --timeline has them"),
    word("track-local-mem", kFlags, Use::kIgnored, "a report of memory use, which is not written"),
    text("local-mem-trace-filename", "file of that report"),
    word("model-shared-bus", kFlags, Use::kUnsupported,
         "a bus between NPU and NIC with latency and gap (LogGP); NICs here have their links' rate",
         "0 false"),
    number("L", 0, kMaxDelay, Use::kIgnored, kBus),
    number("o", 0, kMaxDelay, Use::kIgnored, kBus),
    number("g", 0, kMaxDelay, Use::kIgnored, kBus),
    number("G", 0, kMaxDelay, Use::kIgnored, kBus),
    number("local-reduction-delay", 0, kMaxDelay, Use::kIgnored, kBus),
    number("boost-mode", 0, kMaxDelay, Use::kIgnored, kOld),
    text("intra-dimension-scheduling", kOld),
    text("inter-dimension-scheduling", kOld),
});

constexpr auto kMemoryRows = std::to_array<KeyRow>({
    word("memory-type", "NO_MEMORY_EXPANSION PER_NPU_MEMORY_EXPANSION", Use::kMapped, {}),
    number("remote-mem-latency", 0, kMaxDelay, Use::kMapped, "ns of each load and store"),
    number("remote-mem-bw", 1e-3, kMaxRate, Use::kMapped, "GB/s of loads and stores"),
});

template <std::size_t kSize>
constexpr std::array<FileKey, kSize> keys_of(const std::array<KeyRow, kSize>& rows) {
  std::array<FileKey, kSize> keys{};
  std::ranges::transform(rows, keys.begin(), [](const KeyRow& row) { return row.key; });
  return keys;
}
constexpr auto kSystemKeys = keys_of(kSystemRows);
constexpr auto kMemoryKeys = keys_of(kMemoryRows);
constexpr FileKeys kSystemFile{.name = "astra_system",
                               .title = "system files of ASTRA-sim",
                               .given = "`fredsim astra --system-configuration FILE`",
                               .source = "sc_models/workload_files/astra_system.cpp",
                               .keys = kSystemKeys,
                               .what = "a system file of ASTRA-sim"};
constexpr FileKeys kMemoryFile{.name = "astra_memory",
                               .title = "memory files of ASTRA-sim",
                               .given = "`fredsim astra --remote-memory-configuration FILE`",
                               .source = "sc_models/workload_files/astra_system.cpp",
                               .keys = kMemoryKeys,
                               .what = "a memory file of ASTRA-sim"};

// Tree of a JSON object: the reader of YAML, of which JSON is a part, knows the lines.
ConfigNode read_object(const std::string& path, const FileKeys& file) {
  const std::string text = read_config_text(path);
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const auto* const broken = dynamic_cast<const nlohmann::json::parse_error*>(&error);
    const std::size_t at = broken == nullptr ? 0 : std::min(broken->byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw BadInput(
        fmt::format("{}:{}: found what is no JSON; allowed: a JSON object of keys", path, line));
  }
  if (!json.is_object() || json.empty())
    throw BadInput(fmt::format("{}: found no keys; allowed: {}, in a JSON object", path,
                               join_words(file.names_in(""))));
  return parse_config_text(text, path);
}

std::string found_text(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kValue) return node.text;
  std::string all;
  for (const ConfigEntry& entry : node.entries)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", entry.node.text);
  return fmt::format("[{}]", all);
}

// Checks all values of a file, and lists its keys.
std::vector<AstraKey> checked(const ConfigNode& root, const KeyReader& reader,
                              std::span<const KeyRow> rows) {
  std::vector<AstraKey> keys;
  for (const ConfigEntry& entry : root.entries) {
    const KeyRow& row =
        *std::ranges::find(rows, entry.key, [](const KeyRow& each) { return each.key.path; });
    const std::string_view name = row.key.path;
    if (row.key.holds == Holds::kNumber) reader.number(name);
    if (row.key.holds == Holds::kInteger) reader.integer(name);
    if (row.key.holds == Holds::kWord) reader.choice(name);
    if (row.key.holds == Holds::kText) reader.text(name);
    if (row.key.holds == Holds::kWords && reader.values(name).empty())
      throw BadInput(
          fmt::format("{}: found an empty list; allowed: a {}", reader.label(name), row.key.form));
    AstraKey& key = keys.emplace_back();
    key.key = entry.key;
    key.found = found_text(entry.node);
    key.use = row.use;
    key.says = row.says;
    const auto harmless = words_in(row.harmless);
    if (std::ranges::find(harmless, key.found) != harmless.end()) key.use = Use::kIgnored;
  }
  return keys;
}

bool is_set(const KeyReader& reader, std::string_view name) {
  const int word = reader.has(name) ? reader.choice(name) : 0;
  return word % 2 == 1;  // kFlags
}

std::string schedule_of(const KeyReader& reader, const std::string& name) {
  if (!reader.has(name)) return {};
  const auto prefixes = reader.values(name);
  if (prefixes.size() == 1 && !prefixes.front().first.empty()) return prefixes.front().first;
  throw BadInput(fmt::format("{}: found {} prefixes; allowed: a {}, which does all dimensions",
                             reader.label(name), prefixes.size(), kPrefixes));
}

}  // namespace

AstraSystem read_astra_system(const std::string& path) {
  const ConfigNode root = read_object(path, kSystemFile);
  const KeyReader reader(root, kSystemFile);
  AstraSystem system;
  system.keys = checked(root, reader, kSystemRows);
  constexpr auto kCollectives =
      std::to_array<std::string_view>({"all-reduce", "all-gather", "reduce-scatter", "all-to-all"});
  for (std::size_t c = 0; c < kCollectives.size(); ++c) {
    const std::string name = fmt::format("{}-implementation", kCollectives[c]);
    AstraSystem::Implementation& own = system.implementations[c];
    if (reader.has(name)) own.by_dimension = reader.values(name);
    own.schedule = schedule_of(reader, name + "-custom");
  }
  if (reader.has("preferred-dataset-splits"))
    system.splits = reader.integer("preferred-dataset-splits");
  if (reader.has("active-chunks-per-dimension"))
    system.active_chunks = reader.integer("active-chunks-per-dimension");
  if (reader.has("peak-perf")) system.peak_tflops = reader.number("peak-perf");
  if (reader.has("local-mem-bw")) system.memory_gbps = reader.number("local-mem-bw");
  system.replays = is_set(reader, "replay-only");
  system.has_roofline = is_set(reader, "roofline-enabled");
  for (const std::string_view needed : {"peak-perf", "local-mem-bw"})
    if (system.has_roofline && !reader.has(needed))
      throw BadInput(
          fmt::format("{}: found without {}; allowed: together with peak-perf, TFLOP/s, "
                      "and local-mem-bw, GB/s",
                      reader.label("roofline-enabled"), needed));
  return system;
}

AstraMemory read_astra_memory(const std::string& path) {
  const ConfigNode root = read_object(path, kMemoryFile);
  const KeyReader reader(root, kMemoryFile);
  AstraMemory memory;
  memory.keys = checked(root, reader, kMemoryRows);
  reader.node("memory-type");
  memory.is_there = reader.choice("memory-type") == 1;
  if (!memory.is_there) {
    for (AstraKey& key : memory.keys) {
      if (key.key == "memory-type") continue;
      key.use = Use::kIgnored;
      key.says = "there is no such memory";
    }
    return memory;
  }
  if (reader.has("remote-mem-latency")) memory.latency_ns = reader.number("remote-mem-latency");
  reader.node("remote-mem-bw");
  memory.bandwidth_gbps = reader.number("remote-mem-bw");
  return memory;
}

}  // namespace fredsim
