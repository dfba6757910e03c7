// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim doctor`: the limits of a work on a machine, by flows.
#pragma once

#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim::fields {

inline constexpr std::string_view kLimits = "buffers windows single_paths algorithm latency turns";

inline constexpr auto kLiftedLimitFields = std::to_array<Field>({
    {"limit", word(kLimits), kNone, "that is lifted, alone"},
    {"time_ns", or_null(kNumber), kNs, "without it; null: it does not apply"},
    {"factor", or_null(kNumber), kNone, "time as given / time without it; null: likewise"},
    {"calibrated", kFlag, kNone,
     "true: as a run with `--engine flow`; false: by flows alone, in proportion to that as given"},
    {"lifted_by", kText, kNone,
     "keys and options that lift it; empty: nothing to gain, or none does"},
    {"note", kText, kNone, "why it does not apply, or what to know of its factor; or empty"},
});
inline constexpr Object kLiftedLimit{"lifted_limit", "a limit and what it costs",
                                     kLiftedLimitFields};

inline constexpr auto kDiagnosisFields = std::to_array<Field>({
    {"collective", kText, kNone, "as in runs"},
    {"algorithm", kText, kNone, "that runs as given; of a system by dimension"},
    {"ranks", kPositive, kNone, "of the largest group"},
    {"size_bytes", kPositive, kBytes, "as in runs"},
    {"time_ns", kNumber, kNs, "as given"},
    {"calibrated", kFlag, kNone, "as of limits; false: the machine is too large for exact runs"},
    {"network_bound_ns", or_null(kNumber), kNs,
     "from the least cuts of the network, whatever the algorithm; null: not known"},
    {"time_over_network_bound", or_null(kNumber), kNone, "as given; null: likewise"},
    {"limits", list(object(kLiftedLimit)), kNone,
     "largest factor first, last those that do not apply"},
    {"all_lifted_ns", kNumber, kNs, "without any of them"},
    {"all_lifted_factor", kNumber, kNone, "time as given / time without any"},
    {"all_lifted_over_network_bound", or_null(kNumber), kNone,
     "what remains then; null: the bound is not known"},
});
inline constexpr Object kDiagnosis{"diagnosis", "what limits a work of one size", kDiagnosisFields};

inline constexpr auto kDoctorDocumentFields =
    join(kDocumentFields, kMachineFields,
         std::to_array<Field>({
             {"engine", word("flow"), kNone, "as of runs with `--engine flow`"},
             {"diagnoses", list(object(kDiagnosis)), kNone, "by size"},
         }));
inline constexpr Object kDoctorDocument{"doctor", "doctor", kDoctorDocumentFields};

}  // namespace fredsim::fields
