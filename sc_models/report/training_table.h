// SPDX-License-Identifier: Apache-2.0
// Tables of training runs: iteration time, speed-up over the first machine, and the breakdown of
// the time.
#pragma once

#include <span>
#include <string>

#include "report/table_output.h"
#include "results/training_results.h"
#include "workload/training_question.h"

namespace fredsim {

// A line per machine. Times are in us, or in ms where iterations take 100 ms or more.
TitledTable training_table(const TrainingQuestion& asked, const TrainedWorkload& workload,
                           std::span<const TrainingResult> runs);

// Idealisations, below the table; empty: none.
std::string idealised_text(const TrainedWorkload& workload);
// Meaning of the columns.
std::string training_legend(bool is_flow = false);

}  // namespace fredsim
