// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim info --ranks`: parts of a machine for several processes, and their predicted
// speed-up.
#pragma once

#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim::fields {

inline constexpr auto kRankPartFields = std::to_array<Field>({
    {"rank", kCount, kNone, "that has the part"},
    {"nodes", kPositive, kNone, "in it"},
    {"switches", kCount, kNone, "of these"},
    {"npus", kCount, kNone, "of these"},
    {"cost_ns", kNumber, kNs, "processor time of a cycle at load, by measured costs of nodes"},
    {"cost_share", kNumber, kNone, "of the cost of all parts"},
    {"links_out", kCount, kNone, "to other parts, a direction each"},
    {"neighbours", list(kCount), kNone, "ranks that it exchanges a message with per window"},
    {"flits_per_window", kCount, kFlits, "that leave it, at most"},
    {"bytes_per_window", kCount, kBytes, "of its messages, at most: flits and credits"},
});
inline constexpr Object kRankPart{"rank_part", "the part of a rank", kRankPartFields};

inline constexpr auto kRankForecastFields = std::to_array<Field>({
    {"ranks", kPositive, kNone, "processes"},
    {"look_ahead_cycles", or_null(kPositive), kCycles,
     "of a window, after which ranks exchange; null: no link crosses"},
    {"max_cost_ns", kNumber, kNs, "of a cycle, of the costliest part"},
    {"imbalance", kNumber, kNone, "cost of the costliest part / mean - 1"},
    {"exchange_ns", kNumber, kNs, "per cycle, of the costliest exchange"},
    {"cycle_ns", kNumber, kNs, "predicted time of a cycle: both together"},
    {"speedup", kNumber, kNone, "predicted, over one process"},
});
inline constexpr Object kRankForecast{"rank_forecast",
                                      "prediction for a number of ranks; nothing was simulated",
                                      kRankForecastFields};

inline constexpr auto kRankDocumentFields =
    join(kDocumentFields, kMachineFields,
         std::to_array<Field>({
             {"model", word(kModels), kNone, "implementation of the switches"},
             {"lanes", kPositive, kNone, "lanes of a flit that are carried, of 256"},
             {"ranks", kPositive, kNone, "that were asked for"},
             {"message_ns", kNumber, kNs, "time of a message between two ranks, as assumed"},
             {"flit_ns", kNumber, "ns/flit", "to pack a flit and take one out, as assumed"},
             {"byte_ns", kNumber, "ns/byte", "to copy and send a byte, as assumed"},
             {"parts", list(object(kRankPart)), kNone, "by rank"},
             {"forecasts", list(object(kRankForecast)), kNone,
              "for the ranks asked for, 16 and 256, as far as the machine can be cut so"},
         }));
inline constexpr Object kRankDocument{"ranks", "ranks", kRankDocumentFields};

}  // namespace fredsim::fields
