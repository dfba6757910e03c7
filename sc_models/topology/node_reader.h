// SPDX-License-Identifier: Apache-2.0
// Typed access to the keys of a YAML file that is no machine file: one map of it, and those inside.
// Errors: BadInput with file and line, the key by its path ("links.3.bandwidth"), what was found and what is allowed.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_tree.h"
#include "base/suggest.h"

namespace fredsim {

class NodeReader {
 public:
  // `path`: of the map in its file; empty: all of it. `node` must outlive the reader.
  NodeReader(const ConfigNode& node, std::string path);

  // Refuses all other keys.
  void allow(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return node_.find(name) != nullptr; }
  std::string label() const;                       // "graph.yaml:7: links.3"
  std::string label(std::string_view name) const;  // of a key, or of the map where it has none
  std::string text(std::string_view name) const;
  int integer(std::string_view name, int low, int high) const;
  double number(std::string_view name) const;  // >= 0
  int choice(std::string_view name, std::span<const std::string_view> names,
             std::span<const Alias> aliases = {}) const;
  NodeReader map(std::string_view name) const;
  std::vector<NodeReader> list(std::string_view name) const;  // of maps
  // A list of single values, and where each is.
  std::vector<std::pair<std::string, std::string>> values(std::string_view name) const;

 private:
  const ConfigNode& child(std::string_view name, ConfigNode::Kind kind) const;
  std::string path_of(std::string_view name) const;

  const ConfigNode& node_;
  std::string path_;
};

// A number of a text, 0 or more.
double parse_decimal(const std::string& text, const std::string& label);

}  // namespace fredsim
