// SPDX-License-Identifier: Apache-2.0
#include "report/report_page.h"

#include <fmt/format.h>

#include <utility>

#include "report/detail/report_resources.h"

namespace fredsim {
namespace {

// Escapes characters that in JSON occur inside of texts only, where an escape means the same.
std::string script_safe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string html_safe(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string report_page(std::string_view version, const nlohmann::ordered_json& data) {
  using Json = nlohmann::ordered_json;
  const std::string json = script_safe(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::string licences = html_safe(kD3Licences);
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"@STYLE@", kPageStyle}, {"@VERSION@", version}, {"@LICENCES@", licences},
      {"@D3@", kD3Script},     {"@DATA@", json},       {"@SCRIPT@", kPageScript}};
  // Copies the template from front to back, so that inserted text is never searched for marks.
  std::string page;
  std::string_view rest = kPageTemplate;
  for (const auto& [mark, part] : parts) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(part);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

}  // namespace fredsim
