#include "wave_arguments.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "add_option.h"
#include "base/error.h"
#include "base/units.h"
#include "option_values.h"

namespace fredsim {

namespace {

constexpr const char* kWindow = "--wave-window";

[[noreturn]] void fail_window(const std::string& text) {
  throw BadInput(fmt::format(
      "{}: found '{}'; allowed: FROM:TO in cycles, such as 100:200, or in time, such as "
      "100ns:200ns, FROM not after TO; no TO is the end of the run",
      kWindow, text));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

WaveWindow parse_window(const std::string& text) {
  const std::vector<std::string_view> ends = split_at(text, ':');
  if (ends.size() != 2 || ends[0].empty()) fail_window(text);
  WaveWindow window{.in_picoseconds = !is_number(ends[0])};
  if (!ends[1].empty() && is_number(ends[1]) == window.in_picoseconds) fail_window(text);
  const auto value = [&](std::string_view end) {
    return window.in_picoseconds ? parse_time_ps(end, kWindow)
                                 : parse_number(std::string(end), kWindow, 0, kMaxQuantity);
  };
  window.from = value(ends[0]);
  if (!ends[1].empty()) window.to = value(ends[1]);
  if (window.from > window.to) fail_window(text);
  return window;
}

}  // namespace

void WaveTexts::add_to(CLI::App& command) {
  add(command, "--wave", file, "FILE.fst",
      "waveforms of switches, which are then RTL, and of the links at them; with FILE.gtkw for "
      "GTKWave");
  add(command, "--wave-scope", scope, "GLOB", "names of the instances in it (default *)");
  command.add_flag("--wave-links-only", links_only,
                   "only links: switches keep the body that --model says");
  add(command, kWindow, windows, "FROM:TO",
      "cycles in it, or times such as 100ns:200ns; repeatable, ascending (default all)");
}

WaveOptions WaveTexts::checked() const {
  if (file.empty()) {
    const auto refuse = [](const char* option, const std::string& found) {
      throw BadInput(fmt::format(
          "{}: found {} without --wave; allowed: together with --wave FILE.fst", option, found));
    };
    if (!scope.empty()) refuse("--wave-scope", "'" + scope + "'");
    if (links_only) refuse("--wave-links-only", "it");
    if (!windows.empty()) refuse(kWindow, "'" + windows.front() + "'");
  }
  WaveOptions options{.file = file, .links_only = links_only};
  if (!scope.empty()) options.scope = scope;
  for (const std::string& window : windows) options.windows.push_back(parse_window(window));
  return options;
}

std::string wave_file_of(const std::string& file, const std::string& machine) {
  std::filesystem::path path(file);
  const std::filesystem::path extension = path.extension() == ".fst" ? ".fst" : "";
  if (!extension.empty()) path.replace_extension();
  path += "." + machine;
  path += extension;
  return path.string();
}

void note_empty_wave(const WaveRecorder& wave) {
  if (wave.cycles_recorded() > 0) return;
  fmt::print(stderr, "fredsim: {} holds no cycle: the run ended with cycle {}, before {}\n",
             wave.path(), wave.cycles() - 1, kWindow);
}

}  // namespace fredsim
