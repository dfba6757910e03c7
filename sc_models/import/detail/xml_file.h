// SPDX-License-Identifier: Apache-2.0
// A file in XML, with the lines of its elements.
//
// No entity is ever expanded but the five of XML itself, and no other file is read: a document type,
//   which could declare entities, is refused.
// Errors: BadInput with file and line: XML that is cut or wrong, a document type, a missing
//   attribute, a value out of range.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace fredsim {

class XmlFile {
 public:
  explicit XmlFile(const std::string& path);

  pugi::xml_node root() const { return document_.document_element(); }
  // "topo.xml:12: <gpu>"
  std::string label(const pugi::xml_node& element) const;
  std::string text(const pugi::xml_node& element, const char* attribute) const;
  std::optional<std::string> text_if(const pugi::xml_node& element, const char* attribute) const;
  // Number from `min` to `max`, or `missing` without the attribute.
  int number(const pugi::xml_node& element, const char* attribute, int min, int max,
             std::optional<int> missing = {}) const;

 private:
  int line_at(std::ptrdiff_t offset) const;

  std::string path_, text_;
  pugi::xml_document document_;
};

}  // namespace fredsim
