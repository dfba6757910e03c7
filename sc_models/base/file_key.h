// SPDX-License-Identifier: Apache-2.0
// Keys of a kind of files as rows: what stands under each, its default, range and unit. Readers
// (base/key_reader.h), schemas and reference pages (config/file_schema.h) are made from them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/option_words.h"
#include "base/suggest.h"

namespace fredsim {

// kValue: a number and its unit; kText: any text or number; kWord: one of some words; kList: of
// entries with keys; kWords: a list of texts; kNames, kValues: integers, and numbers with units,
// under names that the schema does not know; kNumber: a number without unit; kOther: what
// FileKey::schema says
enum class Holds : std::uint8_t {
  kValue,
  kText,
  kWord,
  kKeys,
  kList,
  kWords,
  kInteger,
  kBoolean,
  kNames,
  kValues,
  kNumber,
  kOther
};

struct FileKey {
  std::string_view path;  // a key of an entry of a list without its number: "layers.flops"; empty:
                          // the whole file, which is a list then
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value = {};  // default; empty: the key is needed, or stands for nothing
                                        // when left out
  bool is_optional = false;             // may be left out although it has no default
  double min = 0, max = 0;              // kInteger, kNumber; max 0: no limit
  std::string_view unit = {};           // kValue: "size", "time", "bandwidth"
  std::string_view words = {};          // kWord: its words, blanks between
  std::string_view aliases = {};        // names that others have for it, blanks between, for hints
  std::string_view instead = {};        // key that may stand in its place, not beside it
  std::string_view with = {};           // key that must stand beside it
  std::string_view form = {};           // lists and kOther: for pages and messages
  std::string_view schema = {};         // kOther: as JSON
};

struct FileKeys {
  std::string_view name;    // as `fredsim schema` takes it: "model"
  std::string_view title;   // "model files"
  std::string_view given;   // how a command gets such a file, in Markdown
  std::string_view source;  // file with the rows
  std::span<const FileKey> keys;
  std::string_view what = {};  // names the file in messages about unknown keys
  bool has_paths = false;  // messages have the path of a key, "links.3.bandwidth"; else its name

  const FileKey* find(std::string_view section, std::string_view key) const;
  // Rows of a section, "layers"; empty: of the whole file.
  std::vector<const FileKey*> inside(std::string_view section) const;
  std::vector<std::string_view> names_in(std::string_view section) const;
  std::vector<Alias> aliases_in(std::string_view section) const;
};

// "transformer.hidden": its section, "transformer", and its name, "hidden".
std::string_view parent(std::string_view path);
std::string_view leaf(std::string_view path);

}  // namespace fredsim
