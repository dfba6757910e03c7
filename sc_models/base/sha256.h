// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a text (FIPS 180-4), by OpenSSL: a name for what a file was made from.
//
// Errors: std::bad_alloc where the library refuses, as it does without memory alone.
#pragma once

#include <string>
#include <string_view>

namespace fredsim {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace fredsim
