// SPDX-License-Identifier: Apache-2.0
#include "import_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/units.h"
#include "config/config.h"
#include "support/temporary_folder.h"

namespace fredsim {

const ImportFormat& format_called(std::string_view name) {
  const auto found = std::ranges::find(import_formats(), name,
                                       [](const ImportFormat* format) { return format->name; });
  if (found == import_formats().end()) throw std::invalid_argument(std::string(name));
  return **found;
}

ImportResult imported(std::string_view format, const std::string& text,
                      const ImportOptions& options) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file"), std::ios::binary) << text;
  return import_machine(format_called(format), folder.file("file"), options);
}

Topology built(const std::string& machine_text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("machine.yaml")) << machine_text;
  return load_config(folder.file("machine.yaml")).topology;
}

std::string refusal(std::string_view format, const std::string& text) {
  try {
    imported(format, text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

std::multiset<std::string> links_of(const Topology& topology) {
  std::multiset<std::string> links;
  for (const Link& link : topology.links) {
    if (link.from > link.to || link.on_die) continue;
    links.insert(fmt::format("{} {} {}", topology.nodes[link.from].name,
                             topology.nodes[link.to].name,
                             format_bandwidth(static_cast<double>(link.bytes_per_second))));
  }
  return links;
}

std::string note_of(const ImportResult& result, std::string_view key) {
  for (const ImportNote& note : result.notes)
    if (fmt::format(", {}, ", note.keys).find(fmt::format(", {}, ", key)) != std::string::npos)
      return note.reason;
  return "";
}

std::string example_text(const std::string& file) {
  const std::ifstream stream("configs/systems/files/" + file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || text.str().empty()) throw std::runtime_error(file);
  return std::move(text).str();
}

}  // namespace fredsim
