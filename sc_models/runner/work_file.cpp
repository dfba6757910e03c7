// SPDX-License-Identifier: Apache-2.0
#include "runner/work_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "base/units.h"
#include "runner/detail/group_members.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr std::string_view kListOfWorks = "list of collectives, each with '- ' and keys";
constexpr double kMaxNumber = std::numeric_limits<int>::max();

constexpr auto kKeys = std::to_array<FileKey>({
    {.path = "",
     .meaning =
         "collectives that run at the same time, except where `after` and `delay` order them",
     .holds = Holds::kList,
     .form = kListOfWorks},
    {.path = "collective",
     .meaning = "collective, as for --collective",
     .holds = Holds::kText,
     .aliases = "type kind op name comm_type"},
    {.path = "groups",
     .meaning = "all, or lists of NPUs (with --placement, worker ranks) and I/O controllers, as "
                "for --group",
     .holds = Holds::kOther,
     .default_value = "all",
     .aliases = "ranks members npus",
     .form = "`all`, or a list of groups such as `[[0, 1], [2-3, io0]]`",
     .schema = R"({"anyOf": [{"const": "all"}, {"type": "array", "minItems": 1, "items": {"type":
                   "array", "minItems": 1, "items": {"type": ["integer", "string"]}}}]})"},
    {.path = "size",
     .meaning = "size, as for --size; default: the value of --size",
     .is_optional = true,
     .unit = "size",
     .aliases = "bytes comm_size"},
    {.path = "priority",
     .meaning = "virtual channel: mp, pp, dp or control; default: the value of --priority",
     .holds = Holds::kText,
     .is_optional = true,
     .aliases = "vc"},
    {"algorithm", "algorithm, as for --algorithm; default: the value of --algorithm", Holds::kText,
     "", true},
    {.path = "root",
     .meaning = "root, as for --root",
     .holds = Holds::kInteger,
     .is_optional = true,
     .max = kMaxNumber},
    {.path = "roots",
     .meaning = "number of roots, as for --roots",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxNumber},
    {.path = "start",
     .meaning = "earliest time at which anything is sent, from the beginning of the run",
     .holds = Holds::kOther,
     .default_value = "0",
     .form = "time, or a number of cycles",
     .schema = R"({"type": ["integer", "string"]})"},
    {"name", "name, for `after` of other collectives", Holds::kText, "", true},
    {.path = "after",
     .meaning =
         "predecessors. An NPU begins when its own part in them is complete (own) or, if it has no "
         "part there, when all parts are; with all, every NPU waits for all parts. A part is "
         "complete when its results have arrived and its last packet has been handed to the NIC",
     .holds = Holds::kOther,
     .is_optional = true,
     .aliases = "depends deps depends_on wait",
     .form = "a name, `{name: NAME, rank: own}` or `all`, or a list of these",
     .schema = R"({"definitions": {"one": {"anyOf": [{"type": ["string", "number"]}, {"type":
                   "object", "properties": {"name": {"type": ["string", "number"]}, "rank": {"enum":
                   ["own", "all"]}}, "required": ["name"], "additionalProperties": false}]}},
                   "anyOf": [{"$ref": "#/items/properties/after/definitions/one"}, {"type": "array",
                   "items": {"$ref": "#/items/properties/after/definitions/one"}}]})"},
    {.path = "delay",
     .meaning = "time between the end of the predecessors, or the beginning of the run, and its "
                "own beginning",
     .holds = Holds::kOther,
     .default_value = "0",
     .aliases = "pause gap",
     .form = "time, or a number of cycles",
     .schema = R"({"type": ["integer", "string"]})"},
    {.path = "repeat",
     .meaning = "number of runs, each after the one before (own) and after the delay; successors "
                "wait for the last run",
     .holds = Holds::kInteger,
     .default_value = "1",
     .min = 1,
     .max = kMaxNumber,
     .aliases = "times count"},
});
constexpr auto kAfterKeys = std::to_array<std::string_view>({"name", "rank"});
constexpr auto kRanks = std::to_array<std::string_view>({"own", "all"});

class WorkReader {
 public:
  explicit WorkReader(std::string path) : path_(std::move(path)) {}

