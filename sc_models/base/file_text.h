// SPDX-License-Identifier: Apache-2.0
// The text of a file that a user has named.
//
// Purpose: files that a library or the command line reads as a whole; configurations have a limit of their own.
// Errors: file_text() throws none; without a text, errno says why: it is not there, is a folder, …; EFBIG: it has more than `most` bytes, as a
//   device without an end has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace fredsim {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

// Text of a file; "" if it is empty.
std::optional<std::string> file_text(const std::string& path, std::size_t max = kMaxFileBytes);

// Text of a file that an option names; YAML, whose readers keep more than the text, has a lower limit. BadInput where it has none.
std::string text_of_option(const std::string& path, const char* option,
                           std::size_t max = kMaxFileBytes);
std::string yaml_of_option(const std::string& path, const char* option);

}  // namespace fredsim
