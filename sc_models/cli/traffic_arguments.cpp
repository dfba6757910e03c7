// SPDX-License-Identifier: Apache-2.0
#include "cli/traffic_arguments.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "cli/add_option.h"
#include "runner/option_values.h"

namespace fredsim {

namespace {

PatternSpec pattern_of(const TrafficStrings& strings) {
  PatternSpec spec;
  spec.kind = parse_pattern(strings.pattern);
  for (const auto& [option, text] : {std::pair("--hotspot-node", &strings.hotspot_node),
                                     std::pair("--hotspot-fraction", &strings.hotspot_fraction)}) {
    if (!text->empty() && spec.kind != PatternKind::kHotspot) {
      throw BadInput(
          fmt::format("{}: found '{}' with --pattern {}; allowed: together with "
                      "--pattern hotspot",
                      option, *text, strings.pattern));
    }
  }
  if (!strings.hotspot_node.empty()) {
    spec.hotspot_node = static_cast<int>(
        parse_number(strings.hotspot_node, "--hotspot-node", 0, std::numeric_limits<int>::max()));
  }
  if (!strings.hotspot_fraction.empty()) {
    spec.hotspot_fraction = parse_fraction(strings.hotspot_fraction, "--hotspot-fraction");
  }
  return spec;
}

}  // namespace

void TrafficStrings::add_to(CLI::App& command) {
  offer(add(command, "--pattern", pattern, "NAME",
            "uniform (default), transpose, bit_complement, neighbor or hotspot"),
        "uniform transpose bit_complement neighbor hotspot");
  add(command, "--rate", rate, "RATES",
      "flits per cycle and node: 0.1, a list 0.1,0.2 or a sweep FROM:TO:STEP");
  command.add_flag(
      "--saturation", saturation,
      "in place of --rate: searches the saturation point, to 1 % of the injection limit");
  add(command, "--packet-flits", packet_flits, "N",
      fmt::format("flits of a packet, 1 to {} (default 1)", kPacketFlits));
  add(command, "--warmup", warmup, "N", "cycles before the window (default 5000)");
  add(command, "--cycles", cycles, "N", "cycles of the window (default 20000)");
  add(command, "--hotspot-node", hotspot_node, "N", "pattern hotspot: hot NPU (default 0)");
  add(command, "--hotspot-fraction", hotspot_fraction, "F",
      "pattern hotspot: share of packets that go there (default 0.2)");
  under(command, headings::kLimits);
  add(command, "--threads", threads, "N",
      "threads that step the fabric, up to its number of switches (default 1); same results");
}

std::vector<double> TrafficStrings::checked_rates() const {
  if (saturation == !rate.empty()) {
    throw BadInput(
        fmt::format("--rate: found {}; allowed: either --rate or --saturation",
                    saturation ? "together with --saturation" : "neither it nor --saturation"));
  }
  return saturation ? std::vector<double>() : parse_rates(rate, "--rate");
}

TrafficOptions TrafficStrings::checked(std::uint64_t seed) const {
  TrafficOptions traffic;
  traffic.pattern = pattern_of(*this);
  traffic.packet_flits =
      static_cast<int>(parse_number(packet_flits, "--packet-flits", 1, kPacketFlits));
  traffic.warmup_cycles = parse_number(warmup, "--warmup", 0, kMaxTrafficCycles);
  traffic.window_cycles = parse_number(cycles, "--cycles", 1, kMaxTrafficCycles);
  traffic.seed = seed;
  traffic.threads = static_cast<int>(parse_number(threads, "--threads", 1, kMaxThreads));
  return traffic;
}

}  // namespace fredsim
