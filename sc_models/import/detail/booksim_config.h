// SPDX-License-Identifier: Apache-2.0
// Configuration files of BookSim2 as keys and values.
//
//   // comment
//   key = value;      number, word, {list} or name(arguments)
// Errors: BadInput with file and line: a statement without '=', a missing ';', a key that is not a
//   word, a number that is none or out of range.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fredsim {

class BooksimConfig {
 public:
  BooksimConfig(const std::string& path, const std::string& text);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  std::string label(std::string_view key) const;  // "meshconfig:45: k"
  // Values, or the default of BookSim2, in the same range. Of a list: its first entry.
  std::string text(std::string_view key, std::string_view missing) const;
  int integer(std::string_view key, int min, int max, int missing) const;
  double number(std::string_view key, double missing) const;
  bool is_list(std::string_view key) const;

  struct Value {
    std::string text;
    int line = 0;
  };
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }

 private:
  void add(const std::string& statement, int line);

  std::string path_;
  std::map<std::string, Value, std::less<>> values_;
};

// True for a listing of links, the `network_file` of topology anynet.
bool is_anynet_listing(const std::string& text);

}  // namespace fredsim
