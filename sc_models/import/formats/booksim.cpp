// SPDX-License-Identifier: Apache-2.0
// Configuration files of BookSim2, and listings of its topology anynet.
//
// mesh and torus of one and two dimensions are mesh2d and torus2d, a torus of three is a torus3d;
//   with more dimensions, and cmesh, flatfly, fattree, dragonflynew, qtree, fly of one stage and anynet are graphs. fly of more
//   stages, whose links lead one way, and tree4 are refused.
// Flits and cycles are the unit: the clock is 1 GHz, a channel carries a flit per cycle. Defaults
//   are those of BookSim2 (src/booksim_config.cpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text_width.h"
#include "base/units.h"
#include "import/detail/booksim_config.h"
#include "import/detail/booksim_networks.h"
#include "import/detail/noc_keys.h"
#include "import/detail/text_words.h"
#include "import/import_format.h"
#include "import/machine_text.h"

namespace fredsim {
namespace {

constexpr int kMaxCubeDimensions = 16;

using Builder = GraphSpec (*)(const BooksimNetwork&);
struct BooksimTopology {
  std::string_view name;
  Builder build;  // null: a grid, or anynet
};
constexpr auto kTopologies = std::to_array<BooksimTopology>({{"mesh", nullptr},
                                                             {"torus", nullptr},
                                                             {"cmesh", booksim_cmesh},
                                                             {"flatfly", booksim_flatfly},
                                                             {"fattree", booksim_fat_tree},
                                                             {"dragonflynew", booksim_dragonfly},
                                                             {"qtree", booksim_quad_tree},
                                                             {"fly", booksim_crossbar},
                                                             {"anynet", nullptr}});

struct BooksimPattern {
  std::string_view there, here;
};
constexpr auto kBooksimPatterns = std::to_array<BooksimPattern>({{"uniform", "uniform"},
                                                                 {"bitcomp", "bit_complement"},
                                                                 {"transpose", "transpose"},
                                                                 {"neighbor", "neighbor"},
                                                                 {"tornado", "tornado"},
                                                                 {"shuffle", "shuffle"},
                                                                 {"bitrev", "bit_reverse"},
                                                                 {"bitrot", "bit_rotation"},
                                                                 {"randperm", "random_permutation"},
                                                                 {"asymmetric", "asymmetric"},
                                                                 {"background", "background"},
                                                                 {"hotspot", "hotspot"}});

// Keys without an effect, by reason.
struct BooksimReason {
  std::string_view reason;
  std::string_view keys;  // separated by blanks
};
constexpr auto kBooksimReasons = std::to_array<BooksimReason>(
    {{"routers have the pipeline of their RTL",
      "router routing_delay vc_alloc_delay sw_alloc_delay st_prepare_delay st_final_delay "
      "credit_delay output_delay speculative spec_sw_allocator noq hold_switch_for_packet "
      "output_buffer_size input_speedup output_speedup internal_speedup"},
     {"routers have the arbiters of their RTL",
      "vc_allocator sw_allocator alloc_iters arb_type priority vc_busy_when_full "
      "vc_prioritize_empty vc_shuffle_requests wait_for_tail_credit"},
     {"there is one private buffer per port and virtual channel",
      "buf_size buffer_policy private_bufs private_buf_size max_held_slots"},
     {"the packets of requests and replies are not told apart",
      "read_request_size read_reply_size write_request_size write_reply_size write_fraction"},
     {"networks are built once, without failures", "link_failures fail_seed"},
     {"a source sends whenever its packets are created", "max_outstanding_requests"},
     {"there is one class of traffic", "classes class_priority"}});

class BooksimReader {
 public:
  BooksimReader(const std::string& path, const std::string& text, const ImportOptions& options)
      : path_(path), options_(options), config_(path, text) {
    machine_.name = machine_name_of(path);
  }

  ImportedMachine read() {
    const std::string name = config_.text("topology", "torus");
    const auto* const topology = std::ranges::find(kTopologies, name, &BooksimTopology::name);
    if (topology == kTopologies.end()) refuse(name);
    const BooksimNetwork network{config_, clock_, path_};
    if (name == "anynet") {
      read_listing();
    } else if (topology->build != nullptr) {
      machine_.graph = topology->build(network);
    } else {
      add_cube(name == "torus");
    }
    if (!machine_.graph.nodes.empty()) machine_.clock = clock_.text();
    machine_.facts.push_back(
        fmt::format("{} of BookSim2. A flit there is a flit of 512 B here: compare flits and "
                    "cycles, not bytes.",
                    name));
    add_switches(name);
    add_run();
    for (const BooksimReason& row : kBooksimReasons) note_keys(row);
    if (config_.integer("subnets", 1, kMaxImportFlits, 1) > 1)
      machine_.note("subnets", "one of the equal networks alone");
    return std::move(machine_);
  }

 private:
  [[noreturn]] void refuse(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const BooksimTopology& topology : kTopologies) names.push_back(topology.name);
    throw BadInput(fmt::format("{}: found '{}'; allowed: {}", config_.label("topology"),
                               shown(name), join_words(names)));
  }

  void read_listing() {
    const std::string file = config_.text("network_file", "");
    if (file.empty())
      throw BadInput(fmt::format("{}: found none; allowed: the file of topology anynet",
                                 config_.label("network_file")));
    const std::string listing =
        (std::filesystem::path(path_).parent_path() / file).lexically_normal().string();
    const std::string text = import_text(listing);
    machine_.graph = booksim_anynet(listing, text, clock_, machine_);
  }

