// SPDX-License-Identifier: Apache-2.0
// Typed access to the keys of a YAML file: KeyValues of any, of machine files as well
// (config/config_reader.h); KeyReader of one map of another file, and those inside.
//
// With the rows of its kind of files (base/file_key.h): refuses other keys; values are in the range
//   of their row, and its default where they are left out. Without: allow() says the keys, and the
//   getters their ranges.
// Errors: BadInput with file and line, the key, what was found and what is allowed.
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

  virtual bool has(std::string_view key) const = 0;           // written, not a default
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
  // The text as written, or its default.
  virtual std::string written(std::string_view key) const = 0;
  // A value is asked for, of which `allowed` tells the range.
  virtual void note(std::string_view /*key*/,
                    const std::function<std::string()>& /*allowed*/) const {}
  virtual std::string_view no_integer() const { return {}; }  // in messages, of what is none
};

class KeyReader final : public KeyValues {
 public:
  // A whole file, or a list's entry where the file is a list. `node` and `file` must outlive the
  // reader.
  KeyReader(const ConfigNode& node, const FileKeys& file);
  // `path`: of the map in its file; empty: all of it.
  KeyReader(const ConfigNode& node, std::string path);

  // Refuses all other keys.
  void allow(std::initializer_list<std::string_view> names) const;
  // Refuses keys beside what stands in their place, and those without what must stand beside them.
  void check_together() const;
  bool has(std::string_view name) const override { return node_.find(name) != nullptr; }
  std::string label() const;                                // "graph.yaml:7: links.3"
  std::string label(std::string_view name) const override;  // of a key, or of the map without it
  const ConfigNode& node(std::string_view name) const;      // BadInput where the key is missing
  std::string text(std::string_view name) const override;
  double number(std::string_view name) const;  // without a row: 0 or more
  KeyReader map(std::string_view name) const;
  std::vector<KeyReader> list(std::string_view name) const;  // of maps
  // A list of single values, and where each is.
  std::vector<std::pair<std::string, std::string>> values(std::string_view name) const;

  // ---- in the range of the key's row, whose default it has where it is left out

  using KeyValues::integer, KeyValues::choice;
  int integer(std::string_view name) const;
  std::uint64_t whole(std::string_view name) const { return whole(name, 0); }
  std::uint64_t whole(std::string_view name, std::uint64_t max) const;  // 0: that of the row
  bool flag(std::string_view name) const;
  int choice(std::string_view name,
             std::span<const Alias> aliases) const;  // its place in the words
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
  std::string section_{};  // section of its rows
};

// `label`: where, and of what; empty: nothing but the place.
[[noreturn]] void refuse_key(const ConfigEntry& entry, std::string_view label,
                             std::span<const std::string_view> allowed,
                             std::span<const Alias> aliases = {});
// The place of `text` in `names`. BadInput with the nearest name, or all of them.
int index_of(std::string_view text, const std::string& label,
             std::span<const std::string_view> names, std::span<const Alias> aliases = {});
// `no_integer`: as of KeyValues.
int parse_integer(const std::string& text, const std::string& label, int low, int high,
                  std::string_view no_integer = {});
// A list with something in it; `form` as FileKey has it.
const ConfigNode& filled_list(const ConfigNode& node, const std::string& label,
                              std::string_view form);
// A number of a text, 0 or more.
double parse_decimal(const std::string& text, const std::string& label);

}  // namespace fredsim
