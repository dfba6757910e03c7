// SPDX-License-Identifier: Apache-2.0
// Position in a trace, as messages name it: "FILE: node 17 (NAME): comm_size".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fredsim {

std::string node_place(std::string_view path, std::uint64_t id, std::string_view name,
                       std::string_view field);

}  // namespace fredsim
