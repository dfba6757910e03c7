// SPDX-License-Identifier: Apache-2.0
// Messages that quote what a user wrote, without all of it where that is long: who gave a file in place of a word is not shown the
// file.
//
// Cut to their first 100 characters, and "…": parts of more than 200 bytes that stand in one of `words`, such as those of a command
// line; that are without a blank, but for lists of numbers; that stand between quotes, but for CMake's command to paste. Characters
// of UTF-8 stay whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fredsim {

inline constexpr std::size_t kMaxQuoted = 200;  // bytes

std::string with_short_words(std::string_view message,
                             std::span<const std::string_view> words = {});

}  // namespace fredsim
