// SPDX-License-Identifier: Apache-2.0
// Results made up for tests, with every field set to a value of its own.
#pragma once

#include "results/results.h"

namespace fredsim {

RunResult sample_run();

}  // namespace fredsim
