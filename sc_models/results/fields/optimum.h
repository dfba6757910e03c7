// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim optimize`: the result of a search over machines.
#pragma once

#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim::fields {

inline constexpr auto kOptimumBandwidthFields = std::to_array<Field>({
    {"dimension", kText, kNone, "name of the dimension, or level of a tree"},
    {"block", kText, kNone, "what joins its NPUs"},
    {"gbps", kNumber, kGbps, "of an NPU, per direction"},
    {"cost", kNumber, "$ per GB/s", "of an NPU", "with --for time_cost"},
});
inline constexpr Object kOptimumBandwidth{"optimum_bandwidth", "the bandwidth of a dimension",
                                          kOptimumBandwidthFields};

inline constexpr auto kOptimumFields = std::to_array<Field>({
    {"bandwidths", list(object(kOptimumBandwidth)), kNone, "lowest first"},
    {"objective", kNumber, kNone,
     "time in ns; with --for time_cost ns times dollars of the whole network"},
    {"time_ns", kNumber, kNs, "of the workload, or the weighted mean of several"},
    {"cost", kNumber, "$", "of the whole network", "with --for time_cost"},
    {"equal_over_optimum", or_null(kNumber), kNone,
     "objective with equal bandwidths over that of the optimum; null: these are not allowed"},
    {"converged", kFlag, kNone,
     "by the model: it is within 1e-6 of a lower bound, or, of time_cost, each of its steps is; by "
     "flows: the search came to its end, maybe at a local optimum"},
    {"evaluations", kCount, kNone, "of the objective"},
});
inline constexpr Object kOptimum{"optimum", "the best that the search found", kOptimumFields};

inline constexpr auto kOptimumDocumentFields =
    join(kDocumentFields, kMachineFields,
         std::to_array<Field>({
             {"npus", kPositive, kNone, "of the machine"},
             {"engine", word("model flow"), kNone,
              "what the time is from: a sum of maxima of bytes / bandwidth, or flows, without "
              "calibration"},
             {"for", word("time time_cost"), kNone, "that is to be least"},
             {"accounting", word("serial overlap"), kNone, "of communication, in the model"},
             {"total_gbps", kNumber, kGbps, "of an NPU, over all dimensions"},
             {"constraints", list(kText), kNone, "beside the total, as typed"},
             {"workloads", list(kText), kNone, "whose time it is"},
             {"weights", list(kNumber), kNone, "of these, 1 in all"},
             {"optimum", object(kOptimum), kNone, "allocation of bandwidth"},
         }));
inline constexpr Object kOptimumDocument{"optimize", "a search over machines",
                                         kOptimumDocumentFields};

}  // namespace fredsim::fields