  void add_cube(bool is_torus) {
    const int k = config_.integer("k", 2, kMaxGraphNpus, 8);
    const int n = config_.integer("n", 1, kMaxCubeDimensions, 2);
    const std::uint64_t cycles =
        is_torus && config_.integer("use_noc_latency", 0, 1, 1) == 1 ? 2 : 1;
    if (n <= 2 && k <= kMaxImportSide) {
      add_grid({.width = k, .height = n == 2 ? k : 1, .is_torus = is_torus, .link_cycles = cycles},
               clock_, machine_);
      return;
    }
    if (is_torus && n == 3 && k <= kMaxImportSide) {
      add_torus3d(k, cycles);
      return;
    }
    machine_.graph = booksim_cube({config_, clock_, path_}, is_torus);
  }

  void add_torus3d(int k, std::uint64_t cycles) {
    machine_.clock = clock_.text();
    const std::string link = bandwidth_text(clock_.link_bandwidth()), side = fmt::format("{}", k);
    machine_.keys = {{"npu.count", fmt::format("{}", k * k * k)},
                     {"npu.bandwidth", link},
                     {"fabric.type", "torus3d"},
                     {"fabric.size_x", side},
                     {"fabric.size_y", side},
                     {"fabric.size_z", side},
                     {"fabric.ring_bandwidth", link},
                     {"fabric.link_latency", format_time_ps(clock_.latency_ps(cycles))}};
  }

  void add_switches(const std::string& name) {
    const int channels = config_.integer("num_vcs", 1, kMaxImportFlits, 16);
    const int depth = config_.integer("vc_buf_size", 1, kMaxImportFlits / channels, 8);
    add_buffers({.buffer_flits = channels * depth,
                 .packet_flits = packet_flits(),
                 .key = "num_vcs, vc_buf_size"},
                machine_);
    const std::string routing = config_.text("routing_function", "none");
    const bool is_grid = machine_.graph.nodes.empty();
    constexpr std::array<std::string_view, 3> kSame = {"dor", "dim_order", "none"};
    if (is_grid && std::ranges::find(kSame, routing) == kSame.end())
      machine_.note("routing_function",
                    fmt::format("dimension by dimension, not {}", printable(routing)));
    else if (!is_grid)
      machine_.note("routing_function",
                    fmt::format("{} of {}: a graph has deadlock-free shortest or up*/down* paths",
                                printable(routing), name));
  }

  int packet_flits() const { return config_.integer("packet_size", 1, kMaxImportFlits, 1); }

  void add_run() {
    const std::string there = config_.text("traffic", "uniform");
    const std::string word = there.substr(0, there.find('('));
    const auto* const pattern = std::ranges::find(kBooksimPatterns, word, &BooksimPattern::there);
    const double rate = config_.number("injection_rate", 0.1);
    const bool is_in_flits = config_.integer("injection_rate_uses_flits", 0, 1, 0) == 1;
    const int period = config_.integer("sample_period", 1, kMaxImportCycles, 1000);
    const int samples = config_.integer("max_samples", 1, kMaxImportFlits, 10);
    const int warmup = config_.integer("warmup_periods", 0, kMaxImportFlits, 3);
    constexpr std::uint64_t kMostCycles = 100'000'000;
    const auto cycles = [&](int periods) {
      return std::min(static_cast<std::uint64_t>(periods) * static_cast<std::uint64_t>(period),
                      kMostCycles);
    };
    add_traffic({.pattern = pattern == kBooksimPatterns.end() ? "" : std::string(pattern->here),
                 .pattern_key = "traffic",
                 .pattern_there = there,
                 .flits_per_cycle = is_in_flits ? rate : rate * packet_flits(),
                 .packet_flits = packet_flits(),
                 .warmup = cycles(warmup),
                 .cycles = cycles(samples)},
                options_, machine_);
    for (const char* key : {"packet_size", "injection_rate", "traffic"})
      if (config_.is_list(key)) machine_.note(key, "the first of the list alone");
    if (word == "hotspot" && word != there)
      machine_.note("traffic", "hot node 0, with its default share, in place of the listed ones");
    if (config_.text("injection_process", "bernoulli") != "bernoulli")
      machine_.note("injection_process", "packets are created with a probability per cycle");
    if (config_.integer("use_read_write", 0, 1, 0) == 1)
      machine_.note("use_read_write", "requests without replies, at the same rate");
    if (config_.text("sim_type", "latency") == "batch")
      machine_.note("sim_type", "a rate in place of a batch");
  }

  void note_keys(const BooksimReason& row) {
    std::string_view rest = row.keys;
    while (!rest.empty()) {
      const std::string_view key = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(key.size() + 1, rest.size()));
      if (config_.has(key)) machine_.note(key, row.reason);
    }
  }

  const std::string& path_;
  const ImportOptions& options_;
  BooksimConfig config_;
  NocClock clock_;
  ImportedMachine machine_;
};

ImportedMachine read_booksim(const std::string& path, const ImportOptions& options) {
  const std::string text = import_text(path);
  if (!is_anynet_listing(text)) return BooksimReader(path, text, options).read();
  const NocClock clock;
  ImportedMachine machine;
  machine.name = machine_name_of(path);
  machine.clock = clock.text();
  machine.facts.push_back(
      "A listing of BookSim2's anynet. A channel carries a flit of 512 B per "
      "cycle: compare flits and cycles, not bytes.");
  machine.graph = booksim_anynet(path, text, clock, machine);
  machine.note("routing", "a graph has deadlock-free shortest or up*/down* paths");
  return machine;
}

}  // namespace

const ImportFormat& booksim_format() {
  static constexpr ImportFormat kFormat{.name = "booksim",
                                        .aliases = "booksim2 anynet",
                                        .reads = "configuration and anynet files of BookSim2",
                                        .read = read_booksim};
  return kFormat;
}

}  // namespace fredsim
