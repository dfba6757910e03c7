// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim optimize --topology`: a network without switches, and the strategy for it.
#pragma once

#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim::fields {

inline constexpr auto kJumpRingFields = std::to_array<Field>({
    {"members", {Kind::kSeveral}, kNone, "NPUs of a group"},
    {"groups", kPositive, kNone, "that have these rings, and no NPU in common"},
    {"jumps", list(kPositive), kNone,
     "ranks from a member to the next one, by ring; the same again: parallel links"},
});
inline constexpr Object kJumpRing{"jump_rings", "rings of groups of one size", kJumpRingFields};

inline constexpr auto kNetworkRoundFields = std::to_array<Field>({
    {"strategy", kText, kNone, "that a network was made for"},
    {"time_ns", kNumber, kNs, "of an iteration on it"},
});
inline constexpr Object kNetworkRound{"network_round", "a network of the search",
                                      kNetworkRoundFields};

inline constexpr auto kNetworkOptimumFields = std::to_array<Field>({
    {"strategy", kText, kNone, "MP, DP and PP"},
    {"objective", kNumber, kNs,
     "time of an iteration: the longest path, operations as long as their busiest link takes"},
    {"switch_time_ns", kNumber, kNs,
     "the same on an ideal switch with the bandwidth of all interfaces"},
    {"switch_strategy", kText, kNone, "the best on that switch"},
    {"best_switch_time_ns", kNumber, kNs, "of that one there"},
    {"ring_interfaces", kCount, kNone, "interfaces for rings"},
    {"pair_interfaces", kCount, kNone, "interfaces for what goes from NPU to NPU"},
    {"rings", list(object(kJumpRing)), kNone, "most bytes first"},
    {"joining_ring", kTrue, kNone, "the last of the rings joins what would be apart",
     "where there is one"},
    {"matchings", list(kCount), kNone, "pairs that got a link, by interface for pairs"},
    {"links", kPositive, kNone, "one way, parallel ones counted"},
    {"diameter", kPositive, kNone, "longest of the shortest paths, in links"},
    {"rounds", list(object(kNetworkRound)), kNone, "networks, in the order of the search"},
    {"converged", kFlag, kNone,
     "the strategy is the best one found on its own network, or every strategy was tried"},
    {"evaluations", kCount, kNone, "of times of strategies on networks"},
});
inline constexpr Object kNetworkOptimum{"network_optimum", "the best network that was found",
                                        kNetworkOptimumFields};

inline constexpr auto kNetworkDocumentFields =
    join(kDocumentFields, kMachineFields,
         std::to_array<Field>({
             {"topology", word("topoopt"), kNone, "how networks are made"},
             {"npus", {Kind::kSeveral}, kNone, "of the network"},
             {"degree", kPositive, kNone, "interfaces of an NPU"},
             {"link_gbps", kNumber, kGbps, "of an interface, per direction"},
             {"link_latency_ns", kNumber, kNs, "of a link"},
             {"primes", kFlag, kNone, "jumps are 1 and primes alone"},
             {"both_ways", kFlag, kNone, "rings lead both ways"},
             {"paths", kPositive, kNone, "shortest paths that share what goes from NPU to NPU"},
             {"search", word("alternate each"), kNone, "strategies that get a network"},
             {"seed", kCount, kNone, "of the search"},
             {"accounting", word("serial overlap"), kNone, "of communication"},
             {"workloads", list(kText), kNone, "one, whose time it is"},
             {"minibatch", kPositive, kNone, "samples of an iteration", "of models"},
             {"optimum", object(kNetworkOptimum), kNone, "network and strategy"},
         }));
inline constexpr Object kNetworkDocument{"optimize_topology", "a search for a network",
                                         kNetworkDocumentFields};

}  // namespace fredsim::fields
