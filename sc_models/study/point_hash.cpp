// SPDX-License-Identifier: Apache-2.0
#include "study/point_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <variant>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/machine_key.h"
#include "base/units.h"
#include "config/config_reader.h"
#include "config/config_schema.h"
#include "config/machine_path.h"
#include "workload_files/trace_files.h"

namespace fredsim {
namespace {

// Encodes a part of the hashed text: different lists of parts give different texts.
std::string part(std::string_view text) { return fmt::format("{}:{};", text.size(), text); }

// Canonical form: a value with its unit in base units; any other text unchanged.
std::string quantity(const std::string& text) {
  struct Form {
    std::string_view ending;
    std::uint64_t (*parse)(std::string_view, std::string_view);
  };
  static constexpr auto kForms = std::to_array<Form>(
      {{"Hz", parse_frequency},
       {"B/s", parse_bandwidth},
       {"B", [](std::string_view size, std::string_view what) { return parse_size(size, what); }},
       {"s", parse_time_ps}});
  for (const auto& [ending, parse] : kForms) {
    if (!text.ends_with(ending)) continue;
    try {
      return fmt::format("{} {}", parse(text, ""), ending);
    } catch (const BadInput&) {
      return text;
    }
  }
  return text;
}

std::string value_text(const MachineKey& key) {
  if (const auto* const text = std::get_if<std::string>(&key.value))
    return key.path == "name" ? *text : quantity(*text);
  if (const auto* const number = std::get_if<std::int64_t>(&key.value))
    return std::to_string(*number);
  if (const auto* const flag = std::get_if<bool>(&key.value)) return *flag ? "true" : "false";
  return fmt::format("{}", fmt::join(std::get<std::vector<std::string>>(key.value), ", "));
}

std::string size_text(const std::string& word) {
  try {
    return std::to_string(parse_size(word, "", SizeForm::kNccl));
  } catch (const BadInput&) {
    return word;
  }
}

std::string number_text(const std::string& word) {
  const bool is_number = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  return is_number ? word.substr(std::min(word.find_first_not_of('0'), word.size() - 1)) : word;
}

// Contents of a file, and its extension, which may define its format.
std::optional<std::string> content_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::optional<std::string> text = file_text(path);
  if (!text) return std::nullopt;
  return fmt::format("file {} {}", std::filesystem::path(path).extension().string(),
                     content_hash(*text));
}

std::string traces_of(const std::string& word) {
  std::string all;
  for (const std::string& path : possible_trace_files(trace_name(word)))
    if (const std::optional<std::string> content = content_of(path)) all += part(*content);
  return all;
}

std::string word_text(const StudyAxis& axis, const std::string& word) {
  if (axis.value_name == "SIZE") return size_text(word);
  if (axis.value_name == "N") return number_text(word);
  if (axis.value_name == "PREFIX") return traces_of(word);
  return content_of(word).value_or(word);
}

void set(const StudyAxis& axis, const StudyValue& value, ConfigNode& root) {
  try {
    apply_override(root, fmt::format("{}={}", axis.name, value.words.front()), "");
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: settings: {}", value.where, error.what()));
  }
}

// Refuses a setting without a key in the machine.
void check_key(const StudyAxis& axis, const StudyMachine& machine, const ConfigNode& root) {
  if (has_key(root, axis.name)) return;
  if (find_key(axis.name) == nullptr) {
    throw BadInput(fmt::format("{}: settings: found '{}', which is no key of machine files; {}",
                               axis.where, shown(axis.name), key_advice(axis.name)));
  }
  throw BadInput(fmt::format(
      "{}: settings: found '{}', which {} has no key for; allowed: keys that all machines have, or "
      "under the settings of a machine alone",
      axis.where, shown(axis.name), machine.file));
}

// Place where two points of one hash differ: the place of the second point's value.
const std::string& place_of_difference(const StudyPoint& first, const StudyPoint& second) {
  if (first.work != second.work) return second.work->where;
  if (first.machine != second.machine) return second.machine->where;
  for (const auto member : {&StudyPoint::settings, &StudyPoint::options}) {
    for (std::size_t i = 0; i < (second.*member).size(); ++i) {
      const StudyValue* const value = (second.*member)[i].value;
      if ((first.*member)[i].value != value) return value->where;
    }
  }
  return second.seed->where;
}

std::string shown_command(const StudyPoint& point) {
  return fmt::format("{}", fmt::join(command_of(point), " "));
}

}  // namespace

std::string PointHasher::hash(const StudyPoint& point) {
  std::vector<std::string> options;
  for (const auto& [axis, value] : point.options) {
    if (axis->form == OptionForm::kFlag) {
      if (value->text == "true") options.push_back(part(axis->name));
      continue;
    }
    std::string text = part(axis->name);
    for (const std::string& word : value->words) text += part(word_hash(*axis, word));
    options.push_back(part(text));
  }
  std::ranges::sort(options);  // order in the study
  return content_hash(fmt::format(
      "{}{}{}{}{}", part(version_), part(point.work->command), part(machine_hash(point)),
      part(point.seed == nullptr ? "" : number_text(point.seed->text)), fmt::join(options, "")));
}

const ConfigNode& PointHasher::root_of(const StudyMachine& machine) {
  const auto found = roots_.find(machine.file);
  if (found != roots_.end()) return found->second;
  try {
    return roots_.emplace(machine.file, read_config_file(machine_path(machine.file))).first->second;
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: machines: {}", machine.where, error.what()));
  }
}

const std::string& PointHasher::machine_hash(const StudyPoint& point) {
  std::string name = part(point.machine->file);
  for (const auto& [axis, value] : point.settings)
    name += part(axis->name) + part(value->words.front());
  const auto found = machine_hashes_.find(name);
  if (found != machine_hashes_.end()) return found->second;
  ConfigNode root = root_of(*point.machine);
  for (const auto& [axis, value] : point.settings) set(*axis, *value, root);
  for (const auto& [axis, value] : point.settings) check_key(*axis, *point.machine, root);
  std::string text;
  try {
    for (const MachineKey& key : ConfigReader(std::move(root), point.machine->file).resolved())
      text += part(key.path) + part(value_text(key));
  } catch (const BadInput&) {  // the command of the point reports the error
    text = name + part(content_of(machine_path(point.machine->file)).value_or(""));
  }
  return machine_hashes_.emplace(std::move(name), content_hash(text)).first->second;
}

const std::string& PointHasher::word_hash(const StudyAxis& axis, const std::string& word) {
  std::pair name(axis.name, word);
  const auto found = word_hashes_.find(name);
  if (found != word_hashes_.end()) return found->second;
  return word_hashes_.emplace(std::move(name), word_text(axis, word)).first->second;
}

std::vector<std::string> hashes_of(const StudyPoints& points, const std::string& version) {
  PointHasher hasher(version);
  std::vector<std::string> hashes;
  std::unordered_map<std::string_view, std::size_t> seen;
  hashes.reserve(points.size());  // keeps its texts in place
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StudyPoint point = points[i];
    const auto [first, is_new] = seen.try_emplace(hashes.emplace_back(hasher.hash(point)), i);
    if (is_new) continue;
    const StudyPoint other = points[first->second];
    throw BadInput(fmt::format(
        "{}: found two points of one hash, {}: '{}' and '{}'; allowed: points that differ in "
        "machine, work or seed",
        place_of_difference(other, point), first->first, shown_command(other),
        shown_command(point)));
  }
  return hashes;
}

}  // namespace fredsim
