// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/rtl_size.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/sha256.h"
#include "base/shell.h"
#include "switch/switch_build.h"
#include "switch/switch_kind.h"
#include "switch/switch_registry.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;                  // version of libraries and of the code around the class
constexpr std::size_t kModelLetters = 100;  // maximum; Verilator's file names have some more

std::string text_of(const fs::path& path) {
  if (std::optional<std::string> text = file_text(path.string())) return std::move(*text);
  throw BadInput(fmt::format("RTL source '{}' cannot be read: {}", path.string(),
                             std::generic_category().message(errno)));
}

// Path relative to the root if it is inside: Verilator ends names at a space, and relative paths
// have none.
std::string from_root(const fs::path& path, const fs::path& root) {
  const fs::path normal = path.lexically_normal();
  const std::string inside = normal.lexically_relative(root.lexically_normal()).string();
  return inside.empty() || inside.starts_with("..") ? normal.string() : inside;
}

// Sources of a file list, and of the lists in it (-F LIST), each once. +incdir+FOLDER is for tools
// that read the list themselves: included files are found relative to the including file.
void add_listed(std::vector<std::string>& sources, const fs::path& list, const fs::path& root) {
  constexpr std::string_view kOurs = "${FREDSIM_RTL}";
  constexpr std::string_view kList = "-F ";
  std::istringstream lines(text_of(list));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("//") || line.starts_with('+')) continue;
    if (const std::size_t at = line.find(kOurs); at != std::string::npos)
      line.replace(at, kOurs.size(), (root / "rtl").string());
    if (line.starts_with(kList)) {
      add_listed(sources, list.parent_path() / line.substr(kList.size()), root);
      continue;
    }
    std::string source = from_root(list.parent_path() / line, root);
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }
}

// The file list of a top module: the kind's own, or that of a size with the user's top.
std::string file_list(const SwitchShape& shape) {
  if (shape.rtl_top.empty()) return shape.kind->rtl().files;
  for (const RegisteredSwitch& size : registered_switches()) {
    if (!size.files.empty() && size.entry.starts_with(shape.kind->name() + " ") &&
        size.entry.ends_with(" " + shape.rtl_top))
      return std::string(size.files);
  }
  return "";
}

