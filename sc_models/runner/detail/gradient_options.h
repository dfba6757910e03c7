// SPDX-License-Identifier: Apache-2.0
// Parses --gradients and --compress of `fredsim train`.
//
//   --gradients [bucket[=SIZE]|layer|zero2[=SIZE]|dear[=SIZE]|priority[=SIZE]][,every=N]
//   --compress DIMENSION=RATIO[,...]   of mp, dp, pp
// Both functions return the value as printed, defaults included.
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <string>

#include "workload/training_options.h"

namespace fredsim {

std::string parse_gradients(const std::string& text, TrainingOptions& training);
// Empty: nothing is compressed.
std::string parse_compression(const std::string& text, Compression& compression);

}  // namespace fredsim
