// SPDX-License-Identifier: Apache-2.0
#include "switch/gtkwave_save.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/error.h"

namespace fredsim {
namespace {

// GTKWave's flags of the traces that follow.
constexpr const char* kFormats[] = {"@28", "@22", "@24"};  // index: TraceFormat
constexpr const char* kNamed = "@2022";                    // hex, through a filter file
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kClosedGroup = "@c00200";
constexpr const char* kEndOfGroup = "@1000200";
constexpr const char* kEndOfClosedGroup = "@1401200";

constexpr const char* kSaveFile = ".gtkw";

struct Filter {
  const char* extension;
  const char* lines;  // value as shown in hex, name
};
constexpr Filter kFilters[] = {  // index: TraceNames
    {".vc.filter", "0 MP\n1 PP\n2 DP\n3 control\n"},
    {".phase.filter", "ff online\nFF online\n"},
    {".direction.filter", "0 north\n1 east\n2 south\n3 west\n"}};

// "#{title} (3)name[7:0] (4)name[7:0]": bits are counted from the most significant one.
std::string bits_of(const std::string& title, const WaveName& of, int lowest, int count) {
  std::string text = fmt::format("#{{{}}}", title);
  for (int bit = lowest + count - 1; bit >= lowest; --bit) {
    text += of.bits == 1 ? fmt::format(" {}", of.path)
                         : fmt::format(" ({}){}{}", of.bits - 1 - bit, of.path, of.range);
  }
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  const auto failure = [&] {
    return fmt::format("--wave: '{}' beside it cannot be written: {}", path.string(),
                       std::generic_category().message(errno));
  };
  if (!file) throw BadInput(failure());
  file << text;
  file.close();
  if (!file) throw RunFailed(fmt::format("{}; it has {} bytes", failure(), text.size()));
}

}  // namespace

std::vector<std::string> gtkwave_extensions() {
  std::vector<std::string> extensions{kSaveFile};
  for (const Filter& filter : kFilters) extensions.emplace_back(filter.extension);
  return extensions;
}

void GtkwaveSave::begin_group(const std::string& name, bool open) {
  text_ += fmt::format("{}\n-{}\n", open ? kOpenGroup : kClosedGroup, name);
}

void GtkwaveSave::end_group(const std::string& name, bool open) {
  text_ += fmt::format("{}\n-{}\n", open ? kEndOfGroup : kEndOfClosedGroup, name);
}

void GtkwaveSave::trace(TraceFormat format, const std::string& name) {
  text_ += fmt::format("{}\n{}\n", kFormats[static_cast<int>(format)], name);
}

void GtkwaveSave::named(TraceNames names, const std::string& name) {
  text_ += fmt::format("{}\n^1 {}\n{}\n", kNamed, filter(names).string(), name);
}

void GtkwaveSave::bits(TraceFormat format, const std::string& title, const WaveName& of, int lowest,
                       int count) {
  trace(format, bits_of(title, of, lowest, count));
}

void GtkwaveSave::named_bits(TraceNames names, const std::string& title, const WaveName& of,
                             int lowest, int count) {
  named(names, bits_of(title, of, lowest, count));
}

std::filesystem::path GtkwaveSave::beside(const std::string& extension) const {
  std::filesystem::path path = stem_;
  path += extension;
  return path;
}

std::filesystem::path GtkwaveSave::filter(TraceNames names) const {
  return beside(kFilters[static_cast<int>(names)].extension);
}

void GtkwaveSave::write() const {
  for (const Filter& filter : kFilters) {
    const std::filesystem::path path = beside(filter.extension);
    if (text_.find(path.string()) != std::string::npos) write_file(path, filter.lines);
  }
  write_file(beside(kSaveFile), text_);
}

}  // namespace fredsim
