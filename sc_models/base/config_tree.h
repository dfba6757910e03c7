// SPDX-License-Identifier: Apache-2.0
// A configuration as a tree of keys with the place each was written, before anyone
// knows what it means.
//
// Read from YAML, of which a configuration uses maps, lists and single values. The entries of a
// list have their numbers for keys, from 1 on. Strict: aliases, duplicate keys, several documents,
// empty files are BadInput with file, line (and column for broken YAML). Overrides (`--set
// key.path=value`) replace or add entries, in lists as well (`levels.2.uplinks=4`); the value is
// YAML too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

struct ConfigEntry;

struct ConfigNode {
  enum class Kind : std::uint8_t { kEmpty, kValue, kMap, kList };
  Kind kind = Kind::kEmpty;
  std::string where;                 // source of the key: "configs/mesh.yaml:7" or "--set
                                     // fabric.width=8"
  int line = 0;                      // line of the value; 0: an override
  std::string text{};                // kValue
  std::vector<ConfigEntry> entries;  // kMap, kList: in the order written

  const ConfigNode* find(std::string_view key) const;  // nullptr where there is none
};

struct ConfigEntry {
  std::string key;
  ConfigNode node;
};

// BadInput where the file cannot be read.
std::string read_config_text(const std::string& path);

// The tree of a file: always a map. BadInput also where the file cannot be read.
ConfigNode read_config_file(const std::string& path);

// The same of a text; `source` stands for the file in messages.
ConfigNode parse_config_text(const std::string& text, const std::string& source);

// The same of a text that may hold anything, a list or nothing as well; YAML aliases are copies of
// what they stand for.
ConfigNode parse_any_text(const std::string& text, const std::string& source);

// Applies "key.path=value" to the root. Messages name it with `from` in front: "--set
// key.path=value".
void apply_override(ConfigNode& root, const std::string& override_text,
                    const std::string& from = "--set ");

// Appends to the list at a key of the root, which becomes one where there is none; `from` as where
// of the entry.
void append_to_list(ConfigNode& root, const std::string& key, const std::string& text,
                    const std::string& from);

// `text` as a message shows it: at most 60 characters, control characters replaced.
std::string shown(std::string_view text);

}  // namespace fredsim
