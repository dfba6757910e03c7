// SPDX-License-Identifier: Apache-2.0
// Fields of the commands that route flows without a fabric: `fredsim conflicts`, `strategies` and
// `route`.
#pragma once

#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim::fields {

inline constexpr auto kIntervalFields = std::to_array<Field>({
    {"low", kNumber, kNone, "lower end"},
    {"high", kNumber, kNone, "upper end"},
});
inline constexpr Object kInterval{"interval", "a confidence interval", kIntervalFields};

inline constexpr auto kConflictRunFields = std::to_array<Field>({
    {"ports", kPositive, kNone, "of the switch"},
    {"middle", kPositive, kNone, "its middle sub-networks, m"},
    {"kind", word("unicast multicast reduce all_reduce any"), kNone, "of the flows"},
    {"flows", kPositive, kNone, "of a set"},
    {"trials", kPositive, kNone, "sets that were tried"},
    {"seed", kCount, kNone, "of the sets"},
    {"conflicts", kCount, kNone, "sets without a routing"},
    {"conflict_rate", kNumber, kNone, "conflicts / trials"},
    {"wilson_95", object(kInterval), kNone, "Wilson's 95 % confidence interval of the rate"},
    {"incomplete", kTrue, kNone, "fewer trials than were asked for", kWhenInterrupted},
});
inline constexpr Object kConflictRun{"conflict_run", "one number of flows and m",
                                     kConflictRunFields};

inline constexpr auto kConflictDocumentFields =
    join(kDocumentFields, std::to_array<Field>({{"runs", list(object(kConflictRun)), kNone,
                                                 "one per number of flows and m"}}));
inline constexpr Object kConflictDocument{"conflicts", "conflicts", kConflictDocumentFields};

inline constexpr auto kFailureGroupFields = std::to_array<Field>({
    {"group", kCount, kNone, "its number"},
    {"npus", list(kCount), kNone, "in it"},
});
inline constexpr Object kFailureGroup{"failure_group", "a group that cannot be routed",
                                      kFailureGroupFields};

inline constexpr auto kPortListFields = std::to_array<Field>({
    {"inputs", list(kCount), kNone, "input ports"},
    {"outputs", list(kCount), kNone, "output ports"},
});
inline constexpr auto kFailureFlowFields =
    join(std::to_array<Field>({{"group", kCount, kNone, "that it belongs to"}}), kPortListFields);
inline constexpr Object kFailureFlow{"failure_flow", "a flow of the chiplet", kFailureFlowFields};

inline constexpr auto kFailureFields = std::to_array<Field>({
    {"strategy", kText, kNone, "that fails"},
    {"outcome", word("uplinks conflict undecided"), kNone, "too few uplinks, or no routing"},
    {"why", kText, kNone, "in words"},
    {"groups", list(object(kFailureGroup)), kNone, "that are in each other's way"},
    {"chiplet", kText, kNone, "in which", "of conflicts in a chiplet"},
    {"level", kCount, kNone, "of the chiplet", "of conflicts in a chiplet"},
    {"flows", list(object(kFailureFlow)), kNone, "of the chiplet", "of conflicts in a chiplet"},
});
inline constexpr Object kFailure{"failure", "a strategy that fails", kFailureFields};

inline constexpr auto kStrategyRunFields = std::to_array<Field>({
    {"middle", kPositive, kNone, "middle sub-networks, m"},
    {"machine", {Kind::kMachine}, kNone, "with this m"},
    {"dimension", word("mp dp pp"), kNone, "whose groups communicate"},
    {"checked", kCount, kNone, "strategies in which the dimension is more than 1"},
    {"routed", kCount, kNone, "of these, those whose groups can communicate at the same time"},
    {"too_few_uplinks", kCount, kNone, "no choice gives every group its own uplink"},
    {"conflicts", kCount, kNone, "no choice of uplinks can be routed"},
    {"undecided", kCount, kNone, "the search took too long"},
    {"failures", list(object(kFailure)), kNone, "strategies that fail"},
    {"incomplete", kTrue, kNone, "fewer strategies were checked than there are", kWhenInterrupted},
});
inline constexpr Object kStrategyRun{"strategy_run", "one m and dimension", kStrategyRunFields};

