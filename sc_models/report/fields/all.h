// SPDX-License-Identifier: Apache-2.0
// Every kind of file that a command writes with --json, as the table of its root object.
#pragma once

#include <array>

#include "report/fields/training.h"
#include "results/fields/doctor.h"
#include "results/fields/network.h"
#include "results/fields/optimum.h"
#include "results/fields/ranks.h"
#include "results/fields/routing.h"
#include "results/fields/run.h"
#include "results/fields/series.h"
#include "results/fields/sweep.h"
#include "results/fields/traces.h"
#include "results/fields/traffic.h"

namespace fredsim::fields {

inline constexpr std::array<const Object*, 14> kDocuments = {
    &kRunDocument,         &kTrafficDocument, &kTrainingDocument, &kConflictDocument,
    &kStrategyDocument,    &kRouteDocument,   &kRankDocument,     &kSweepDocument,
    &kFailedPointDocument, &kOptimumDocument, &kNetworkDocument,  &kDoctorDocument,
    &kSeriesDocument,      &kTraceDocument};

}  // namespace fredsim::fields
