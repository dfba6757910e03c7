// SPDX-License-Identifier: Apache-2.0
// The end of messages about a word that is not allowed: the nearest allowed word alone, or else the
// list of all.
//
// Nearest word, by the first rule that finds one: equal except for case, '-' and '_', or a name in
// other tools (Alias); one edit away; beginning with the word, or with the same parts ("latency":
// link_latency); edits of up to a third of the longer word.
// Errors: none; a word without a near one gets the list.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fredsim {

// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. Letters that differ only
// in case are equal.
int edit_distance(std::string_view a, std::string_view b);

// Names that other tools and papers have for a word, blanks between them.
struct Alias {
  std::string_view word;
  std::string_view others;
};

// Nearest of `words`, the first on a tie; empty if none is near.
std::string_view nearest_word(std::string_view found, std::span<const std::string_view> words,
                              std::span<const Alias> aliases = {});

// Word that differs in spelling only, or has `found` as another name.
std::string_view same_word(std::string_view found, std::span<const std::string_view> words,
                           std::span<const Alias> aliases = {});

struct Advice {
  std::span<const Alias> aliases = {};
  std::string_view last = "or";  // word between the last two of a list
  std::string_view more = {};    // a command that prints all of a list
  std::string_view none = {};    // text in place of an empty list
};
// "did you mean 'width'?", or "allowed: width, height or depth".
std::string advice(std::string_view found, std::span<const std::string_view> words,
                   const Advice& form = {});

// "a, b or c"; `last` is the word before the last one.
std::string join_words(std::span<const std::string_view> words, std::string_view last = "or");
// A list cut at a line: "a, b, c … (12 more: fredsim info --machines)".
std::string list_words(std::span<const std::string_view> words, std::string_view last = "or",
                       std::string_view more = {});

}  // namespace fredsim
