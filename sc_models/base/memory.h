// SPDX-License-Identifier: Apache-2.0
// Memory that a process may still take.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace fredsim {

inline constexpr std::uint64_t kUnknownMemory = std::numeric_limits<std::uint64_t>::max();

// Available bytes: the minimum of the machine's free memory (MemAvailable), the limit of the
// control group and the remainder of the process's own limit (ulimit -v). kUnknownMemory if none of
// them is known.
std::uint64_t available_memory();

// Bytes of "MemAvailable:   123 kB" in the text of /proc/meminfo.
std::optional<std::uint64_t> mem_available(std::string_view meminfo);

}  // namespace fredsim
