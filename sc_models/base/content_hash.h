// SPDX-License-Identifier: Apache-2.0
// Hash of contents, 128 bits (XXH3 of the xxHash library): equal contents have equal hashes on
// every machine, and different ones collide only by chance. It does not protect against deliberate
// collisions.
// Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fredsim {

inline constexpr std::size_t kHashDigits = 32;

// Hexadecimal digits, lower case.
std::string content_hash(std::string_view content);

}  // namespace fredsim
