// SPDX-License-Identifier: Apache-2.0
#include "config/new_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/text_width.h"
#include "config/config.h"
#include "config/config_schema.h"

namespace fredsim {
namespace {

constexpr int kMinNewNpus = 2, kMaxNewNpus = 65'536;
constexpr std::size_t kLineWidth = 96;

// A plain value of YAML, or a quoted one.
std::string yaml_text(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view(" ./_-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (std::ranges::all_of(text, is_plain)) return text;
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return fmt::format("'{}'", quoted);
}

std::string indentation(std::string_view path) {
  return std::string(2 * static_cast<std::size_t>(std::ranges::count(path, '.')), ' ');
}

std::string comment(const std::string& indent, const std::string& text) {
  std::string lines = indent + "# ";
  for (const char c : wrap(text, kLineWidth - indent.size()))
    lines += c == '\n' ? fmt::format("\n{}# ", indent) : std::string(1, c);
  return lines + "\n";
}

// The sections of a machine file, from the values of an example.
class SectionWriter {
 public:
  SectionWriter(const TopologyKind& kind, std::vector<Setting> values)
      : kind_(kind), values_(std::move(values)) {}

  // Keys with values alone.
  std::string bare() const { return section("", nullptr); }
  // All keys that `allowed` has, with comments.
  std::string commented(const AllowedValues& allowed) const { return section("", &allowed); }

 private:
  std::string section(std::string_view path, const AllowedValues* allowed) const {
    std::string text;
    for (const Key& key : config_keys()) {
      if (parent(key.path) != path || !key.is_of(kind_)) continue;
      const std::string one = key_text(key, allowed);
      if (path.empty() && !one.empty() && allowed != nullptr) text += "\n";
      text += one;
    }
    return text;
  }

  std::string key_text(const Key& key, const AllowedValues* allowed) const {
    const std::string indent = indentation(key.path);
    if (key.holds == Holds::kKeys) {
      const std::string inside = section(key.path, allowed);
      if (inside.empty()) return "";
      const bool is_given = std::ranges::any_of(values_, [&](const Setting& value) {
        return value.key.starts_with(fmt::format("{}.", key.path));
      });
      return fmt::format("{}{}{}{}:\n{}",
                         allowed == nullptr ? "" : comment(indent, std::string(key.meaning)),
                         indent, is_given ? "" : "#", leaf(key.path), inside);
    }
    if (key.holds == Holds::kList) return list_text(key, allowed);
    const auto value = std::ranges::find(values_, key.path, &Setting::key);
    if (value != values_.end()) {
      return fmt::format("{}{}{}: {}\n", key_comment(key, allowed), indent, leaf(key.path),
                         yaml_text(value->value));
    }
    const std::string default_value = default_of(key);
    if (allowed == nullptr || default_value.empty() || !allowed->contains(key.path)) return "";
    return fmt::format("{}{}#{}: {}\n", key_comment(key, allowed), indent, leaf(key.path),
                       default_value);
  }

  // Entries in flow style, below comments of their keys: "- {name: gpu, kind: npu, count: 8}".
  std::string list_text(const Key& list, const AllowedValues* allowed) const {
    const std::string indent = indentation(list.path);
    std::string entries, last;
    for (const auto& [path, value] : values_) {
      if (schema_path(parent(path)) != list.path) continue;
      const bool is_next = parent(path) == last;
      if (!is_next && !last.empty()) entries += "}\n";
      entries += is_next ? ", " : fmt::format("{}  - {{", indent);
      entries += fmt::format("{}: {}", leaf(path), yaml_text(value));
      last = parent(path);
    }
    if (entries.empty()) return "";
    std::string comments;
    if (allowed != nullptr) comments = comment(indent, std::string(list.meaning));
    for (const Key& key : config_keys()) {
      if (allowed == nullptr || parent(key.path) != list.path || !key.is_of(kind_)) continue;
      comments +=
          comment(indent, fmt::format("  {}: {}", leaf(key.path), explained(key, *allowed)));
    }
    return fmt::format("{}{}{}:\n{}}}\n", comments, indent, leaf(list.path), entries);
  }

  std::string key_comment(const Key& key, const AllowedValues* allowed) const {
    return allowed == nullptr ? "" : comment(indentation(key.path), explained(key, *allowed));
  }

  // "columns of the mesh or torus; 1 to 64".
  std::string explained(const Key& key, const AllowedValues& allowed) const {
    std::string text(key.meaning);
    const auto values = allowed.find(key.path);
    const bool is_said = values == allowed.end() || values->second.empty() ||
                         key.holds == Holds::kBoolean ||
                         key.meaning.find(values->second) != std::string_view::npos;
    if (!is_said) text += "; " + values->second;
    if (const std::string value = default_of(key); !value.empty()) text += "; default " + value;
    return text;
  }

  std::string default_of(const Key& key) const {
    if (key.path == "switch.kind") return std::string(kind_.default_switch_kind());
    const bool is_counted = kind_.counts_npus() && !key.counted_default.empty();
    const std::string_view value = is_counted ? key.counted_default : key.default_value;
    return key.holds == Holds::kWords && !value.empty() ? fmt::format("[{}]", value)
                                                        : std::string(value);
  }

  const TopologyKind& kind_;
  std::vector<Setting> values_;
};

// Nearest possible numbers of NPUs below and above: "66 or 68".
std::string nearest_numbers(const MachineExample& example, int npus) {
  std::vector<std::string> nearest;
  for (int below = std::min(npus - 1, kMaxNewNpus); below >= kMinNewNpus; --below) {
    if (example.keys(below).empty()) continue;
    nearest.push_back(fmt::format("{}", below));
    break;
  }
  for (int above = std::max(npus + 1, kMinNewNpus); above <= kMaxNewNpus; ++above) {
    if (example.keys(above).empty()) continue;
    nearest.push_back(fmt::format("{}", above));
    break;
  }
  return fmt::format("{}", fmt::join(nearest, " or "));
}

std::vector<Setting> example_values(const TopologyKind& kind, const MachineExample& example,
                                    int npus) {
  const bool is_in_range = npus >= kMinNewNpus && npus <= kMaxNewNpus;
  std::vector<Setting> values = is_in_range ? example.keys(npus) : std::vector<Setting>{};
  if (values.empty()) {
    throw BadInput(fmt::format("--npus: found {}; allowed for {}: {}; nearest: {}", npus,
                               kind.name(), example.numbers, nearest_numbers(example, npus)));
  }
  values.push_back({"name", fmt::format("{}_{}", kind.name(), npus)});
  values.push_back({"fabric.type", std::string(kind.name())});
  return values;
}

// Allowed values of the keys that are read for such a machine.
AllowedValues allowed_in(const std::string& text, const TopologyKind& kind) {
  AllowedValues allowed;
  const MachineFile file{.path = fmt::format("new {}", kind.name()),
                         .settings = {},
                         .text = text,
                         .allowed = &allowed};
  load_configs({&file, 1}, {});
  return allowed;
}

}  // namespace

std::string new_machine_file(const TopologyKind& kind, std::optional<int> npus,
                             const std::filesystem::path& configs) {
  const std::optional<MachineExample> example = kind.example(configs);
  if (!example) throw BadInput(fmt::format("KIND: found {}, which has no example", kind.name()));
  const int number = npus.value_or(example->npus);
  const SectionWriter writer(kind, example_values(kind, *example, number));
  const std::string head = fmt::format(
      "A machine of {} NPUs, fabric type {}, written by fredsim new. With this file as my.yaml:\n"
      "  fredsim info my.yaml                         describes the machine\n"
      "  fredsim run my.yaml -b 64KiB -e 1MiB -f 4    runs all-reduces of 64 KiB to 1 MiB\n"
      "The comment above a key has its meaning, allowed values or units, and default. A line "
      "'#key: value' shows the default of an optional key; to set the key, remove its # and the # "
      "of its section.\n"
      "Allowed numbers of NPUs: {}. Further keys (link errors, failed components, I/O "
      "controllers): fredsim schema machine --markdown.",
      number, kind.name(), example->numbers);
  return comment("", head) + writer.commented(allowed_in(writer.bare(), kind));
}

}  // namespace fredsim
