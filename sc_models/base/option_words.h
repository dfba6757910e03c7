// SPDX-License-Identifier: Apache-2.0
// Values of options that are words, and lists of them.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"

namespace fredsim {

// Fields between separators, empty ones too; one at least.
std::vector<std::string_view> split_at(std::string_view text, char separator);

// Words with blanks between them.
std::vector<std::string_view> words_in(std::string_view text);

[[noreturn]] void refuse_word(std::string_view option, const std::string& found,
                              std::span<const std::string_view> allowed,
                              std::span<const Alias> aliases = {});
// The place of a word among those that are allowed.
std::size_t parse_word(std::string_view option, const std::string& text,
                       std::span<const std::string_view> allowed,
                       std::span<const Alias> aliases = {});

}  // namespace fredsim