inline constexpr auto kStrategyDocumentFields = join(
    kDocumentFields, std::to_array<Field>({
                         {"config", kText, kNone, "machine file, as given"},
                         {"settings", {Kind::kTexts}, kNone, "keys set over it"},
                         {"fabric", kText, kNone, "name of the machine"},
                         {"placement", kText, kNone, "of the workers"},
                         {"npus", kPositive, kNone, "of the machine"},
                         {"search_complete", kFlag, kNone, "no outcome is undecided"},
                         {"strategies", kCount, kNone, "there are"},
                         {"runs", list(object(kStrategyRun)), kNone, "one per m and dimension"},
                     }));
inline constexpr Object kStrategyDocument{"strategies", "strategies", kStrategyDocumentFields};

inline constexpr auto kRoutedFlowFields =
    join(std::to_array<Field>({{"typed", kText, kNone, "as on the command line"}}), kPortListFields,
         std::to_array<Field>({{"order_of_additions", kText, kNone, "with parentheses"}}));
inline constexpr Object kRoutedFlow{"routed_flow", "a flow", kRoutedFlowFields};

inline constexpr auto kRouteLevelFields = std::to_array<Field>({
    {"level", kCount, kNone, "of the recursion, 0: the whole switch"},
    {"path", list(kCount), kNone, "sub-networks on the way there"},
    {"ports", kPositive, kNone, "of the sub-network"},
    {"flows", list(kCount), kNone, "that come through it"},
    {"colours", list(kCount), kNone, "of these: the middle sub-network of each"},
});
inline constexpr Object kRouteLevel{"route_level", "a sub-network", kRouteLevelFields};

inline constexpr auto kRouteBlockFields = std::to_array<Field>({
    {"block", kText, kNone, "µSwitch, demux or mux"},
    {"path", list(kCount), kNone, "sub-networks on the way there"},
    {"index", kCount, kNone, "in the sub-network"},
    {"first_bit", kCount, kNone, "of the configuration"},
    {"bits", kText, kNone, "its bits"},
    {"outputs", list(kText), kNone, "what each carries, in words"},
});
inline constexpr Object kRouteBlock{"route_block", "a block and its bits", kRouteBlockFields};

inline constexpr auto kConfigurationFields = std::to_array<Field>({
    {"bits", kCount, kNone, "number of bits"},
    {"hex", kText, kNone, "the bits"},
});
inline constexpr Object kConfiguration{"configuration", "of the interconnect",
                                       kConfigurationFields};

inline constexpr auto kPhaseRowFields = std::to_array<Field>({
    {"vc", word("mp pp dp"), kNone, "virtual channel"},
    {"words", list(pattern("^0x[0-9a-f]{8}$")), kNone, "from the lowest"},
});
inline constexpr Object kPhaseRow{"phase_row", "a row of the phase store", kPhaseRowFields};

inline constexpr auto kRouteDocumentFields =
    join(kDocumentFields,
         std::to_array<Field>({
             {"ports", kPositive, kNone, "of the switch"},
             {"middle", kPositive, kNone, "its middle sub-networks, m"},
             {"stages", kPositive, kNone, "of the interconnect"},
             {"flows", list(object(kRoutedFlow)), kNone, "that were routed"},
             {"levels", list(object(kRouteLevel)), kNone, "every sub-network with flows"},
             {"blocks", list(object(kRouteBlock)), kNone, "every µSwitch, demux and mux"},
             {"configuration", object(kConfiguration), kNone, "bits of the interconnect"},
             {"phase_row", object(kPhaseRow), kNone, "what a phase store gets"},
         }));
inline constexpr Object kRouteDocument{"route", "route", kRouteDocumentFields};

}  // namespace fredsim::fields
