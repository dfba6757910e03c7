// SPDX-License-Identifier: Apache-2.0
// The text of a file that a user has named.
//
// Purpose: files that a library or the command line reads as a whole; configurations have a limit
// of their own.
// Errors: file_text() does not throw; if it returns no text, errno has the reason: no such file, a
//   folder, …. EFBIG: the file has more than `max` bytes, like a device without an end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace fredsim {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

// Text of a file; "" if it is empty.
std::optional<std::string> file_text(const std::string& path, std::size_t max = kMaxFileBytes);

// Text of a file that an option names. YAML has a lower limit, since its readers keep more than the
// text. BadInput if the file has no readable text.
std::string text_of_option(const std::string& path, const char* option,
                           std::size_t max = kMaxFileBytes);
std::string yaml_of_option(const std::string& path, const char* option);

}  // namespace fredsim
