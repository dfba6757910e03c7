// SPDX-License-Identifier: Apache-2.0
// Values of keys: texts, numbers, quantities with units and choices, each within its range.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/suggest.h"
#include "base/units.h"
#include "config/config.h"
#include "config/config_reader.h"
#include "config/config_schema.h"
#include "config/machine_path.h"

namespace fredsim {
namespace {

std::string bytes_of(int flits) {
  return format_size(static_cast<std::uint64_t>(flits) * kFlitBytes);
}

std::string allowed_flits(int min, int max) {
  return fmt::format("{} to {} in steps of {}", bytes_of(min), bytes_of(max), bytes_of(1));
}

}  // namespace

void ConfigReader::note(std::string_view path, const std::function<std::string()>& allowed) const {
  asked_.emplace(path);
  if (allowed_ == nullptr) return;
  std::string& noted = (*allowed_)[schema_path(path)];
  if (noted.empty()) noted = allowed();
}

int ConfigReader::entries(std::string_view path) const {
  return static_cast<int>(value(path).entries.size());
}

std::string ConfigReader::text(std::string_view path) const {
  note(path, [] { return std::string(); });
  const ConfigNode& node = value(path);
  if (node.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw BadInput(fmt::format("{}: found '' ({})", label(path), find_key(path, kind())->meaning));
  }
  return node.text;
}

std::string ConfigReader::text_of(std::string_view path, std::string_view allowed) const {
  note(path, [&] { return std::string(allowed); });
  return text(path);
}

std::vector<std::string> ConfigReader::names(std::string_view path) const {
  std::vector<std::string> names;
  if (!has(path)) return names;
  for (const ConfigEntry& entry : find(path)->entries) names.push_back(entry.key);
  return names;
}

Topology ConfigReader::machine(std::string_view path) const {
  const std::string word = this->text(path);
  if (is_block_) {
    throw BadInput(
        fmt::format("{}: found '{}' in a machine that is a block of another one; allowed there: a "
                    "machine without machines",
                    label(path), shown(word)));
  }
  const std::filesystem::path beside = std::filesystem::path(file_).parent_path() / word;
  std::error_code failed;
  const bool is_beside = std::filesystem::exists(beside, failed);
  try {
    const MachineFile block{
        .path = is_beside ? beside.string() : machine_path(word), .settings = {}, .is_block = true};
    return std::move(load_configs({&block, 1}, {}).machines.front().topology);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", label(path), error.what()));
  }
}

std::string ConfigReader::file(std::string_view path) const {
  return (std::filesystem::path(file_).parent_path() / this->text(path)).string();
}

double ConfigReader::share(std::string_view path, double min, double max) const {
  note(path, [&] { return fmt::format("0, or {:g} to {:g}", min, max); });
  const std::string written = this->text(path);
  double rate = 0;
  const char* const end = written.data() + written.size();
  const auto [stop, error] = std::from_chars(written.data(), end, rate);
  if (error == std::errc() && stop == end && (rate == 0 || (rate >= min && rate <= max)))
    return rate;
  throw BadInput(fmt::format("{}: found '{}'; allowed: 0, or {:g} to {:g}", label(path),
                             shown(written), min, max));
}

std::vector<std::pair<std::string, std::string>> ConfigReader::words(std::string_view path) const {
  std::vector<std::pair<std::string, std::string>> words;
  if (!has(path)) return words;
  for (const ConfigEntry& entry : find(path)->entries) {
    const std::string& where = entry.node.where.empty() ? find(path)->where : entry.node.where;
    words.emplace_back(entry.node.text, where);
  }
  return words;
}

std::uint64_t ConfigReader::frequency(std::string_view path) const {
  note(path, frequency_units);
  return parse_frequency(value(path).text, label(path));
}

std::uint64_t ConfigReader::size_from_zero(std::string_view path) const {
  note(path, size_units);
  return parse_size(value(path).text, label(path), SizeForm::kFromZero);
}

std::optional<int> ConfigReader::flits_or_auto(std::string_view path, int min) const {
  note(path, [&] { return allowed_flits(min, kMaxFlits) + ", or auto"; });
  if (text(path) == "auto") return std::nullopt;
  return flits(path, min);
}

int ConfigReader::flits(std::string_view path, int min, int max) const {
  note(path, [&] { return allowed_flits(min, max); });
  const auto max_flits = static_cast<std::uint64_t>(max);
  const std::uint64_t bytes = parse_size(value(path).text, label(path));
  if (bytes % kFlitBytes != 0) {
    throw BadInput(fmt::format("{}: found {}, which is not a whole number of flits of {} B",
                               label(path), format_size(bytes), kFlitBytes));
  }
  const std::uint64_t count = bytes / kFlitBytes;
  if (count < static_cast<std::uint64_t>(min) || count > max_flits) {
    throw BadInput(fmt::format("{}: found {} = {} flits; allowed: {} ({} flit{}) to {} flits",
                               label(path), format_size(bytes), count, bytes_of(min), min,
                               min == 1 ? "" : "s: one packet", max_flits));
  }
  return static_cast<int>(count);
}

}  // namespace fredsim
