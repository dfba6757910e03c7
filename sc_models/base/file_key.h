// SPDX-License-Identifier: Apache-2.0
// Keys of a kind of files, one row per key: meaning, default, range and unit. Readers
// (base/key_reader.h), schemas and reference pages (config/file_schema.h) are generated from the
// rows.
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
  std::string_view path;  // without list indices: "layers.flops"; empty: the file is a list
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value = {};  // empty: key is required, or has no effect if missing
  bool is_optional = false;             // may be missing although it has no default
  double min = 0, max = 0;              // kInteger, kNumber; max 0: no limit
  std::string_view unit = {};           // kValue: "size", "time", "bandwidth"
  std::string_view words = {};          // kWord: its words, separated by blanks
  std::string_view aliases = {};        // names in other simulators, separated by blanks, for hints
  std::string_view instead = {};        // key that may replace it, but not be given with it
  std::string_view with = {};           // key that must be given with it
  std::string_view form = {};           // lists and kOther: form in pages and messages
  std::string_view schema = {};         // kOther: JSON schema
};

struct FileKeys {
  std::string_view name;    // argument of `fredsim schema`: "model"
  std::string_view title;   // "model files"
  std::string_view given;   // how a command takes such a file, in Markdown
  std::string_view source;  // file with the rows
  std::span<const FileKey> keys;
  std::string_view what = {};  // names the file in messages about unknown keys
  bool has_paths = false;  // messages contain the path of a key, "links.3.bandwidth"; else its name

  const FileKey* find(std::string_view section, std::string_view key) const;
  // Rows of a section, "layers"; empty: rows of the whole file.
  std::vector<const FileKey*> inside(std::string_view section) const;
  std::vector<std::string_view> names_in(std::string_view section) const;
  std::vector<Alias> aliases_in(std::string_view section) const;
};

// Split "transformer.hidden" into its section, "transformer", and its name, "hidden".
std::string_view parent(std::string_view path);
std::string_view leaf(std::string_view path);

}  // namespace fredsim
