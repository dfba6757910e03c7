// SPDX-License-Identifier: Apache-2.0
#include "base/key_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"

namespace fredsim {
namespace {

std::string_view words_for(ConfigNode::Kind kind) {
  switch (kind) {
    case ConfigNode::Kind::kMap:
      return "keys";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kValue:
      return "a single value";
    case ConfigNode::Kind::kEmpty:
      break;
  }
  return "nothing";
}

}  // namespace

int KeyValues::integer(std::string_view key, int low, int high) const {
  note(key, [&] { return fmt::format("{} to {}", low, high); });
  return parse_integer(written(key), label(key), low, high, no_integer());
}

bool KeyValues::boolean(std::string_view key) const {
  static constexpr std::string_view kNames[] = {"false", "true"};
  return choice(key, kNames) == 1;
}

int KeyValues::choice(std::string_view key, std::span<const std::string_view> names,
                      std::span<const Alias> aliases) const {
  note(key, [&] { return join_words(names); });
  return index_of(written(key), label(key), names, aliases);
}

std::uint64_t KeyValues::size(std::string_view key) const {
  note(key, size_units);
  return parse_size(written(key), label(key));
}

std::uint64_t KeyValues::time_ps(std::string_view key) const {
  note(key, time_units);
  return parse_time_ps(written(key), label(key));
}

std::uint64_t KeyValues::bandwidth(std::string_view key) const {
  note(key, bandwidth_units);
  return parse_bandwidth(written(key), label(key));
}

KeyReader::KeyReader(const ConfigNode& node, const FileKeys& file)
    : KeyReader(node, "", &file, "") {}

KeyReader::KeyReader(const ConfigNode& node, std::string path)
    : KeyReader(node, std::move(path), nullptr, "") {}

KeyReader::KeyReader(const ConfigNode& node, std::string path, const FileKeys* file,
                     std::string section)
    : node_(node), path_(std::move(path)), file_(file), section_(std::move(section)) {
  if (file_ != nullptr) check_keys();
}

void KeyReader::check_keys() const {
  const std::vector<std::string_view> names = file_->names_in(section_);
  if (node_.kind != ConfigNode::Kind::kMap && !has_paths())
    throw BadInput(fmt::format("{}: {}: found no keys; allowed: {}", node_.where, leaf(section_),
                               join_words(names)));
  for (const ConfigEntry& entry : node_.entries) {
    if (std::ranges::find(names, entry.key) != names.end()) continue;
    refuse_key(entry, has_paths() ? path_ : std::string(file_->what), names,
               file_->aliases_in(section_));
  }
}

void KeyReader::check_together() const {
  for (const FileKey* const key : file_->inside(section_)) {
    const std::string_view name = leaf(key->path);
    if (!has(name)) continue;
    if (!key->instead.empty() && has(key->instead))
      throw BadInput(fmt::format("{}: not together with {}", label(name), key->instead));
    if (!key->with.empty() && !has(key->with))
      throw BadInput(fmt::format("{}: found without {}", label(name), key->with));
  }
}

std::string KeyReader::path_of(std::string_view name) const {
  return path_.empty() || !has_paths() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

std::string KeyReader::label() const {
  return path_.empty() ? node_.where : fmt::format("{}: {}", node_.where, path_);
}

std::string KeyReader::label(std::string_view name) const {
  const ConfigNode* const found = node_.find(name);
  return fmt::format("{}: {}", found != nullptr ? found->where : node_.where, path_of(name));
}

void KeyReader::allow(std::initializer_list<std::string_view> names) const {
  for (const ConfigEntry& entry : node_.entries)
    if (std::ranges::find(names, entry.key) == names.end())
      refuse_key(entry, path_, std::vector<std::string_view>(names));
}

const FileKey& KeyReader::row(std::string_view name) const {
  const FileKey* const found = file_ == nullptr ? nullptr : file_->find(section_, name);
  if (found == nullptr) throw std::logic_error(fmt::format("{}: no row of a key", path_of(name)));
  return *found;
}

const ConfigNode& KeyReader::node(std::string_view name) const {
  if (const ConfigNode* const found = node_.find(name)) return *found;
  throw BadInput(fmt::format(
      fmt::runtime(has_paths() ? "{}: missing key '{}'" : "{}: the key '{}' is missing"),
      node_.where, path_of(name)));
}

const ConfigNode& KeyReader::child(std::string_view name, ConfigNode::Kind kind) const {
  const ConfigNode& found = node(name);
  if (found.kind == kind) return found;
  if (!has_paths()) throw BadInput(fmt::format("{}: {} is wanted", label(name), words_for(kind)));
  throw BadInput(fmt::format("{}: found {}; allowed: {}", label(name), words_for(found.kind),
                             words_for(kind)));
}

std::string KeyReader::text(std::string_view name) const {
  const std::string& text = child(name, ConfigNode::Kind::kValue).text;
  if (text.empty() && has_paths())
    throw BadInput(fmt::format("{}: found ''; allowed: a text", label(name)));
  return text;
}

std::string KeyReader::written(std::string_view name) const {
  if (has(name) || file_ == nullptr) return text(name);
  const std::string_view otherwise = row(name).default_value;
  return otherwise.empty() ? text(name) : std::string(otherwise);
}

int KeyReader::integer(std::string_view name) const {
  const FileKey& key = row(name);
  return integer(name, static_cast<int>(key.min), static_cast<int>(key.max));
}

std::uint64_t KeyReader::whole(std::string_view name, std::uint64_t max) const {
  const FileKey& key = row(name);
  return parse_number(written(name), label(name), static_cast<std::uint64_t>(key.min),
                      max > 0 ? max : static_cast<std::uint64_t>(key.max));
}

double KeyReader::number(std::string_view name) const {
  if (file_ == nullptr) return parse_decimal(text(name), label(name));
  const FileKey& key = row(name);
  const std::string found = written(name);
  double value = 0;
  const char* const end = found.data() + found.size();
  const auto [stop, error] = std::from_chars(found.data(), end, value);
  if (error == std::errc() && stop == end && value >= key.min && value <= key.max) return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number from {:g} to {:g}{}", label(name),
                             shown(found), key.min, key.max, key.form));
}

