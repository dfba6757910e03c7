// SPDX-License-Identifier: Apache-2.0
#include "cli/wave_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "nic/packet_extension.h"
#include "runner/option_values.h"
#include "runner/program_name.h"

namespace fredsim {

namespace {

constexpr const char* kWindow = "--wave-window";

struct TriggerName {
  std::string_view name;
  WaveTriggerKind kind;
  std::uint64_t max;  // max of the argument; 0: none
};
constexpr TriggerName kTriggers[] = {
    {"stall", WaveTriggerKind::kStall, kMaxQuantity},
    {"phase-change", WaveTriggerKind::kPhaseChange, 0},
    {"preemption", WaveTriggerKind::kPreemption, 0},
    {"packet", WaveTriggerKind::kPacket, std::numeric_limits<std::uint32_t>::max()},
    {"stream", WaveTriggerKind::kStream, kMaxStreams - 1},
    {"payload", WaveTriggerKind::kPayload, 0},
    {"lockstep", WaveTriggerKind::kLockstep, 0},
    {"deadlock", WaveTriggerKind::kDeadlock, 0},
    {"failure", WaveTriggerKind::kFailure, 0}};

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

// Decimal, or hexadecimal after 0x, as a viewer shows tags.
std::uint64_t parse_argument(const std::string& text, std::uint64_t max) {
  if (!text.starts_with("0x")) return parse_number(text, kWaveTrigger, 0, max);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (stop != end || error != std::errc() || value > max) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: 0x0 to {:#x}", kWaveTrigger, text, max));
  }
  return value;
}

WaveTrigger parse_trigger(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto* const found = std::ranges::find(kTriggers, name, &TriggerName::name);
  const bool has_argument = colon != std::string::npos;
  if (found == std::end(kTriggers) || has_argument != (found->max != 0)) {
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: stall:CYCLES, phase-change, preemption, packet:TAG, "
                    "stream:NUMBER, payload, lockstep, deadlock or failure",
                    kWaveTrigger, text));
  }
  WaveTrigger trigger{.kind = found->kind};
  if (has_argument) trigger.argument = parse_argument(text.substr(colon + 1), found->max);
  return trigger;
}

}  // namespace

void WaveStrings::add_to(CLI::App& command) {
  under(command, headings::kWaves);
  add(command, "--wave", file, "FILE.fst",
      "waveforms of switches, which are then RTL, and of the links at them; FILE.vcd: as VCD; "
      "with FILE.gtkw for GTKWave");
  add(command, "--wave-scope", scope, "GLOB", "names of the instances in it (default *)");
  command.add_flag("--wave-links-only", links_only,
                   "only links: switches keep the implementation that --model says");
  add(command, kWindow, windows, "FROM:TO",
      "cycles in it, or times such as 100ns:200ns; repeatable, ascending (default all)");
  add(command, kWaveTrigger, trigger, "KIND[:ARG]",
      "only what is around the first stall:CYCLES, phase-change, preemption, packet:TAG, "
      "stream:NUMBER, payload, lockstep, deadlock or failure; runs twice");
  add(command, "--wave-before", before, "N", "cycles before the trigger (default 100)");
  add(command, "--wave-after", after, "N", "cycles after it (default 100)");
}

WaveOptions WaveStrings::checked() const {
  if (file.empty()) {
    const auto refuse = [](const char* option, const std::string& found) {
      throw BadInput(fmt::format(
          "{}: found {} without --wave; allowed: together with --wave FILE.fst", option, found));
    };
    if (!scope.empty()) refuse("--wave-scope", "'" + scope + "'");
    if (links_only) refuse("--wave-links-only", "it");
    if (!windows.empty()) refuse(kWindow, "'" + windows.front() + "'");
    if (!trigger.empty()) refuse(kWaveTrigger, "'" + trigger + "'");
  }
  if (!trigger.empty() && !windows.empty()) {
    throw BadInput(fmt::format("{}: found '{}' together with {}; allowed: one of the two",
                               kWaveTrigger, trigger, kWindow));
  }
  if (trigger.empty() && !(before.empty() && after.empty())) {
    throw BadInput(fmt::format("{}: found '{}' without {}; allowed: together with it",
                               before.empty() ? "--wave-after" : "--wave-before",
                               before.empty() ? after : before, kWaveTrigger));
  }
  WaveOptions options{.file = file, .links_only = links_only};
  if (!scope.empty()) options.scope = scope;
  if (!trigger.empty()) {
    options.trigger = parse_trigger(trigger);
    if (!before.empty()) {
      options.trigger->before = parse_number(before, "--wave-before", 0, kMaxQuantity);
    }
    if (!after.empty()) {
      options.trigger->after = parse_number(after, "--wave-after", 0, kMaxQuantity);
    }
  }
  for (const std::string& window : windows) options.windows.push_back(parse_window(window));
  return options;
}

}  // namespace fredsim
