// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a text (FIPS 180-4), by OpenSSL: a name for the input that a file was made from.
//
// Errors: std::bad_alloc if the library refuses, which only lack of memory causes.
#pragma once

#include <string>
#include <string_view>

namespace fredsim {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace fredsim
