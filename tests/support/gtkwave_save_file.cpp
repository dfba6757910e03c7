// SPDX-License-Identifier: Apache-2.0
#include "support/gtkwave_save_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace fredsim {
namespace {

constexpr unsigned long kEndOfGroup = 0x1000000;  // among the flags of a line that names a group

// "path", "path[3:0]", or "(2)path[3:0]", one bit of it.
SavedPiece piece_of(const std::string& text) {
  static const std::regex kForm(R"((?:\((\d+)\))?(.*?)(\[\d+:\d+\])?)");
  std::smatch part;
  std::regex_match(text, part, kForm);
  SavedPiece piece{part[2], part[3]};
  if (part[1].matched) piece.bit = std::stoi(part[1]);
  return piece;
}

// "signal", "+{alias} signal" or "#{alias} bit bit …".
SavedTrace trace_of(std::string line) {
  SavedTrace trace;
  trace.title = line;
  if (line.starts_with("+{") || line.starts_with("#{")) {
    const std::size_t end = line.find('}');
    trace.title = line.substr(2, end - 2);
    line.erase(0, end + 1);
  }
  std::istringstream words(line);
  for (std::string word; words >> word;) trace.pieces.push_back(piece_of(word));
  return trace;
}

int bits_of(const std::string& range) {
  if (range.empty()) return 1;
  const std::size_t colon = range.find(':');
  return std::stoi(range.substr(1)) - std::stoi(range.substr(colon + 1)) + 1;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::string SavedTrace::group_path() const { return fmt::format("{}", fmt::join(groups, "/")); }

SaveFile read_save_file(const std::string& text) {
  SaveFile save;
  std::istringstream lines(text);
  std::string filter;
  unsigned long flags = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '[' || line[0] == '*') continue;
    if (line[0] == '@') {
      flags = std::stoul(line.substr(1), nullptr, 16);
      filter.clear();
    } else if (line.starts_with("^1 ")) {
      filter = line.substr(3);
    } else if (line[0] != '-') {
      save.traces.push_back(trace_of(line));
      save.traces.back().groups = save.open_groups;
      save.traces.back().filter = filter;
    } else if ((flags & kEndOfGroup) == 0) {
      save.open_groups.push_back(line.substr(1));
    } else if (!save.open_groups.empty() && save.open_groups.back() == line.substr(1)) {
      save.open_groups.pop_back();
    } else {
      save.open_groups.push_back("end of " + line.substr(1));
    }
  }
  return save;
}

std::vector<std::string> problems_of(const SaveFile& save, const std::vector<VcdName>& names) {
  std::vector<std::string> problems;
  if (save.traces.empty()) problems.emplace_back("no signals");
  std::map<std::string, int> widths;  // width by path, in GTKWave's spelling
  for (const VcdName& name : names) {
    std::string dots = name.path;
    std::ranges::replace(dots, '/', '.');
    widths[dots] = name.bits;
  }
  for (const SavedTrace& trace : save.traces) {
    for (const SavedPiece& piece : trace.pieces) {
      const auto found = widths.find(piece.path);
      if (found == widths.end()) {
        problems.push_back("no signal " + piece.path);
      } else if (found->second != bits_of(piece.range)) {
        problems.push_back(
            fmt::format("{} has {} bits, not {}", piece.path, found->second, bits_of(piece.range)));
      } else if (piece.bit >= found->second) {
        problems.push_back(fmt::format("{} has no bit {}", piece.path, piece.bit));
      }
    }
    if (!trace.filter.empty() && !std::filesystem::exists(trace.filter)) {
      problems.push_back("no filter file " + trace.filter);
    }
  }
  for (const std::string& group : save.open_groups) problems.push_back("open group " + group);
  return problems;
}

std::vector<std::string> problems_of_committed(const std::string& path,
                                               const std::vector<VcdName>& names) {
  const std::string text = text_of(path);
  const SaveFile save = read_save_file(text);
  std::vector<std::string> problems = problems_of(save, names);
  for (const SavedTrace& trace : save.traces) {
    if (trace.filter.starts_with("/")) problems.push_back("absolute path " + trace.filter);
  }
  for (const char* const own : {"[dumpfile", "[savefile"}) {
    if (text.find(own) != std::string::npos) problems.push_back(fmt::format("{} in it", own));
  }
  return problems;
}

}  // namespace fredsim
