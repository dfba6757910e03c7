// SPDX-License-Identifier: Apache-2.0
#include "import/detail/xml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"
#include "import/detail/text_words.h"

namespace fredsim {

XmlFile::XmlFile(const std::string& path) : path_(path), text_(import_text(path)) {
  constexpr unsigned kParse = pugi::parse_default | pugi::parse_doctype;
  const pugi::xml_parse_result result =
      document_.load_buffer(text_.data(), text_.size(), kParse, pugi::encoding_utf8);
  if (!result)
    throw BadInput(
        fmt::format("{}: found XML that ends or goes wrong here: {}; allowed: "
                    "well-formed XML",
                    line_label(path_, line_at(result.offset)), result.description()));
  for (const pugi::xml_node& node : document_)
    if (node.type() == pugi::node_doctype)
      throw BadInput(fmt::format(
          "{}: found <!DOCTYPE>, which may declare entities; allowed: elements and attributes",
          line_label(path_, line_at(static_cast<std::ptrdiff_t>(text_.find("<!DOCTYPE"))))));
  if (!root()) throw BadInput(fmt::format("{}: found no element; allowed: an XML file", path_));
}

int XmlFile::line_at(std::ptrdiff_t offset) const {
  const auto end = std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_));
  return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + end, '\n'));
}

std::string XmlFile::label(const pugi::xml_node& element) const {
  return fmt::format("{}: <{}>", line_label(path_, line_at(element.offset_debug())),
                     shown(element.name()));
}

std::string XmlFile::text(const pugi::xml_node& element, const char* attribute) const {
  if (const auto found = text_if(element, attribute)) return *found;
  throw BadInput(
      fmt::format("{}: found no attribute '{}'; allowed: one", label(element), attribute));
}

std::optional<std::string> XmlFile::text_if(const pugi::xml_node& element,
                                            const char* attribute) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  if (!found) return std::nullopt;
  return found.value();
}

int XmlFile::number(const pugi::xml_node& element, const char* attribute, int min, int max,
                    std::optional<int> missing) const {
  const std::optional<std::string> found = text_if(element, attribute);
  if (!found && missing) return *missing;
  const std::string what = fmt::format("{} {}", label(element), attribute);
  return static_cast<int>(parse_number(text(element, attribute), what,
                                       static_cast<std::uint64_t>(min),
                                       static_cast<std::uint64_t>(max)));
}

}  // namespace fredsim
