// SPDX-License-Identifier: Apache-2.0
// Typed access to the keys of a YAML file. KeyValues covers any file, machine files included
// (config/config_reader.h); KeyReader reads one map of another file, and the maps inside it.
//
// With the rows of its kind of files (base/file_key.h), a reader refuses unknown keys, checks
//   values against the range of their row, and returns the row's default for a missing key. Without
//   rows, allow() lists the keys and the getters take the ranges.
// Errors: BadInput with file and line, the key, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_tree.h"
#include "base/file_key.h"
#include "base/suggest.h"

namespace fredsim {

class KeyValues {
 public:
  virtual ~KeyValues() = default;

  virtual bool has(std::string_view key) const = 0;           // false for a default
  virtual std::string label(std::string_view key) const = 0;  // "graph.yaml:7: links.3.bandwidth"
  virtual std::string text(std::string_view key) const = 0;
  int integer(std::string_view key, int low, int high) const;
  bool boolean(std::string_view key) const;
  // Index of the value in `names`.
  int choice(std::string_view key, std::span<const std::string_view> names,
             std::span<const Alias> aliases = {}) const;
  std::uint64_t size(std::string_view key) const;  // bytes
  std::uint64_t time_ps(std::string_view key) const;
  std::uint64_t bandwidth(std::string_view key) const;  // bytes per second

 protected:
  // Text as written, or the default.
  virtual std::string written(std::string_view key) const = 0;
  // Called when a value is read; `allowed` describes its range.
  virtual void note(std::string_view /*key*/,
                    const std::function<std::string()>& /*allowed*/) const {}
  virtual std::string_view no_integer() const { return {}; }  // message for other values
};

class KeyReader final : public KeyValues {
 public:
  // Reads a whole file, or an entry of the list if the file is a list. `node` and `file` must
  // outlive the reader.
  KeyReader(const ConfigNode& node, const FileKeys& file);
  // `path`: path of the map in its file; empty: the whole file.
  KeyReader(const ConfigNode& node, std::string path);

  // Refuses all other keys.
  void allow(std::initializer_list<std::string_view> names) const;
  // Refuses a key together with the key that replaces it, and a key without the key that it
  // requires.
  void check_together() const;
  bool has(std::string_view name) const override { return node_.find(name) != nullptr; }
  std::string label() const;                                // "graph.yaml:7: links.3"
  std::string label(std::string_view name) const override;  // the map's if the key is missing
  const ConfigNode& node(std::string_view name) const;      // BadInput if the key is missing
  std::string text(std::string_view name) const override;
  double number(std::string_view name) const;  // without a row: 0 or more
  KeyReader map(std::string_view name) const;
  std::vector<KeyReader> list(std::string_view name) const;  // entries are maps
  // List of single values, each with its place.
  std::vector<std::pair<std::string, std::string>> values(std::string_view name) const;

  // ---- values in the range of the key's row; its default if the key is missing

  using KeyValues::integer, KeyValues::choice;
  int integer(std::string_view name) const;
  std::uint64_t whole(std::string_view name) const { return whole(name, 0); }
  std::uint64_t whole(std::string_view name, std::uint64_t max) const;  // max 0: max of the row
  bool flag(std::string_view name) const;
  int choice(std::string_view name,
             std::span<const Alias> aliases) const;  // index in the words of the row
  int choice(std::string_view name) const { return choice(name, std::span<const Alias>()); }

 private:
  KeyReader(const ConfigNode& node, std::string path, const FileKeys* file, std::string section);
  void check_keys() const;
  bool has_paths() const { return file_ == nullptr || file_->has_paths; }
  const FileKey& row(std::string_view name) const;
  std::string written(std::string_view name) const override;
  const ConfigNode& child(std::string_view name, ConfigNode::Kind kind) const;
  std::string path_of(std::string_view name) const;

  const ConfigNode& node_;
  std::string path_;
  const FileKeys* file_ = nullptr;
  std::string section_{};  // section of the rows
};

// Refuses an unknown key. `label`: place and object of the key; empty: place only.
[[noreturn]] void refuse_key(const ConfigEntry& entry, std::string_view label,
                             std::span<const std::string_view> allowed,
                             std::span<const Alias> aliases = {});
// Index of `text` in `names`. BadInput with the nearest name, or all of them.
int index_of(std::string_view text, const std::string& label,
             std::span<const std::string_view> names, std::span<const Alias> aliases = {});
// `no_integer`: as in KeyValues.
int parse_integer(const std::string& text, const std::string& label, int low, int high,
                  std::string_view no_integer = {});
// Checks that a node is a list with at least one entry; `form`: as in FileKey.
const ConfigNode& filled_list(const ConfigNode& node, const std::string& label,
                              std::string_view form);
// Parses a decimal number, 0 or more.
double parse_decimal(const std::string& text, const std::string& label);

}  // namespace fredsim