  std::vector<WorkItem> read() {
    const ConfigNode root = parse_any_text(yaml_of_option(path_, "--work"), path_);
    std::vector<WorkItem> items;
    for (const ConfigEntry& entry : filled_list(root, path_, kListOfWorks).entries) {
      if (entry.node.kind != ConfigNode::Kind::kMap)
        throw BadInput(place(entry.node) + ": a collective's keys are wanted");
      afters_.emplace_back();
      places_.push_back(place(entry.node));
      items.push_back(item({entry.node, work_file_keys()}));
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

  std::string place(const ConfigNode& node, std::string_view key = "") const {
    return fmt::format("{}:{}{}{}", path_, node.line, key.empty() ? "" : ": ", key);
  }

  const std::string& value(const ConfigNode& node, std::string_view key) const {
    if (node.kind != ConfigNode::Kind::kValue)
      throw BadInput(place(node, key) + ": a single value is wanted");
    return node.text;
  }

  // Prefixes the message of a failed check with the place.
  template <class Parse>
  auto located(const KeyReader& keys, std::string_view key, const Parse& parse) const {
    const ConfigNode& node = keys.node(key);
    const std::string& text = value(node, key);
    try {
      return parse(text);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{}: {}", place(node), error.what()));
    }
  }

  WorkItem item(const KeyReader& keys) {
    WorkItem item;
    item.groups = {{}};
    item.collective = located(keys, "collective", parse_collective);
    if (keys.has("groups")) item.groups = groups(keys.node("groups"));
    if (keys.has("algorithm")) item.algorithm = value(keys.node("algorithm"), "algorithm");
    if (keys.has("priority")) item.vc = located(keys, "priority", parse_priority);
    if (keys.has("size"))
      item.size = located(keys, "size", [](const std::string& text) {
        return parse_collective_size(text, "size");
      });
    if (keys.has("root")) item.root = static_cast<int>(number(keys, "root"));
    if (keys.has("roots")) item.roots = static_cast<int>(number(keys, "roots"));
    if (keys.has("repeat")) item.repeat = number(keys, "repeat");
    if (keys.has("name")) {
      const ConfigNode& name = keys.node("name");
      item.name = value(name, "name");
      if (item.name.empty())
        throw BadInput(place(name, "name") + ": found nothing; allowed: a name");
    }
    if (keys.has("after")) {
      const ConfigNode& node = keys.node("after");
      if (node.kind != ConfigNode::Kind::kList) {
        after(node);
      } else {
        for (const ConfigEntry& one : node.entries) after(one.node);
      }
    }
    time(keys, "start", item.start_cycles, item.start_ps);
    time(keys, "delay", item.delay_cycles, item.delay_ps);
    return item;
  }

  void time(const KeyReader& keys, const std::string& key, std::uint64_t& cycles,
            std::uint64_t& picoseconds) const {
    if (!keys.has(key)) return;
    if (std::ranges::all_of(value(keys.node(key), key),
                            [](unsigned char c) { return std::isdigit(c) != 0; })) {
      cycles = located(keys, key, [&](const std::string& text) {
        return parse_number(text, key, 0, static_cast<std::uint64_t>(kMaxNumber));
      });
    } else {
      picoseconds = located(keys, key, [&](const std::string& text) {
        return parse_time_ps(text, key + " (or a number of cycles)");
      });
    }
  }

  // Number in the range of the key's row.
  std::uint64_t number(const KeyReader& keys, std::string_view key) const {
    const FileKey& row = *work_file_keys().find("", key);
    return located(keys, key, [&](const std::string& text) {
      return parse_number(text, key, static_cast<std::uint64_t>(row.min),
                          static_cast<std::uint64_t>(row.max));
    });
  }

  // Reads a name, or a map with it.
  void after(const ConfigNode& node) {
    NamedAfter& found = afters_.back().emplace_back();
    found.place = place(node, "after");
    if (node.kind != ConfigNode::Kind::kMap) {
      found.name = value(node, "after");
      return;
    }
    for (const auto& [key, inside] : node.entries) {
      index_of(key, inside.where + ": after", kAfterKeys);
      const std::string& text = value(inside, "after: " + key);
      if (key == "name") {
        found.name = text;
      } else {
        found.all_ranks = index_of(text, place(inside, "after: rank"), kRanks) == 1;
      }
    }
    if (found.name.empty()) throw BadInput(found.place + ": the key 'name' is missing");
  }

  // Resolves names to indices in the list.
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

  // Refuses an item that depends on itself, directly or through other items.
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

  std::vector<int> members(const ConfigNode& node) const {
    const std::string& text = value(node, "groups");
    if (std::optional<std::vector<int>> found = parse_members(text)) return std::move(*found);
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: a rank of 0 or more, a range such as 0-3, an I/O "
                    "controller such as "
                    "io0, all, io:all or io:each",
                    place(node, "groups"), text));
  }

  std::vector<std::vector<int>> groups(const ConfigNode& node) const {
    if (node.kind == ConfigNode::Kind::kValue && node.text == "all") return {{}};
    const auto list = [&](const ConfigNode& one) -> const std::vector<ConfigEntry>& {
      if (one.kind == ConfigNode::Kind::kList) return one.entries;
      throw BadInput(place(one, "groups") + ": allowed: all, or lists such as [[0, 1], [2, 3]]");
    };
    std::vector<std::vector<int>> groups;
    for (const ConfigEntry& group : list(node)) {
      std::vector<int>& ranks = groups.emplace_back();
      for (const ConfigEntry& member : list(group.node)) {
        const std::vector<int> more = members(member.node);
        ranks.insert(ranks.end(), more.begin(), more.end());
      }
      if (ranks.empty()) throw BadInput(place(group.node, "groups") + ": a group without members");
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

}  // namespace

const FileKeys& work_file_keys() {
  static constexpr FileKeys kFile{.name = "work",
                                  .title = "work files",
                                  .given =
                                      "`fredsim run --work FILE` and `fredsim compare --work "
                                      "FILE`",
                                  .source = "sc_models/runner/work_file.cpp",
                                  .keys = kKeys};
  return kFile;
}

std::vector<WorkItem> read_work_file(const std::string& path) { return WorkReader(path).read(); }

std::vector<std::uint64_t> read_matrix(const std::string& path) {
  const std::string text = text_of_option(path, "--matrix");
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
