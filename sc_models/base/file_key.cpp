// SPDX-License-Identifier: Apache-2.0
#include "base/file_key.h"

#include <algorithm>

namespace fredsim {

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::vector<const FileKey*> FileKeys::inside(std::string_view section) const {
  std::vector<const FileKey*> rows;
  for (const FileKey& key : keys)
    if (!key.path.empty() && parent(key.path) == section) rows.push_back(&key);
  return rows;
}

const FileKey* FileKeys::find(std::string_view section, std::string_view key) const {
  for (const FileKey* const row : inside(section))
    if (leaf(row->path) == key) return row;
  return nullptr;
}

std::vector<std::string_view> FileKeys::names_in(std::string_view section) const {
  std::vector<std::string_view> names;
  for (const FileKey* const key : inside(section)) names.push_back(leaf(key->path));
  return names;
}

std::vector<Alias> FileKeys::aliases_in(std::string_view section) const {
  std::vector<Alias> aliases;
  for (const FileKey* const key : inside(section))
    if (!key->aliases.empty()) aliases.push_back({leaf(key->path), key->aliases});
  return aliases;
}

}  // namespace fredsim
