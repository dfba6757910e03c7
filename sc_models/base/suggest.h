// SPDX-License-Identifier: Apache-2.0
// The end of messages about a word that is not allowed: the nearest one that is, alone, or else the list of them.
//
// Nearest, the first that there is: a word that differs in case, '-' and '_' alone, or that other tools call so (Alias); a
// single edit; a word that begins with it, or has the same parts ("latency": link_latency); edits of up to a third of the longer word.
// Lists take a line of a terminal at most; a longer one ends in "… (12 more)".
// Errors: none; a word that is near none gets the list.
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

// One of `words`, the first of equals; empty where none is near.
std::string_view nearest_word(std::string_view found, std::span<const std::string_view> words,
                              std::span<const Alias> aliases = {});

// The same, but only another spelling or another name of a word.
std::string_view same_word(std::string_view found, std::span<const std::string_view> words,
                           std::span<const Alias> aliases = {});

struct Advice {
  std::span<const Alias> aliases = {};
  std::string_view last = "or";  // between the last two of a list
  std::string_view more = {};    // a command that prints all of a list
  std::string_view none = {};    // in place of an empty list
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
