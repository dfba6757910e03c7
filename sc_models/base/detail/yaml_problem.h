// SPDX-License-Identifier: Apache-2.0
// Explanation of a text that is not YAML, in our words instead of the parser's.
#pragma once

#include <yaml-cpp/exceptions.h>

#include <string>

namespace fredsim {

// "found '[' without its ']'"
std::string yaml_problem(const YAML::Exception& error);

}  // namespace fredsim
