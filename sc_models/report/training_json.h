// SPDX-License-Identifier: Apache-2.0
// The JSON of `fredsim train`: "runs" has one object per machine, with the counters of all its
// iterations together.
#pragma once

#include <span>
#include <string>

#include "results/document.h"
#include "results/training_results.h"
#include "workload/training_question.h"

namespace fredsim {

std::string training_json(const Origin& origin, const TrainingQuestion& asked,
                          const TrainedWorkload& workload, std::span<const TrainingResult> runs);

}  // namespace fredsim
