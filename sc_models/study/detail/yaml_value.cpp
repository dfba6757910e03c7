// SPDX-License-Identifier: Apache-2.0
#include "study/detail/yaml_value.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace fredsim {
namespace {

bool is_letter(unsigned char c) { return std::isalnum(c) != 0; }

// True for a text that YAML reads unchanged, within lists and maps too.
bool is_plain(std::string_view text) {
  constexpr std::string_view kFirst = "_./+";
  constexpr std::string_view kOther = "_./+-*%=@ :";
  if (text.empty() || text.back() == ' ' || text.back() == ':') return false;
  if (!is_letter(static_cast<unsigned char>(text.front())) &&
      kFirst.find(text.front()) == std::string_view::npos) {
    return false;
  }
  return text.find(": ") == std::string_view::npos && std::ranges::all_of(text, [&](char c) {
           return is_letter(static_cast<unsigned char>(c)) ||
                  kOther.find(c) != std::string_view::npos;
         });
}

// Quotes a text as JSON does, which is valid YAML.
std::string quoted(const std::string& text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_value(const std::string& text) { return is_plain(text) ? text : quoted(text); }

}  // namespace

std::string yaml_value(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kEmpty:
      return "";
    case ConfigNode::Kind::kValue:
      return text_value(node.text);
    case ConfigNode::Kind::kList:
    case ConfigNode::Kind::kMap:
      break;
  }
  const bool is_map = node.kind == ConfigNode::Kind::kMap;
  std::string text(1, is_map ? '{' : '[');
  for (const ConfigEntry& entry : node.entries) {
    if (text.size() > 1) text += ", ";
    if (is_map) text += text_value(entry.key) + ": ";
    text += yaml_value(entry.node);
  }
  return text + (is_map ? '}' : ']');
}

}  // namespace fredsim