bool KeyReader::flag(std::string_view name) const {
  if (has_paths()) return boolean(name);
  const std::string found = written(name);
  if (found == "true" || found == "false") return found == "true";
  throw BadInput(fmt::format("{}: found '{}'; allowed: true or false", label(name), shown(found)));
}

int KeyReader::choice(std::string_view name, std::span<const Alias> aliases) const {
  return index_of(written(name), label(name), words_in(row(name).words), aliases);
}

KeyReader KeyReader::map(std::string_view name) const {
  const ConfigNode& inside = has_paths() ? child(name, ConfigNode::Kind::kMap) : node(name);
  return {inside, path_of(name), file_,
          file_ == nullptr ? std::string() : std::string(row(name).path)};
}

std::vector<KeyReader> KeyReader::list(std::string_view name) const {
  const ConfigNode& entries = has_paths() ? child(name, ConfigNode::Kind::kList)
                                          : filled_list(node(name), label(name), row(name).form);
  std::vector<KeyReader> readers;
  for (const ConfigEntry& entry : entries.entries) {
    const std::string path = fmt::format("{}.{}", path_of(name), entry.key);
    if (entry.node.kind != ConfigNode::Kind::kMap && has_paths()) {
      throw BadInput(fmt::format("{}: {}: found {}; allowed: keys", entry.node.where, path,
                                 words_for(entry.node.kind)));
    }
    readers.push_back(KeyReader(entry.node, path, file_,
                                file_ == nullptr ? std::string() : std::string(row(name).path)));
  }
  return readers;
}

std::vector<std::pair<std::string, std::string>> KeyReader::values(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const ConfigEntry& entry : child(name, ConfigNode::Kind::kList).entries) {
    const std::string where = fmt::format("{}: {}.{}", entry.node.where, path_of(name), entry.key);
    if (entry.node.kind != ConfigNode::Kind::kValue) {
      throw BadInput(
          fmt::format("{}: found {}; allowed: a single value", where, words_for(entry.node.kind)));
    }
    values.emplace_back(entry.node.text, where);
  }
  return values;
}

void refuse_key(const ConfigEntry& entry, std::string_view label,
                std::span<const std::string_view> allowed, std::span<const Alias> aliases) {
  throw BadInput(fmt::format("{}{}{}: found the key '{}'; {}", entry.node.where,
                             label.empty() ? "" : ": ", label, shown(entry.key),
                             advice(entry.key, allowed, {.aliases = aliases, .last = "and"})));
}

int index_of(std::string_view text, const std::string& label,
             std::span<const std::string_view> names, std::span<const Alias> aliases) {
  const auto at = std::ranges::find(names, text);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  throw BadInput(fmt::format("{}: found '{}'; {}", label, shown(text),
                             advice(text, names, {.aliases = aliases})));
}

int parse_integer(const std::string& text, const std::string& label, int low, int high,
                  std::string_view no_integer) {
  const char* const end = text.data() + text.size();
  int result = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, result);
  if (error == std::errc() && stop == end && result >= low && result <= high) return result;
  const bool integral = stop == end && error != std::errc::invalid_argument;
  throw BadInput(fmt::format("{}: found '{}'{}; allowed: an integer from {} to {}", label,
                             shown(text), integral ? "" : no_integer, low, high));
}

const ConfigNode& filled_list(const ConfigNode& node, const std::string& label,
                              std::string_view form) {
  if (node.kind == ConfigNode::Kind::kList && !node.entries.empty()) return node;
  throw BadInput(fmt::format("{}: found no list; allowed: a {}", label, form));
}

double parse_decimal(const std::string& text, const std::string& label) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::isfinite(value) && value >= 0) return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number, 0 or more", label, shown(text)));
}

}  // namespace fredsim
