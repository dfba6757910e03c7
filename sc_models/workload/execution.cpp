// SPDX-License-Identifier: Apache-2.0
#include "workload/execution.h"

#include "workload/training_options.h"

namespace fredsim {

const ExecutionKind& execution_of(const TrainingOptions& options) {
  return *executions()[static_cast<std::size_t>(options.execution)];
}

}  // namespace fredsim