std::string model_of(const std::string& entry) {
  std::string model = "V" + entry;
  std::ranges::replace_if(
      model, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  model.resize(std::min(model.size(), kModelLetters));
  return model;
}

// Lines of a key for files and the files that they include.
class KeyFiles {
 public:
  KeyFiles(const RtlLocations& where, std::string& key) : where_(where), key_(key) {}

  // `from`: folders with included files.
  void add(const std::string& path, std::string_view directive, std::span<const fs::path> from) {
    if (!seen_.insert(path).second) return;
    const fs::path file = where_.root / path;
    const std::string text = text_of(file);
    const std::string digest = sha256(text);
    check(path, digest);
    key_ += fmt::format("{} {}\n", fs::path(path).filename().string(), digest);
    for (const std::string& name : included_names(text, directive)) {
      std::error_code failed;
      if (fs::is_regular_file(file.parent_path() / name, failed)) {
        add(from_root(file.parent_path() / name, where_.root), directive, from);
        continue;
      }
      const auto found = std::ranges::find_if(
          from, [&](const fs::path& folder) { return fs::is_regular_file(folder / name, failed); });
      if (found != from.end()) add(from_root(*found / name, where_.root), directive, from);
    }
  }

 private:
  static void check(const std::string& path, const std::string& digest) {
    const auto all = source_digests();
    const auto found = std::ranges::lower_bound(all, path, {}, &SourceDigest::path);
    if (found == all.end() || found->path != path || found->sha256 == digest) return;
    throw BadInput(
        fmt::format("'{}' has changed since this program was built; allowed: what it was built "
                    "from, or build it again: cmake --build {}",
                    path, shell_quoted(switch_build().build.string())));
  }

  const RtlLocations& where_;
  std::string& key_;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<RtlSize> rtl_size(const SwitchShape& shape, const RtlToolchain& tools,
                                const RtlLocations& where) {
  const std::string list = file_list(shape);
  if (list.empty()) return std::nullopt;
  const SwitchRtl& rtl = shape.kind->rtl();
  RtlSize size{.entry = size_entry(shape),
               .model = {},
               .top = shape.rtl_top.empty() ? shape.kind->rtl_top() : shape.rtl_top,
               .parameters = {},
               .sources = tools.settings,
               .peek = rtl.peek,
               .peek_header = rtl.peek_header,
               .includes = rtl.includes,
               .ports = shape.ports(),
               .lanes = shape.lanes(),
               // A user's RTL may use the falling edge.
               .rising_edges_only = rtl.rising_edges_only && shape.rtl_top.empty()};
  size.model = model_of(size.entry);
  std::istringstream words(size.entry);
  for (std::string word; words >> word;) {
    if (word.find('=') != std::string::npos) size.parameters.push_back(word);
  }
  for (const std::string& settings : rtl.settings)
    size.sources.push_back(fs::path(settings).lexically_normal().string());
  if (size.lanes > tools.shared_adder_lanes) size.sources.push_back(tools.shared_adder);
  add_listed(size.sources, where.root / list, where.root);
  return size;
}

std::string rtl_entry_text(const RtlSize& size) {
  // Types that the program has too keep their visibility; types around the class are local to the
  // library.
  return fmt::format(R"(#pragma GCC visibility push(default)
#include "switch/switch_registry.h"
#include "switch/verilated_switch.h"
#include "{0}"
#pragma GCC visibility pop
#include "{1}.h"
#include "{1}___024root.h"

extern "C" __attribute__((visibility("default"))) const fredsim::RegisteredSwitch* fredsim_rtl_switch() {{
  static constexpr fredsim::RegisteredSwitch kSwitch{{
      "{2}", &fredsim::make_verilated<{1}, fredsim::{3}, {4}, {5}, fredsim::ClockEdges::{6}>, ""}};
  return &kSwitch;
}}
)",
                     size.peek_header, size.model, size.entry, size.peek, size.ports, size.lanes,
                     size.rising_edges_only ? "kRising" : "kBoth");
}

std::string rtl_key(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where) {
  const std::string around = rtl_entry_text(size);
  std::string key = fmt::format("library {}\n{}\n{}\n{}\n{}\n", kFormat, size.entry, size.top,
                                fmt::join(size.parameters, "\n"), around);
  for (const std::string* version :
       {&tools.verilator_version, &tools.compiler, &tools.compiler_version})
    key += *version + "\n";
  for (const auto* flags :
       {&tools.verilate, &tools.compile, &tools.fast, &tools.slow, &tools.around, &tools.link}) {
    key += fmt::format("{}\n\n", fmt::join(*flags, "\n"));
  }
  KeyFiles files(where, key);
  for (const std::string& source : size.sources) files.add(source, "`include", {{where.root}});
  std::vector<fs::path> folders{where.root / "sc_models", where.generated};
  for (const std::string& folder : size.includes) folders.push_back(where.root / folder);
  for (const std::string& header : included_names(around, "#include")) {
    const auto found = std::ranges::find_if(folders, [&](const fs::path& folder) {
      std::error_code failed;
      return fs::is_regular_file(folder / header, failed);
    });
    // Inputs in the key generate the class's own headers.
    if (found != folders.end())
      files.add(from_root(*found / header, where.root), "#include", folders);
  }
  return sha256(key);
}

std::vector<std::string> included_names(std::string_view text, std::string_view directive) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(directive); at != std::string_view::npos;
       at = text.find(directive, at)) {
    at += directive.size();
    const std::size_t open = text.find_first_not_of(" \t", at);
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '<')) continue;
    const std::size_t end = text.find(text[open] == '"' ? '"' : '>', open + 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(text.substr(open + 1, end - open - 1));
    at = end;
  }
  return names;
}

}  // namespace fredsim
