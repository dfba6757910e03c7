// SPDX-License-Identifier: Apache-2.0
// Configuration files of Noxim: its mesh, buffers, packets and traffic.
//
// Delta networks (BUTTERFLY, BASELINE, OMEGA) are refused: their links lead one way, from the cores
// to the cores. Hubs and radio channels are left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/text_width.h"
#include "import/detail/noc_keys.h"
#include "import/import_format.h"

namespace fredsim {
namespace {

struct NoximPattern {
  std::string_view there, here, difference;
};
constexpr auto kNoximPatterns = std::to_array<NoximPattern>(
    {{"TRAFFIC_RANDOM", "uniform", ""},
     {"TRAFFIC_TRANSPOSE1", "transpose", "mirrored: (x, y) to (y, x), not to (H-1-y, W-1-x)"},
     {"TRAFFIC_TRANSPOSE2", "transpose", ""},
     {"TRAFFIC_BIT_REVERSAL", "bit_reverse", ""},
     {"TRAFFIC_SHUFFLE", "shuffle", ""},
     {"TRAFFIC_HOTSPOT", "hotspot", "to NPU 0; Noxim's command line has the hot nodes"}});

class NoximReader {
 public:
  NoximReader(const std::string& path, const KeyReader& file) : file_(file) {
    machine_.name = machine_name_of(path);
  }

  ImportedMachine read(const ImportOptions& options) {
    check_topology();
    const NocClock clock = read_clock();
    const NocGrid grid{.width = file_.integer("mesh_dim_x", 1, kMaxImportSide),
                       .height = file_.integer("mesh_dim_y", 1, kMaxImportSide)};
    add_grid(grid, clock, machine_);
    read_packets();
    const int channels = integer("n_virtual_channels", 1, kMaxImportFlits, 1);
    const int depth = file_.integer("buffer_depth", 1, kMaxImportFlits / channels);
    add_buffers({.buffer_flits = depth * channels,
                 .packet_flits = packet_flits_,
                 .key = "n_virtual_channels, buffer_depth"},
                machine_);
    machine_.facts.push_back(fmt::format(
        "A mesh of Noxim, {} x {}. A flit there ({} bits) is a flit of 512 B here: compare flits "
        "and cycles, not bytes.",
        grid.width, grid.height, integer("flit_size", 1, kMaxImportFlits, 32)));
    read_traffic(options);
    note_differences();
    return std::move(machine_);
  }

 private:
  int integer(std::string_view key, int low, int high, int missing) const {
    return file_.has(key) ? file_.integer(key, low, high) : missing;
  }

  void check_topology() const {
    if (!file_.has("topology") || file_.text("topology") == "MESH") return;
    throw BadInput(
        fmt::format("{}: found {}; allowed: MESH, since links of other topologies lead one way",
                    file_.label("topology"), shown(file_.text("topology"))));
  }

  NocClock read_clock() {
    constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
    constexpr int kDefaultPs = 1000, kMaxPs = 1'000'000;
    const auto period =
        static_cast<std::uint64_t>(integer("clock_period_ps", 1, kMaxPs, kDefaultPs));
    if (kPsPerSecond % period != 0)
      machine_.note("clock_period_ps", "the clock is rounded down to whole hertz");
    return {kPsPerSecond / period};
  }

  void read_packets() {
    const int least = integer("min_packet_size", 1, kMaxImportFlits, 1);
    const int most = integer("max_packet_size", least, kMaxImportFlits, least);
    packet_flits_ = (least + most) / 2;
    if (least != most)
      machine_.note("min_packet_size, max_packet_size",
                    fmt::format("all packets have their mean, {} flits", packet_flits_));
  }

  void read_traffic(const ImportOptions& options) {
    const std::string there =
        file_.has("traffic_distribution") ? file_.text("traffic_distribution") : "TRAFFIC_RANDOM";
    const auto* const found = std::ranges::find(kNoximPatterns, there, &NoximPattern::there);
    const double packets =
        file_.has("packet_injection_rate") ? file_.number("packet_injection_rate") : 0.01;
    const int warmup = integer("stats_warm_up_time", 0, kMaxImportCycles, 1000);
    const int all = integer("simulation_time", 1, kMaxImportCycles, 10'000);
    if (found != kNoximPatterns.end() && !found->difference.empty())
      machine_.note("traffic_distribution", found->difference);
    add_traffic({.pattern = found == kNoximPatterns.end() ? "" : std::string(found->here),
                 .pattern_key = "traffic_distribution",
                 .pattern_there = there,
                 .flits_per_cycle = packets * packet_flits_,
                 .packet_flits = packet_flits_,
                 .warmup = static_cast<std::uint64_t>(warmup),
                 .cycles = static_cast<std::uint64_t>(std::max(all - warmup, 1))},
                options, machine_);
  }

  void note_differences() {
    if (file_.has("routing_algorithm") && file_.text("routing_algorithm") != "XY")
      machine_.note("routing_algorithm", fmt::format("routers route X-Y, not {}",
                                                     printable(file_.text("routing_algorithm"))));
    if (file_.has("use_winoc") && file_.boolean("use_winoc"))
      machine_.note("use_winoc, Hubs, RadioChannels", "there are no wireless links");
    if (file_.has("Power"))
      machine_.note("Power", "energy is computed from the machine's own figures");
    machine_.note("router",
                  "packets advance when the next buffer has room for all of their flits (virtual "
                  "cut-through), in place of wormhole switching");
  }

  const KeyReader& file_;
  ImportedMachine machine_;
  int packet_flits_ = 1;
};

ImportedMachine read_noxim(const std::string& path, const ImportOptions& options) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, "");
  return NoximReader(path, file).read(options);
}

}  // namespace

const ImportFormat& noxim_format() {
  static constexpr ImportFormat kFormat{.name = "noxim",
                                        .aliases = "access_noxim noxim_yaml",
                                        .reads = "configuration files of Noxim",
                                        .read = read_noxim};
  return kFormat;
}

}  // namespace fredsim
