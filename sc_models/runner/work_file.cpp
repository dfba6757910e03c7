// SPDX-License-Identifier: Apache-2.0
#include "runner/work_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/yaml_problem.h"
#include "runner/group_members.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr auto kKeys =
    std::to_array<std::string_view>({"collective", "groups", "size", "priority", "algorithm",
                                     "root", "roots", "start", "name", "after", "delay", "repeat"});
constexpr auto kKeyAliases = std::to_array<Alias>({{"collective", "type kind op name comm_type"},
                                                   {"size", "bytes comm_size"},
                                                   {"groups", "ranks members npus"},
                                                   {"after", "depends deps depends_on wait"},
                                                   {"delay", "pause gap"},
                                                   {"priority", "vc"}});
constexpr auto kAfterKeys = std::to_array<std::string_view>({"name", "rank"});
constexpr auto kRanks = std::to_array<std::string_view>({"own", "all"});

class WorkReader {
 public:
  explicit WorkReader(std::string path) : path_(std::move(path)) {}

  std::vector<WorkItem> read() {
    YAML::Node root;
    try {
      root = YAML::Load(read_yaml_text(path_, "--work"));
    } catch (const YAML::Exception& error) {
      throw BadInput(
          fmt::format("{}:{}: not YAML: {}", path_, error.mark.line + 1, yaml_problem(error)));
    }
    if (!root.IsSequence() || root.size() == 0) {
      throw BadInput(
          fmt::format("{}: found no list; allowed: a list of collectives, each with '- ' "
                      "and keys",
                      path_));
    }
    std::vector<WorkItem> items;
    for (const YAML::Node& node : root) {
      afters_.emplace_back();
      places_.push_back(place(node));
      items.push_back(item(node));
    }
    resolve(items);
    return items;
  }

 private:
  struct NamedAfter {
    std::string place;
    std::string name;
    bool all_ranks = false;
  };

  std::string place(const YAML::Node& node, const std::string& key = "") const {
    return fmt::format("{}:{}{}", path_, node.Mark().line + 1, key.empty() ? "" : ": " + key);
  }

