// SPDX-License-Identifier: Apache-2.0
// Parses option values that are words or lists of words.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"

namespace fredsim {

// Fields between separators, empty fields included; at least one.
std::vector<std::string_view> split_at(std::string_view text, char separator);

// Words separated by blanks.
std::vector<std::string_view> words_in(std::string_view text);

[[noreturn]] void refuse_word(std::string_view option, const std::string& found,
                              std::span<const std::string_view> allowed,
                              std::span<const Alias> aliases = {});
// Index of a word in `allowed`.
std::size_t parse_word(std::string_view option, const std::string& text,
                       std::span<const std::string_view> allowed,
                       std::span<const Alias> aliases = {});

}  // namespace fredsim
