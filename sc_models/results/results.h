// SPDX-License-Identifier: Apache-2.0
// Results of a run: counters with their meaning, as a table and as JSON.
//
// Units: cycles of the machine's clock; bytes of payload (flits × 512 where a flit is
// full); bandwidths in GB/s of ten. Every number here was simulated, except bound_ns
// (analytic, and named so).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "results/breakdown.h"
#include "results/energy.h"
#include "results/layout.h"
#include "results/link_series.h"

namespace fredsim {

struct LinkResult {
  std::string name, from, to;
  bool on_die = false;  // between a mesh NPU and its own router: not in flit_hops and link_bytes
  std::uint64_t flits = 0;
  std::uint64_t bytes = 0;        // payload bytes carried
  std::uint64_t busy_cycles = 0;  // cycles in which a flit was launched
  double utilization = 0;  // flits sent / flits the link's rate allows during the run, 1 at most
  // Counters of some kinds of links only, by field (results/fields/fabric.h): "resent_flits", 3.
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  std::uint64_t phase_flits = 0;  // flits of phases, which switches add up or distribute
  bool has_counter(std::string_view field) const {
    return std::ranges::any_of(counters, [&](const auto& one) { return one.first == field; });
  }
  // Counter by name; 0: the link has no such counter.
  std::uint64_t counter(std::string_view field) const {
    const auto found = std::ranges::find(counters, field, &decltype(counters)::value_type::first);
    return found == counters.end() ? 0 : found->second;
  }
};

struct SwitchResult {
  std::string name;
  std::string model;  // "rtl", …
  std::uint64_t flits_in = 0;
  std::uint64_t flits_out = 0;
  std::uint64_t reductions = 0;
  std::uint64_t phase_changes = 0;
  std::vector<std::pair<std::string, std::uint64_t>> stall_cycles;  // reason -> cycles
};

// Idealisation: packets have an order but no pace.
inline constexpr const char* kRecurringOrder =
    "packets of all-reduces at the endpoints wait for channels in an order known beforehand "
    "(--packet-order arrival: in that of their arrival)";

// Result of one collective on one group, among several that ran at the same time.
struct PartResult {
  std::string name;  // name in a work file; empty: none
  std::uint64_t operations =
      1;  // number of successive operations; times and bandwidths cover all of them
  std::string collective;
  std::string algorithm;
  std::vector<int> group;          // base/member.h
  std::string priority;            // "mp", "pp" or "dp"
  std::string packet_order;        // "recurring", "paced"; empty: in that of their arrival
  std::uint64_t frame_cycles = 0;  // packets with a pace (collective/detail/packet_pace.h); 0: none
  std::uint64_t size_bytes = 0;
  std::uint64_t start_cycle = 0;  // first cycle in which it could send
  bool incomplete = false;        // interrupted: `cycles` so far, no bandwidths
  std::uint64_t cycles = 0;       // from `start_cycle` until its last result was complete
  double time_ns = 0;
  double algbw_gbps = 0;
  double busbw_gbps = 0;
  double bound_ns = 0;  // analytic, of this part alone
};

// Placement of the workers of a training strategy, and its groups that communicate.
struct WorkersResult {
  std::string placement;                // "paper", "searched", "identity" or a file's path
  std::vector<int> npus{};              // by worker
  std::string strategy;                 // "mp2-dp5-pp2"; empty: none
  std::vector<std::string> dimensions;  // "mp", …; empty: groups named one by one
};

// Operations of a work whose collectives run one after another (engine/communicator.h), or of parts
// of a plan that are serialised because of conflicts (OnConflict::kLater); collectives that begin
// together are one operation.
struct OperationsResult {
  std::uint64_t complete = 0;
  struct Rows {                   // phases
    std::uint64_t preloaded = 0;  // written before the run
    std::uint64_t loaded = 0;     // written during the run
    std::uint64_t found = 0;      // present when an operation needed them
    std::uint64_t evicted = 0;
    std::uint64_t words_written = 0;  // register writes during the run
  } rows;
  // Waiting cycles of all operations: for rows to be written, or for free rows; and for conflicting
  // operations in flight.
  std::uint64_t waited_for_rows = 0, waited_for_others = 0;
};

// Known error of a run of flows (flow/flow_run.h) against exact runs.
struct FlowErrorResult {
  std::string measured_on;  // machine
  std::vector<std::uint64_t> sizes{};
  double mean_percent = 0, worst_percent = 0;
};
struct FlowResult {
  std::optional<FlowErrorResult> error{};  // none: unmeasured
};

// Busiest link of the run, if the buffer behind it sustains less than the rate of the link
// (topology/credit_loop.h).
struct CreditLimit {
  std::string link;
  std::uint64_t buffer_bytes = 0, covering_bytes = 0;
  double link_gbps = 0, carried_gbps = 0;
  std::string key;  // key of the machine file that has the buffer
};

// System of dimensions: bandwidth of an NPU and its utilisation over the whole time, by dimension
// and in total.
struct SystemResult {
  struct Dimension {
    std::string name;
    double bandwidth_gbps = 0;
    double utilization = 0;
  };
  std::string dimension_order, chunk_order;  // orders of chunks
  std::vector<Dimension> dimensions;         // lowest first
  double utilization = 0;                    // all dimensions together
};

struct RunResult {
  // A run of a testbench with NPUs of its own (engine/measurement.h), without a plan of ours: there
  // is no bound; a size, bandwidth or seed of 0 and an empty text mean that it does not apply, null
  // in JSON, "-" in tables.
  bool is_own = false;
  std::string config;  // path as given
  Settings settings;   // settings over the machine file
  std::vector<MachineKey> machine;
  std::string fabric;  // the machine's name
  std::string model;
  int lanes = 1;
  double clock_ghz = 0;
  // Summary of all parts: different names are joined by +; the size is the largest. Bandwidths are
  // those of the part that ends last, over the whole time.
  std::string collective;
  std::string algorithm;
  std::vector<std::vector<int>> groups;
  std::optional<WorkersResult> workers;  // if requested
  std::vector<PartResult> parts;
  std::optional<OperationsResult> operations;  // if collectives ran one after another
  std::uint64_t size_bytes = 0;
  std::uint64_t seed = 0;
  // Arrivals of NPUs at collectives: overhead of each, and requested skew; empty: none.
  double collective_overhead_ns = 0;
  std::string skew{};
  std::uint64_t cycles = 0;  // from the first clock edge until the last result is complete
  double time_ns = 0;
  double algbw_gbps = 0;
  double busbw_gbps = 0;
  double bound_ns = 0;                        // analytic lower bound from the busiest link
  double network_bound_ns = 0;                // lower bound of any algorithm, from cuts; 0: unknown
  std::optional<CreditLimit> credit_limit{};  // none: buffers carry all of the busiest link
  std::string payload;  // "exact"; "incomplete" of an interrupted run, "not carried" of flows
  std::optional<FlowResult> flow{};  // none: simulated flit by flit
  // Interrupted: cycles, traffic and counters so far; no bandwidths.
  bool incomplete = false;
  std::uint64_t delivered_bytes = 0;  // bytes of results, at all NPUs together
  // Slices of a FRED tree in the run, and the number simulated, one per set of equal slices; 0: the
  // run does not use the switches of a FRED tree.
  int slices = 0, slices_simulated = 0;
  // Cycles that were skipped: idle ones, and repeated ones with their flits x links. The counters
  // include them.
  std::uint64_t idle_cycles = 0, repeated_cycles = 0, repeated_flit_hops = 0;
  std::uint64_t equal_slices_flit_hops = 0;  // flits x links of slices that were not simulated
  std::uint64_t injected_bytes = 0;  // payload; acknowledgements, a flit each, are not in it
  std::uint64_t acknowledgement_packets = 0, acknowledgement_bytes = 0;
  std::uint64_t injected_bytes_per_npu_max = 0;
  // Additions of two flits in all results, and the part in switches, by node. Words of phase stores
  // written by the control plane.
  std::uint64_t additions = 0;
  std::vector<std::uint64_t> switch_additions{};
  std::uint64_t words_written = 0;
  std::uint64_t link_bytes = 0;
  std::uint64_t flit_hops = 0;
  std::optional<EnergyResult> energy{};  // none: the machine is not known
  std::optional<SystemResult> system{};  // a system of dimensions
  std::vector<LinkResult> links;
  std::vector<SwitchResult> switches;
  std::vector<LatencyBreakdown> breakdowns;  // by part; empty: not asked for
  std::optional<LinkSeries> series{};        // if requested
  Layout layout;
  double wall_s = 0;
  double sim_cycles_per_s = 0;
  double cpu_s = 0;  // processor time of the process in wall_s; for measuring programs, not printed
};

}  // namespace fredsim
