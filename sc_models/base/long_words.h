// SPDX-License-Identifier: Apache-2.0
// Messages that quote a user's words, shortened where these are long: a user who gave a file's text
// in place of a word does not get it back.
//
// Three kinds of parts are cut to their first 100 characters and "…": parts of more than 200 bytes
// that are in one of `words`, such as a command line's; words without a blank, but for lists of
// numbers; quoted text, but for CMake's command to paste. Characters of UTF-8 stay whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fredsim {

inline constexpr std::size_t kMaxQuoted = 200;  // maximum, bytes

std::string with_short_words(std::string_view message,
                             std::span<const std::string_view> words = {});

}  // namespace fredsim
