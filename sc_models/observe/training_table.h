// Training runs for people: iteration time, speed-up over the first machine, and where the time went.
#pragma once

#include <span>
#include <string>

#include "observe/table_output.h"
#include "observe/training_results.h"

namespace fredsim {

// A line per machine. Times are in us, or in ms where iterations take 100 ms or more.
TitledTable training_table(const TrainingSetup& setup, std::span<const TrainingResult> runs);

inline constexpr const char* kTrainingLegend =
    "iteration: mean of all. compute … streaming: the critical path, from the end of the run back "
    "to its beginning, divided "
    "into what it goes through; communication is what is exposed of it. Traffic was simulated, "
    "times of computations are asked "
    "for.\n";

}  // namespace fredsim