  std::string value(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) throw BadInput(place(node, key) + ": a single value is wanted");
    return node.Scalar();
  }

  // A checked value's message, with the place in front.
  template <class Parse>
  auto located(const YAML::Node& node, const std::string& key, const Parse& parse) const {
    const std::string text = value(node, key);
    try {
      return parse(text);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{}: {}", place(node), error.what()));
    }
  }

  WorkItem item(const YAML::Node& node) {
    if (!node.IsMap()) throw BadInput(place(node) + ": a collective's keys are wanted");
    WorkItem item;
    item.groups = {{}};
    std::vector<std::string> seen;
    for (const auto& entry : node) {
      const std::string key = value(entry.first, "a key");
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        throw BadInput(fmt::format("{}: found the key '{}'; {}", place(entry.first), shown(key),
                                   advice(key, kKeys, {.aliases = kKeyAliases, .last = "and"})));
      }
      if (std::ranges::find(seen, key) != seen.end())
        throw BadInput(place(entry.first, key) + ": found twice");
      seen.push_back(key);
      set(item, key, entry.second);
    }
    if (std::ranges::find(seen, "collective") == seen.end())
      throw BadInput(place(node) + ": the key 'collective' is missing");
    return item;
  }

  void set(WorkItem& item, const std::string& key, const YAML::Node& node) {
    if (key == "groups") {
      item.groups = groups(node);
    } else if (key == "collective") {
      item.collective = located(node, key, parse_collective);
    } else if (key == "algorithm") {
      item.algorithm = value(node, key);
    } else if (key == "priority") {
      item.vc = located(node, key, parse_priority);
    } else if (key == "size") {
      item.size = located(
          node, key, [&](const std::string& text) { return parse_collective_size(text, key); });
    } else if (key == "root") {
      item.root = static_cast<int>(number(node, key));
    } else if (key == "roots") {
      item.roots = static_cast<int>(number(node, key, 1));
    } else if (key == "name") {
      item.name = value(node, key);
      if (item.name.empty()) throw BadInput(place(node, key) + ": found nothing; allowed: a name");
    } else if (key == "after") {
      if (!node.IsSequence()) {
        after(node);
      } else {
        for (const YAML::Node& one : node) after(one);
      }
    } else if (key == "repeat") {
      item.repeat = number(node, key, 1);
    } else {
      const bool is_start = key == "start";
      time(node, key, is_start ? item.start_cycles : item.delay_cycles,
           is_start ? item.start_ps : item.delay_ps);
    }
  }

  void time(const YAML::Node& node, const std::string& key, std::uint64_t& cycles,
            std::uint64_t& picoseconds) const {
    if (std::ranges::all_of(value(node, key),
                            [](unsigned char c) { return std::isdigit(c) != 0; })) {
      cycles = number(node, key);
    } else {
      picoseconds = located(node, key, [&](const std::string& text) {
        return parse_time_ps(text, key + " (or a number of cycles)");
      });
    }
  }

  std::uint64_t number(const YAML::Node& node, const std::string& key,
                       std::uint64_t min = 0) const {
    return located(node, key, [&](const std::string& text) {
      return parse_number(text, key, min, std::numeric_limits<int>::max());
    });
  }

  // A name, or a map with it.
  void after(const YAML::Node& node) {
    NamedAfter& found = afters_.back().emplace_back();
    found.place = place(node, "after");
    if (!node.IsMap()) {
      found.name = value(node, "after");
      return;
    }
    for (const auto& entry : node) {
      const std::string key = value(entry.first, "a key");
      check_word(entry.first, "after", key, kAfterKeys);
      const std::string text = value(entry.second, "after: " + key);
      if (key == "name") {
        found.name = text;
        continue;
      }
      check_word(entry.second, "after: rank", text, kRanks);
      found.all_ranks = text == "all";
    }
    if (found.name.empty()) throw BadInput(found.place + ": the key 'name' is missing");
  }

  void check_word(const YAML::Node& node, const std::string& key, const std::string& found,
                  std::span<const std::string_view> allowed) const {
    if (std::ranges::find(allowed, found) != allowed.end()) return;
    throw BadInput(
        fmt::format("{}: found '{}'; {}", place(node, key), found, advice(found, allowed)));
  }

  // Names become places in the list.
  void resolve(std::vector<WorkItem>& items) const {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].name.empty()) continue;
      if (std::ranges::find(names, items[i].name) != names.end())
        throw BadInput(fmt::format("{}: name: found '{}' twice", places_[i], items[i].name));
      names.push_back(items[i].name);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (const NamedAfter& after : afters_[i]) {
        const auto found = std::ranges::find(items, after.name, &WorkItem::name);
        if (found == items.end()) {
          throw BadInput(fmt::format(
              "{}: found '{}'; {}", after.place, after.name,
              advice(after.name, names, {.none = "a collective's name, none has one"})));
        }
        items[i].after.push_back({static_cast<int>(found - items.begin()), after.all_ranks});
      }
    }
    for (std::size_t i = 0; i < items.size(); ++i) check_circle(items, static_cast<int>(i));
  }

  // Refuses an item that depends on itself, directly or by way of others.
  void check_circle(const std::vector<WorkItem>& items, int first) const {
    std::vector<int> reached{first};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const WorkItem::After& after : items[reached[next]].after) {
        if (after.item == first) {
          throw BadInput(
              fmt::format("{}: after: found a circle, '{}' comes after itself; allowed: "
                          "an order without one",
                          places_[first], items[first].name));
        }
        if (std::ranges::find(reached, after.item) == reached.end()) reached.push_back(after.item);
      }
    }
  }

  std::vector<int> members(const YAML::Node& node) const {
    const std::string text = value(node, "groups");
    if (std::optional<std::vector<int>> found = parse_members(text)) return std::move(*found);
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: a rank of 0 or more, a range such as 0-3, an I/O "
                    "controller such as "
                    "io0, all, io:all or io:each",
                    place(node, "groups"), text));
  }

  std::vector<std::vector<int>> groups(const YAML::Node& node) const {
    if (node.IsScalar() && node.Scalar() == "all") return {{}};
    const auto check_list = [&](const YAML::Node& list) {
      if (list.IsSequence()) return;
      throw BadInput(place(list, "groups") + ": allowed: all, or lists such as [[0, 1], [2, 3]]");
    };
    check_list(node);
    std::vector<std::vector<int>> groups;
    for (const YAML::Node& group : node) {
      check_list(group);
      std::vector<int>& ranks = groups.emplace_back();
      for (const YAML::Node& member : group) {
        const std::vector<int> more = members(member);
        ranks.insert(ranks.end(), more.begin(), more.end());
      }
      if (ranks.empty()) throw BadInput(place(group, "groups") + ": a group without members");
    }
    if (groups.empty()) throw BadInput(place(node, "groups") + ": a list without groups");
    return groups;
  }

  std::string path_;
  std::vector<std::vector<NamedAfter>> afters_;  // by item
  std::vector<std::string> places_;              // by item
};

