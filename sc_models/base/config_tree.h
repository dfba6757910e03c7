// SPDX-License-Identifier: Apache-2.0
// Configuration as a tree of keys, each with the place where it was written, before any key is
// interpreted.
//
// Read from YAML, restricted to maps, lists and single values. The entries of a list have their
// numbers as keys, from 1 on. Strict: aliases, duplicate keys, several documents and empty files
// are BadInput with file and line (and column for broken YAML). Overrides (`--set key.path=value`)
// replace or add entries, also in lists (`levels.2.uplinks=4`); their values are YAML, too.
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
  std::string where;   // source of the key: "configs/mesh.yaml:7" or "--set fabric.width=8"
  int line = 0;        // line of the value; 0: an override
  std::string text{};  // kValue
  std::vector<ConfigEntry> entries;  // kMap, kList: in the order written

  const ConfigNode* find(std::string_view key) const;  // nullptr if missing
};

struct ConfigEntry {
  std::string key;
  ConfigNode node;
};

// Reads the text of a file. BadInput if it cannot be read.
std::string read_config_text(const std::string& path);

// Tree of a file, always a map. BadInput also if the file cannot be read.
ConfigNode read_config_file(const std::string& path);

// Tree of a text; `source` replaces the file in messages.
ConfigNode parse_config_text(const std::string& text, const std::string& source);

// Tree of any text, which may also be a list or empty; YAML aliases become copies of their anchors.
ConfigNode parse_any_text(const std::string& text, const std::string& source);

// Applies "key.path=value" to the root. Messages name it with `from` as prefix: "--set
// key.path=value".
void apply_override(ConfigNode& root, const std::string& override_text,
                    const std::string& from = "--set ");

// Appends to the list at a key of the root, which is created if it is missing; `from` is the
// `where` of the entry.
void append_to_list(ConfigNode& root, const std::string& key, const std::string& text,
                    const std::string& from);

// `text` as a message shows it: at most 60 characters, control characters replaced.
std::string shown(std::string_view text);

}  // namespace fredsim
