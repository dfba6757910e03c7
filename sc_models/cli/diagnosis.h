// SPDX-License-Identifier: Apache-2.0
// Limits of a work on a machine, by flows alone (runner/work_flows.h): its time with each limit
// lifted and with all lifted.
//
// Buffers: sized as by `auto`, if that is larger; the work is planned again.
// Windows, latency, turns of phases in switches: lifted in the flows of the same plan
//   (flow/flow_lifts.h).
// Single paths: hops are spread over all shortest paths (flow/detail/spread_paths.h) up to
//   kMaxSpreadNpus NPUs; if that takes longer, single paths stay.
// Algorithm: the best of all, in flows. Tried by dimension on a system, lowest first, and by item
//   for a work file; plans of more than kMaxTriedEntries entries are not tried.
// Turns of phases on a system: the best numbers of chunks, orders of dimensions and orders of
//   chunks.
// Systems of more than kMaxTriedNpus NPUs: algorithms and chunks are as given.
// Errors: errors of WorkFlows for the work as given.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "results/diagnosis.h"
#include "runner/work_options.h"

namespace fredsim {

inline constexpr std::size_t kMaxSpreadNpus = 512;
inline constexpr std::size_t kMaxTriedNpus = 16384;
inline constexpr std::uint64_t kMaxTriedEntries = 1U << 22U;

inline constexpr double kNoGain = 1.005;  // factors up to this count as no gain

struct DiagnosedWork {
  WorkOptions options;      // with its placement
  std::string work_file{};  // source of the options; empty: the command line
  std::uint64_t seed = 1;
};

struct FlowDiagnosis {
  Diagnosis result{};  // unordered limits, with the keys that lift them, even without a gain
  std::vector<std::pair<Limit, WorkOptions>> by_options{};  // works that lift a limit
};

// `covered`: the same machine with buffers that cover its links (topology/credit_loop.h).
FlowDiagnosis diagnose_by_flows(const MachineConfig& machine, const Topology& covered,
                                const DiagnosedWork& work, std::uint64_t size);

// Sorts limits by factor; a limit that costs nothing names no key.
void put_in_order(Diagnosis& diagnosis);

}  // namespace fredsim
