// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxShown = 60;

std::string shown(const PlainJson& value) {
  std::string text = value.dump(-1, ' ', false, PlainJson::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + " …";
  return text;
}

}  // namespace

PlainJson parse_json(const ScheduleText& file) {
  constexpr int kMaxDepth = 64;
  const auto line_at = [&](std::size_t byte) {
    const auto end =
        file.text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, file.text.size()));
    return 1 + std::count(file.text.begin(), end, '\n');
  };
  const auto not_too_deep = [&](int depth, PlainJson::parse_event_t /*event*/,
                                PlainJson& /*parsed*/) {
    if (depth > kMaxDepth)
      throw BadInput(
          fmt::format("{}: found values {} deep; allowed: {}", file.path, depth, kMaxDepth));
    return true;
  };
  try {
    PlainJson all = PlainJson::parse(file.text, not_too_deep);
    if (!all.is_object())
      throw BadInput(fmt::format("{}: found {}; allowed: an object", file.path, shown(all)));
    return all;
  } catch (const PlainJson::parse_error& error) {
    throw BadInput(
        fmt::format("{}:{}: not JSON; allowed: an object", file.path, line_at(error.byte)));
  } catch (const PlainJson::out_of_range&) {
    throw BadInput(
        fmt::format("{}: found a number that is too large; allowed: 0 to 2^64 - 1", file.path));
  }
}

std::string JsonPlace::place(std::string_view key) const {
  std::string path = path_;
  if (!key.empty()) path += fmt::format("{}{}", path.empty() ? "" : ".", key);
  return path.empty() ? *file_ : fmt::format("{}: {}", *file_, path);
}

void JsonPlace::fail(std::string_view key, const std::string& allowed) const {
  const bool has_key = !key.empty() && value_->is_object() && value_->contains(key);
  const std::string found = key.empty() ? shown(*value_)
                            : has_key   ? shown((*value_)[std::string(key)])
                                        : "none";
  throw BadInput(fmt::format("{}: found {}; allowed: {}", place(key), found, allowed));
}

void JsonPlace::allow(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) fail("", "an object");
  const std::vector<std::string_view> words(keys);
  for (const auto& [key, value] : value_->items())
    if (std::ranges::find(words, key) == words.end())
      throw BadInput(fmt::format("{}: found key '{}'; {}", place(""), key, advice(key, words)));
}

bool JsonPlace::has(std::string_view key) const {
  if (!value_->is_object()) fail("", "an object");
  return value_->contains(key);
}

JsonPlace JsonPlace::at(std::string_view key) const {
  if (!has(key)) fail(key, "a value");
  return {*file_, (*value_)[std::string(key)],
          fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key)};
}

std::uint64_t JsonPlace::number(std::uint64_t min, std::uint64_t max) const {
  const bool is_number = value_->is_number_unsigned();
  if (!is_number || value_->get<std::uint64_t>() < min || value_->get<std::uint64_t>() > max)
    fail("", fmt::format("{} to {}", min, max));
  return value_->get<std::uint64_t>();
}

bool JsonPlace::flag() const {
  if (!value_->is_boolean()) fail("", "true or false");
  return value_->get<bool>();
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) fail("", "a text");
  return value_->get<std::string>();
}

std::vector<JsonPlace> JsonPlace::list() const {
  if (!value_->is_array()) fail("", "a list");
  std::vector<JsonPlace> items;
  items.reserve(value_->size());
  for (std::size_t k = 0; k < value_->size(); ++k)
    items.push_back(JsonPlace(*file_, (*value_)[k], fmt::format("{}[{}]", path_, k)));
  return items;
}

}  // namespace fredsim
