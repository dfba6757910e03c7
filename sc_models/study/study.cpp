// SPDX-License-Identifier: Apache-2.0
#include "study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "base/units.h"
#include "study/detail/yaml_value.h"

namespace fredsim {
namespace {

using NodeKind = ConfigNode::Kind;

constexpr auto kStudyKeys = std::to_array<FileKey>({
    {.path = "name",
     .meaning = "name of the study; default: the name of the file",
     .holds = Holds::kText,
     .is_optional = true,
     .form = "text"},
    {.path = "machines",
     .meaning = "machine files; `settings` of a machine are axes of this machine only and replace "
                "the common ones",
     .holds = Holds::kOther,
     .form = "list of paths, or of maps with `file` and `settings`"},
    {.path = "machines.file", .meaning = "machine file", .holds = Holds::kText},
    {.path = "machines.settings",
     .meaning = "keys of this machine, which replace the common settings",
     .holds = Holds::kOther,
     .is_optional = true},
    {.path = "settings",
     .meaning = "keys of all machines; a value that is a list needs a list around it: `[[mp, pp, "
                "dp, control]]`",
     .holds = Holds::kOther,
     .is_optional = true,
     .form = "axes by [key of machine files](machine_files.md), such as `switch.input_buffer`"},
    {.path = "seeds",
     .meaning = "axis of random seeds, `seed`",
     .holds = Holds::kOther,
     .is_optional = true,
     .form = "list of numbers, or a range `1:10`"},
    {.path = "zip",
     .meaning = "axes that vary together instead of as a product: first values with first values, "
                "second with second, and so on",
     .holds = Holds::kOther,
     .is_optional = true,
     .form = "lists of axes"},
    {.path = "exclude",
     .meaning = "points to leave out: points with one of the values on each axis of a map; "
                "`machine` and `command` are axes, too",
     .holds = Holds::kOther,
     .is_optional = true,
     .form = "list of maps from axes to a value or a list of values"},
});
constexpr std::size_t kBeforeCommands = 3;  // name, machines, settings
constexpr std::string_view kAnyValue = "a value or a list of values";

// Description of a found node for messages: "'x'", "a list" or "keys".
std::string found_text(const ConfigNode& node) {
  switch (node.kind) {
    case NodeKind::kEmpty:
      return "nothing";
    case NodeKind::kValue:
      return fmt::format("'{}'", shown(node.text));
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "keys";
  }
  return "";
}

[[noreturn]] void refuse(const ConfigNode& node, std::string_view key, std::string_view allowed) {
  throw BadInput(
      fmt::format("{}: {}: found {}; allowed: {}", node.where, key, found_text(node), allowed));
}

void check_filled(const ConfigNode& node, std::string_view key, NodeKind kind,
                  std::string_view allowed) {
  if (node.kind != kind || node.entries.empty()) refuse(node, key, allowed);
}

// Text of a single non-empty value.
const std::string& text_in(const ConfigNode& node, std::string_view key, std::string_view allowed) {
  if (node.kind != NodeKind::kValue || node.text.empty()) refuse(node, key, allowed);
  return node.text;
}

// Text of a value as written in the study: a list or map in one line.
std::string written(const ConfigNode& node) {
  return node.kind == NodeKind::kValue ? node.text : yaml_value(node);
}

// Values of an axis: a single one, or the values of a list.
std::vector<const ConfigNode*> alternatives(const ConfigNode& node, std::string_view key,
                                            std::string_view allowed = kAnyValue) {
  if (node.kind != NodeKind::kList) return {&node};
  check_filled(node, key, NodeKind::kList, allowed);
  std::vector<const ConfigNode*> nodes;
  for (const ConfigEntry& entry : node.entries) nodes.push_back(&entry.node);
  return nodes;
}

std::vector<StudyAxis> read_settings(const ConfigNode& node) {
  check_filled(node, "settings", NodeKind::kMap,
               "keys of machine files, each with a value or a list of values");
  std::vector<StudyAxis> axes;
  for (const ConfigEntry& entry : node.entries) {
    StudyAxis& axis =
        axes.emplace_back(StudyAxis{.name = entry.key, .where = entry.node.where, .values = {}});
    for (const ConfigNode* const value : alternatives(entry.node, entry.key)) {
      if (value->kind == NodeKind::kEmpty ||
          (value->kind == NodeKind::kValue && value->text.empty()))
        refuse(*value, entry.key, kAnyValue);
      axis.values.push_back({written(*value), value->where, {yaml_value(*value)}});
    }
  }
  return axes;
}

// Value of an option. A repeatable option takes a list as one value: the list of values is then a
// list of lists.
StudyValue option_value(const ConfigNode& node, const StudyOption& option) {
  if (option.form == OptionForm::kFlag) {
    const std::string& text = text_in(node, option.name, "true or false");
    if (text != "true" && text != "false") refuse(node, option.name, "true or false");
    return {text, node.where, {text}};
  }
  if (option.form == OptionForm::kValues && node.kind == NodeKind::kList) {
    check_filled(node, option.name, NodeKind::kList, kAnyValue);
    StudyValue value{written(node), node.where, {}};
    for (const ConfigEntry& entry : node.entries)
      value.words.push_back(text_in(entry.node, option.name, option.value));
    return value;
  }
  const std::string& text = text_in(node, option.name, option.value);
  return {text, node.where, {text}};
}

StudyAxis read_option(const ConfigEntry& entry, const StudyCommand& command) {
  const StudyOption* const option = command.find(entry.key);
  if (option == nullptr) {
    std::vector<std::string_view> names;
    for (const StudyOption& one : command.options) names.push_back(one.name);
    refuse_key(entry, command.name, names);
  }
  StudyAxis axis{.name = entry.key,
                 .where = entry.node.where,
                 .values = {},
                 .form = option->form,
                 .value_name = option->value};
  for (const ConfigNode* const value : alternatives(entry.node, entry.key))
    axis.values.push_back(option_value(*value, *option));
  return axis;
}

void read_works(const ConfigNode& node, const StudyCommand& command,
                std::vector<StudyWork>& works) {
  const std::string allowed = fmt::format(
      "options of {}, each with a value or a list of values, or a list of such maps", command.name);
  for (const ConfigNode* const one : alternatives(node, command.name, allowed)) {
    if (one->kind != NodeKind::kMap && one->kind != NodeKind::kEmpty)
      refuse(*one, command.name, allowed);
    StudyWork& work = works.emplace_back(StudyWork{
        .command = command.name, .document = command.document, .where = one->where, .options = {}});
    for (const ConfigEntry& entry : one->entries)
      work.options.push_back(read_option(entry, command));
  }
}

StudyMachine read_machine(const ConfigNode& node) {
  constexpr std::string_view kAllowed = "a machine file, or keys: file, and settings of its own";
  if (node.kind != NodeKind::kMap)
    return {.file = text_in(node, "machines", kAllowed), .where = node.where, .settings = {}};
  StudyMachine machine{.file = {}, .where = node.where, .settings = {}};
  for (const ConfigEntry& entry : node.entries) {
    if (entry.key == "file") {
      machine.file = text_in(entry.node, "file", "a machine file");
    } else if (entry.key == "settings") {
      machine.settings = read_settings(entry.node);
    } else {
      refuse_key(entry, "a machine", study_file_keys().names_in("machines"));
    }
  }
  if (machine.file.empty())
    throw BadInput(
        fmt::format("{}: machines: found no key 'file'; allowed: {}", node.where, kAllowed));
  return machine;
}

// Adds seeds: "3", or the range "1:10".
void add_seeds(const ConfigNode& node, std::vector<StudyValue>& values) {
  constexpr std::string_view kAllowed = "whole numbers, or a range such as 1:10";
  constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();
  const std::string& text = text_in(node, "seeds", kAllowed);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto number = [&](std::string_view digits) {
    const bool is_number = !digits.empty() && std::ranges::all_of(digits, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    if (!is_number) refuse(node, "seeds", kAllowed);
    return parse_number(digits, fmt::format("{}: seeds", node.where), 0, kMaxSeed);
  };
  const std::uint64_t first = number(std::string_view(text).substr(0, colon));
  const std::uint64_t last =
      colon == text.size() ? first : number(std::string_view(text).substr(colon + 1));
  if (last < first) refuse(node, "seeds", "a range that ascends, such as 1:10");
  if (last - first >= kMaxStudyPoints - values.size()) {
    throw BadInput(
        fmt::format("{}: seeds: found more than {} with '{}'; allowed: {} points at most",
                    node.where, kMaxStudyPoints, shown(text), kMaxStudyPoints));
  }
  for (std::uint64_t i = 0; i <= last - first; ++i) {
    const std::string seed = std::to_string(first + i);
    values.push_back({seed, node.where, {seed}});
  }
}

StudyAxis read_seeds(const ConfigNode& node) {
  StudyAxis axis{.name = std::string(kSeedAxis), .where = node.where, .values = {}};
  for (const ConfigNode* const one : alternatives(node, "seeds")) add_seeds(*one, axis.values);
  return axis;
}

// Names of every axis of the study, with the texts of its values.
class AxisNames {
 public:
  explicit AxisNames(const Study& study) {
    for (const StudyMachine& machine : study.machines) {
      add(kMachineAxis, machine.file);
      for (const StudyAxis& axis : machine.settings) add(axis);
    }
    for (const StudyAxis& axis : study.settings) add(axis);
    for (const StudyWork& work : study.works) {
      add(kCommandAxis, work.command);
      for (const StudyAxis& axis : work.options) add(axis);
    }
    if (study.seeds) add(*study.seeds);
  }

  void check_axis(const std::string& where, std::string_view key, std::string_view name,
                  bool multiplies) const {
    std::vector<std::string_view> names;
    for (const auto& [axis, texts] : axes_) {
      if (!multiplies || (axis != kMachineAxis && axis != kCommandAxis)) names.push_back(axis);
    }
    if (std::ranges::find(names, name) != names.end()) return;
    throw BadInput(fmt::format("{}: {}: found '{}', which is no axis of the study; {}", where, key,
                               shown(name), advice(name, names, {.last = "and"})));
  }

  void check_value(const std::string& where, std::string_view name, const std::string& text) const {
    std::vector<std::string_view> texts = std::ranges::find(axes_, name, &Axis::first)->second;
    if (std::ranges::find(texts, text) != texts.end()) return;
    constexpr std::size_t kMaxListed = 20;
    if (texts.size() > kMaxListed) texts = {texts.front(), "…", texts.back()};
    throw BadInput(fmt::format("{}: exclude: {}: found '{}', which is no value of it; {}", where,
                               name, shown(text), advice(text, texts, {.last = "and"})));
  }

 private:
  using Axis = std::pair<std::string_view, std::vector<std::string_view>>;

  std::vector<std::string_view>& texts_of(std::string_view name) {
    const auto found = std::ranges::find(axes_, name, &Axis::first);
    return found != axes_.end() ? found->second
                                : axes_.emplace_back(name, Axis::second_type{}).second;
  }
  void add(std::string_view name, std::string_view text) { texts_of(name).push_back(text); }
  void add(const StudyAxis& axis) {
    for (const StudyValue& value : axis.values) texts_of(axis.name).emplace_back(value.text);
  }

  std::vector<Axis> axes_;
};

std::vector<StudyZip> read_zips(const ConfigNode& node, const AxisNames& names) {
  constexpr std::string_view kAllowed =
      "lists of two or more axes, such as [[npu.bandwidth, fabric.link_bandwidth]]";
  check_filled(node, "zip", NodeKind::kList, kAllowed);
  std::vector<StudyZip> zips;
  std::vector<std::string_view> seen;
  for (const ConfigEntry& entry : node.entries) {
    if (entry.node.kind != NodeKind::kList || entry.node.entries.size() < 2)
      refuse(entry.node, "zip", kAllowed);
    StudyZip& zip = zips.emplace_back(StudyZip{.where = entry.node.where, .axes = {}});
    for (const ConfigEntry& axis : entry.node.entries) {
      const std::string& name = text_in(axis.node, "zip", kAllowed);
      names.check_axis(axis.node.where, "zip", name, true);
      if (std::ranges::find(seen, name) != seen.end()) {
        throw BadInput(fmt::format("{}: zip: found '{}' twice; allowed: an axis once",
                                   axis.node.where, shown(name)));
      }
      seen.push_back(axis.node.text);
      zip.axes.push_back(name);
    }
  }
  return zips;
}

std::vector<StudyExclusion> read_exclusions(const ConfigNode& node, const AxisNames& names) {
  constexpr std::string_view kAllowed =
      "a list of maps from axes to values, such as [{machine: configs/mesh.yaml, size: 16MiB}]";
  check_filled(node, "exclude", NodeKind::kList, kAllowed);
  std::vector<StudyExclusion> exclusions;
  for (const ConfigEntry& entry : node.entries) {
    check_filled(entry.node, "exclude", NodeKind::kMap, kAllowed);
    StudyExclusion& exclusion =
        exclusions.emplace_back(StudyExclusion{.where = entry.node.where, .values = {}});
    for (const ConfigEntry& axis : entry.node.entries) {
      names.check_axis(axis.node.where, "exclude", axis.key, false);
      auto& [name, texts] = exclusion.values.emplace_back(axis.key, std::vector<std::string>{});
      for (const ConfigNode* const value : alternatives(axis.node, axis.key)) {
        if (value->kind == NodeKind::kEmpty) refuse(*value, axis.key, kAnyValue);
        texts.push_back(written(*value));
        names.check_value(value->where, name, texts.back());
      }
    }
  }
  return exclusions;
}

class StudyReader {
 public:
  StudyReader(const std::string& path, std::span<const StudyCommand> commands)
      : path_(path), commands_(commands), root_(read_config_file(path)) {}

  Study read() const {
    check_keys();
    Study study{.path = path_,
                .name = std::filesystem::path(path_).stem().string(),
                .machines = {},
                .settings = {},
                .works = {}};
    if (const ConfigNode* const name = root_.find("name")) study.name = read_name(*name);
    read_machines(study);
    if (const ConfigNode* const settings = root_.find("settings"))
      study.settings = read_settings(*settings);
    for (const ConfigEntry& entry : root_.entries) {
      const auto command = std::ranges::find(commands_, entry.key, &StudyCommand::name);
      if (command != commands_.end()) read_works(entry.node, *command, study.works);
    }
    if (study.works.empty()) {
      throw BadInput(fmt::format("{}: found no work; allowed: one or more of {}", path_,
                                 join_words(command_names(), "and")));
    }
    if (const ConfigNode* const seeds = root_.find("seeds")) study.seeds = read_seeds(*seeds);
    const AxisNames names(study);
    if (const ConfigNode* const zip = root_.find("zip")) study.zips = read_zips(*zip, names);
    if (const ConfigNode* const exclude = root_.find("exclude"))
      study.exclusions = read_exclusions(*exclude, names);
    return study;
  }

 private:
  std::vector<std::string_view> command_names() const {
    std::vector<std::string_view> names;
    for (const StudyCommand& command : commands_) names.push_back(command.name);
    return names;
  }

  void check_keys() const {
    std::vector<std::string_view> keys = study_file_keys().names_in("");
    const std::vector<std::string_view> commands = command_names();
    keys.insert(keys.begin() + kBeforeCommands, commands.begin(), commands.end());
    for (const ConfigEntry& entry : root_.entries)
      if (std::ranges::find(keys, entry.key) == keys.end()) refuse_key(entry, "a study", keys);
  }

  static std::string read_name(const ConfigNode& node) {
    constexpr std::string_view kAllowed = "a name, without '/'";
    const std::string& name = text_in(node, "name", kAllowed);
    if (name.find('/') != std::string::npos || name.starts_with('.'))
      refuse(node, "name", kAllowed);
    return name;
  }

  void read_machines(Study& study) const {
    constexpr std::string_view kAllowed = "a list of machine files";
    const ConfigNode* const machines = root_.find("machines");
    if (machines == nullptr)
      throw BadInput(fmt::format("{}: found no key 'machines'; allowed: {}", path_, kAllowed));
    for (const ConfigNode* const one : alternatives(*machines, "machines", kAllowed))
      study.machines.push_back(read_machine(*one));
  }

  std::string path_;
  std::span<const StudyCommand> commands_;
  ConfigNode root_;
};

}  // namespace

const FileKeys& study_file_keys() {
  static constexpr FileKeys kFile{.name = "study",
                                  .title = "studies",
                                  .given = "`fredsim sweep FILE`",
                                  .source = "sc_models/study/study.cpp",
                                  .keys = kStudyKeys};
  return kFile;
}

Study read_study(const std::string& path, std::span<const StudyCommand> commands) {
  return StudyReader(path, commands).read();
}

}  // namespace fredsim
