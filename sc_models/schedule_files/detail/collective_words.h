// SPDX-License-Identifier: Apache-2.0
// Names of collectives in files of GPU runtimes: "allreduce", "ReduceScatter", "all_gather".
#pragma once

#include <string>

#include "plan/collective.h"

namespace fredsim {

// Case, '-' and '_' do not count. Errors: BadInput, beginning with `place`.
Collective collective_of_word(const std::string& place, const std::string& word);

}  // namespace fredsim