std::vector<std::vector<std::uint64_t>> rows_of_csv(const std::string& text,
                                                    const std::string& path) {
  std::vector<std::vector<std::uint64_t>> rows;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::ranges::replace_if(
        line, [](char c) { return c == ',' || c == ';' || c == '\r'; }, ' ');
    std::istringstream fields(line);
    std::vector<std::uint64_t> row;
    for (std::string field; fields >> field;) {
      row.push_back(
          parse_number(field, fmt::format("--matrix {}:{}", path, number), 0, kMaxCollectiveBytes));
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

std::string json_shown(const nlohmann::json& value) {
  return shown(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

nlohmann::json parsed_json(const std::string& text, const std::string& path) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto before = text.substr(0, error.byte);
    throw BadInput(
        fmt::format("--matrix {}:{}: found no JSON; allowed: lists such as [[0, 512], [512, 0]]",
                    path, 1 + std::ranges::count(before, '\n')));
  } catch (const nlohmann::json::exception&) {
    throw BadInput(fmt::format(
        "--matrix {}: found a number that is too large; allowed: whole numbers of bytes", path));
  }
}

std::vector<std::vector<std::uint64_t>> rows_of_json(const std::string& text,
                                                     const std::string& path) {
  const nlohmann::json matrix = parsed_json(text, path);
  std::vector<std::vector<std::uint64_t>> rows;
  for (const auto& row : matrix) {
    if (!row.is_array()) {
      throw BadInput(fmt::format("--matrix {}: found {}; allowed: lists of whole numbers of bytes",
                                 path, json_shown(row)));
    }
    rows.emplace_back();
    for (const auto& size : row) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > kMaxCollectiveBytes) {
        throw BadInput(fmt::format("--matrix {}: found {}; allowed: whole numbers of bytes", path,
                                   json_shown(size)));
      }
      rows.back().push_back(size.get<std::uint64_t>());
    }
  }
  return rows;
}

constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 26;

std::string read_text(const std::string& path, const char* option, std::size_t max) {
  std::optional<std::string> text = file_text(path, max);
  if (!text) {
    throw BadInput(fmt::format("{}: {}: cannot be read: {}", option, path,
                               std::generic_category().message(errno)));
  }
  return std::move(*text);
}

}  // namespace

std::string read_yaml_text(const std::string& path, const char* option) {
  return read_text(path, option, kMaxYamlBytes);
}

std::vector<WorkItem> read_work_file(const std::string& path) { return WorkReader(path).read(); }

std::vector<std::uint64_t> read_matrix(const std::string& path) {
  const std::string text = read_text(path, "--matrix", kMaxFileBytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '[';
  const auto rows = json ? rows_of_json(text, path) : rows_of_csv(text, path);
  std::vector<std::uint64_t> matrix;
  for (const auto& row : rows) {
    if (row.size() != rows.size()) {
      throw BadInput(
          fmt::format("--matrix {}: found {} rows and one of {} sizes; allowed: as many "
                      "sizes in every row as there are rows",
                      path, rows.size(), row.size()));
    }
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}

}  // namespace fredsim
