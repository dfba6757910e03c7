// SPDX-License-Identifier: Apache-2.0
// The nearest right word for a misspelt one, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fredsim {

// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. Letters that differ only
// in case are equal.
int edit_distance(std::string_view a, std::string_view b);

// "; did you mean 'width'?" for the nearest candidate within a third of the longer word (at least
// one edit), the first of equals; empty where none is near.
std::string did_you_mean(std::string_view found, std::span<const std::string_view> candidates);

// "a, b or c"; `last` is the word before the last one.
std::string join_words(std::span<const std::string_view> words, std::string_view last = "or");

}  // namespace fredsim
