// SPDX-License-Identifier: Apache-2.0
// Results of synthetic traffic (`fredsim traffic`): one point per offered rate.
//
// Units: rates in flits per cycle and sending node; latencies in cycles from a packet's creation,
// which may wait at its source, to the consumption of its tail. Every number here was simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/setting.h"
#include "results/results.h"

namespace fredsim {

// Trace of Netrace that is replayed.
struct NetraceSetup {
  std::string file{};
  std::string benchmark{};
  std::optional<int> region{};  // none: all of the file
  int flit_bytes = 0;           // bytes of the trace in a flit
  int nodes = 0;
  std::uint64_t cycles = 0;         // from its first packet to its last
  std::uint64_t packets = 0;        // local ones included
  std::uint64_t local_packets = 0;  // packets of a node to itself
  std::uint64_t dependencies = 0;
  std::uint64_t outside = 0;  // dependencies on packets that are not in the file or region
  double slowdown(std::uint64_t run_cycles) const {
    return static_cast<double>(run_cycles) / static_cast<double>(cycles);
  }
};

// Setup shared by all points of a command.
struct TrafficSetup {
  std::string config;  // path as given
  Settings settings;   // settings over the machine file
  std::vector<MachineKey> machine;
  std::string fabric;  // the machine's name
  std::string model;
  double clock_ghz = 0;
  std::string pattern;
  std::optional<int> hotspot_node;         // pattern hotspot only
  std::optional<double> hotspot_fraction;  // pattern hotspot only
  std::vector<int> excluded_nodes;         // pattern background only
  std::string pattern_file;                // pattern matrix only
  double packet_flits = 1;                 // mean
  std::string packet_sizes;                // lengths with their shares; empty: one length
  std::string burst;                       // empty: none
  std::string request_reply;               // empty: none
  std::optional<NetraceSetup> netrace;     // pattern netrace only
  std::uint64_t seed = 1;
  std::uint64_t warmup_cycles = 0;
  std::uint64_t window_cycles = 0;
  int nodes = 0;
  int sending_nodes = 0;       // other nodes are their own partners in the pattern
  double injection_limit = 0;  // capacity of the links of a node, flits per cycle
  Layout layout;
};

struct TrafficPoint {
  double rate = 0;      // requested rate
  double offered = 0;   // created in the window
  double accepted = 0;  // consumed in the window
  bool saturated = false;
  // Interrupted: all values cover the window so far, and do not show saturation.
  bool incomplete = false;
  std::uint64_t delivered_bytes = 0;  // consumed since cycle 0
  std::uint64_t packets = 0;          // created in the window: the measured ones
  std::uint64_t arrived = 0;          // measured packets that arrived before the run's limit; the
                                      // latencies are theirs
  double latency_mean = 0;
  std::uint64_t latency_p50 = 0, latency_p95 = 0, latency_p99 = 0, latency_max = 0;
  // Request-reply traffic: latencies above are of exchanges; this one is of the requests.
  std::optional<double> request_latency_mean{};
  std::uint64_t flit_hops = 0;  // flits x wafer links crossed, in the window
  double hops = 0;  // wafer links per flit, over all flits of the run, warm-up to drained
  std::optional<EnergyResult> energy{};  // energy of the window; none: the machine is not known
  std::vector<LinkResult> links;         // counters of the window
  std::vector<SwitchResult>
      switches;  // counters of the window; no stalls where counters are not readable
  std::optional<LatencyBreakdown> breakdown;  // measured packets only, if requested
  std::optional<LinkSeries> series{};         // windows of the window, if requested
  std::uint64_t cycles = 0;  // length of the run: warm-up, window and arrival of the measured
                             // packets
  double wall_s = 0;
  double sim_cycles_per_s = 0;
};

// Saturation of the fabric, from the complete points.
struct TrafficSaturation {
  double accepted = 0;               // the highest of all points
  double accepted_rate = 0;          // rate of that point
  std::optional<double> first_rate;  // the lowest rate that is saturated; none: no point is
  double first_accepted = 0;         // at that rate
  // True if more is accepted beyond saturation, by NPUs whose own paths are free, for example while
  // the remaining NPUs send to a hot spot.
  bool rises_beyond() const { return first_rate && accepted > *first_rate; }
};
TrafficSaturation saturation_of(std::span<const TrafficPoint> points);

}  // namespace fredsim
