// SPDX-License-Identifier: Apache-2.0
// Parts that files of routers and of placements of experts share: a map of known keys, lists of lists of numbers.
//
// Errors: BadInput naming file and line, what was found and what is allowed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/config_tree.h"

namespace fredsim {

// `root`: a map of these keys alone.
void check_keys(const ConfigNode& root, std::string_view what,
                std::span<const std::string_view> allowed);

// `node`: a list with something in it.
const ConfigNode& list_of(const ConfigNode& node, const std::string& what);

}  // namespace fredsim
