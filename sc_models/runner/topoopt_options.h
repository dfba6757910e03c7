// SPDX-License-Identifier: Apache-2.0
// Options of the search for a switchless network and a strategy, with their rows.
//
// Units: bytes per second, picoseconds.
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <string>

#include "optimize/topology_finder.h"
#include "runner/bandwidth_options.h"
#include "runner/train_options.h"

namespace fredsim {

struct TopooptAsked {
  FinderOptions finder{};
  int npus = 0;  // 0: NPUs of the machine
  std::uint64_t link_bandwidth = 12'500'000'000, link_latency_ps = 1'000'000;
  int paths = 4;
  bool each = false;
  std::uint64_t seed = 1;
  std::uint64_t max_evaluations = 10'000;
  std::string machine_file{};  // written at the end; empty: none
  TrainOptions train{};
  bool names_minibatch = false, names_microbatches = false;  // else they are defaults
};

namespace topoopt_rows {

using A = TopooptAsked;

inline constexpr auto kAll = rows::under(
    headings::kNetwork,
    rows::given<A>(
        "--topology", "NAME",
        "topoopt: in place of bandwidths, a network without switches, and a strategy MP x DP x PP, "
        "for one --workload (default resnet152)",
        {.words = "topoopt"}),
    rows::number<&A::finder, &FinderOptions::degree>(
        "--degree", "N", "of --topology: interfaces of an NPU (default 4)", {.max = 1024}),
    rows::number<&A::npus>("--npus", "N", "of --topology: NPUs (default: those of the machine)",
                           {.min = 2, .max = 4096}),
    rows::parsed<parse_bandwidth, &A::link_bandwidth>(
        "--link-bandwidth", "BANDWIDTH",
        "of --topology: of an interface, per direction (default 12.5GB/s)"),
    rows::parsed<parse_time_ps, &A::link_latency_ps>("--link-latency", "TIME",
                                                     "of --topology: of a link (default 1us)"),
    rows::flag<&A::finder, &FinderOptions::kind, &JumpKind::primes>(
        "--primes", "of --topology: jumps of rings are 1 and primes alone"),
    rows::flag<&A::finder, &FinderOptions::kind, &JumpKind::both_ways>(
        "--both-ways",
        "of --topology: rings both ways, by two interfaces each, in place of one way"),
    rows::number<&A::paths>(
        "--paths", "N",
        "of --topology: shortest paths that share what goes from NPU to NPU (default 4)",
        {.max = 64}),
    rows::word<&A::each>(
        "--search", "NAME",
        "of --topology: alternate (default), a network for the strategy and a strategy for the "
        "network by turns, or each, a network for every strategy",
        {.words = "alternate each"}),
    rows::number<&A::seed>("--seed", "N", "of --topology: of the search (default 1)", {.min = 0}),
    rows::text<&A::machine_file>(
        "--write", "FILE.yaml", "of --topology: the network as a machine file, for --engine flow"));

}  // namespace topoopt_rows
inline constexpr auto& kTopooptRows = topoopt_rows::kAll;

// Reads the values of kTopooptRows and kBandwidthRows.
TopooptAsked topoopt_options(const OptionTexts& texts);
// Throws BadInput for the first option that was given without --topology.
void refuse_without_topology(const OptionTexts& texts);

}  // namespace fredsim
