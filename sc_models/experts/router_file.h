// SPDX-License-Identifier: Apache-2.0
// Files of a router's shares, YAML or JSON, as measured on a model:
//
//   rows: layers          # or ranks, or all (default), which has one row
//   shares: [[0.5, 0.25, 0.25], [0.2, 0.5, 0.3]]
//
// `tokens` in place of `shares`: numbers of tokens, which are divided by the sum of their row.
// Errors: BadInput with file and line, the value found and the allowed ones.
#pragma once

#include <string>

#include "base/file_key.h"
#include "experts/router.h"

namespace fredsim {

const FileKeys& router_file_keys();
RouterShares read_router_file(const std::string& path);

}  // namespace fredsim
