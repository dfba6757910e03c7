// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_shapes.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;

constexpr int kMaxShapes = 1 << 24;

Json json_of(const std::vector<TracePart>& parts) {
  Json list = Json::array();
  for (const TracePart& part : parts) {
    list.push_back({{"group", part.group},
                    {"collective", part.collective},
                    {"bytes", part.bytes},
                    {"priority", part.priority},
                    {"root", part.root},
                    {"roots", part.roots},
                    {"algorithm", part.algorithm}});
    if (!part.matrix.empty()) list.back()["matrix"] = part.matrix;
  }
  return list;
}

// `max`: maximum of the allowed numbers.
template <class Number>
Number number_of(const std::string& place, const Json& from, const char* key, Number max) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number_unsigned() ||
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(max)) {
    throw BadInput(fmt::format("{}: {}: found {}; allowed: a whole number, 0 to {}", place, key,
                               found == from.end() ? "nothing" : found->dump(), max));
  }
  return found->get<Number>();
}

std::string text_of(const std::string& place, const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_string()) {
    throw BadInput(fmt::format("{}: {}: found {}; allowed: a text", place, key,
                               found == from.end() ? "nothing" : found->dump()));
  }
  return found->get<std::string>();
}

std::vector<std::uint64_t> matrix_of(const std::string& place, const Json& from,
                                     std::uint64_t max) {
  const auto found = from.find("matrix");
  if (found == from.end()) return {};
  std::vector<std::uint64_t> matrix;
  for (const Json& value : found->is_array() ? *found : Json::array({*found})) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max)
      throw BadInput(fmt::format("{}: matrix: found {}; allowed: whole numbers, 0 to {}", place,
                                 value.dump(), max));
    matrix.push_back(value.get<std::uint64_t>());
  }
  return matrix;
}

std::vector<TracePart> parts_of(const std::string& place, const Json& shape, const char* key) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;
  constexpr std::int64_t kMaxPriority = 2;
  constexpr int kMaxRank = (1 << 20) - 1;
  const auto list = shape.is_object() ? shape.find(key) : shape.end();
  if (!shape.is_object() || list == shape.end() || !list->is_array()) {
    throw BadInput(fmt::format("{}: {}: found no list of parts", place, key));
  }
  std::vector<TracePart> parts;
  for (const Json& from : *list) {
    if (!from.is_object()) {
      throw BadInput(fmt::format("{}: {}: found {}; allowed: an object", place, key, from.dump()));
    }
    parts.push_back({text_of(place, from, "group"), text_of(place, from, "collective"),
                     number_of(place, from, "bytes", kMaxBytes),
                     number_of(place, from, "priority", kMaxPriority),
                     number_of(place, from, "root", kMaxRank),
                     number_of(place, from, "roots", kMaxRank), text_of(place, from, "algorithm"),
                     matrix_of(place, from, kMaxBytes)});
  }
  return parts;
}

}  // namespace

std::string trace_shapes_text(const TraceShapes& shapes) {
  Json all = Json::object();
  for (const auto& [number, shape] : shapes) {
    all[fmt::format("{}", number)] = {{"before", json_of(shape.before)},
                                      {"work", json_of(shape.work)},
                                      {"beside", json_of(shape.beside)}};
  }
  return all.dump();
}

TraceShapes parse_trace_shapes(const std::string& place, const std::string& text) {
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object()) {
    throw BadInput(fmt::format("{}: found no JSON object; allowed: shapes by number", place));
  }
  TraceShapes shapes;
  for (const auto& [name, from] : all.items()) {
    int number = -1;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, number);
    if (error != std::errc() || stop != end || number < 0 || number >= kMaxShapes) {
      throw BadInput(fmt::format("{}: found shape '{}'; allowed: a whole number, 0 to {}", place,
                                 name, kMaxShapes - 1));
    }
    const std::string at = fmt::format("{}: shape {}", place, number);
    shapes[number] = {parts_of(at, from, "before"), parts_of(at, from, "work"),
                      parts_of(at, from, "beside")};
  }
  return shapes;
}

}  // namespace fredsim
