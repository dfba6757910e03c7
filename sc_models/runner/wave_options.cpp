// SPDX-License-Identifier: Apache-2.0
#include "runner/wave_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "nic/packet_extension.h"

namespace fredsim {

namespace {

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
      "--wave-window", text));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

WaveWindow parse_wave_window(const std::string& text) {
  const std::vector<std::string_view> ends = split_at(text, ':');
  if (ends.size() != 2 || ends[0].empty()) fail_window(text);
  WaveWindow window{.in_picoseconds = !is_number(ends[0])};
  if (!ends[1].empty() && is_number(ends[1]) == window.in_picoseconds) fail_window(text);
  const auto value = [&](std::string_view end) {
    return window.in_picoseconds ? parse_time_ps(end, "--wave-window")
                                 : parse_number(std::string(end), "--wave-window", 0, kMaxQuantity);
  };
  window.from = value(ends[0]);
  if (!ends[1].empty()) window.to = value(ends[1]);
  if (window.from > window.to) fail_window(text);
  return window;
}

namespace {

// Parses a decimal number, or a hexadecimal one after 0x, as viewers show tags.
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

}  // namespace

WaveTrigger parse_wave_trigger(const std::string& text) {
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

void check_wave(const OptionTexts& texts, const WaveOptions& wave, SwitchModel model) {
  if (!wave.trigger) return;
  if (!wave.windows.empty())
    throw BadInput(
        fmt::format("{}: found '{}' together with --wave-window; allowed: one of the two",
                    kWaveTrigger, texts[kWaveTrigger]));
  if (wave.trigger->kind == WaveTriggerKind::kLockstep && model != SwitchModel::kLockstep)
    throw BadInput(fmt::format(
        "{}: found 'lockstep', but nothing runs in lockstep; allowed: with --model lockstep",
        kWaveTrigger));
}

}  // namespace fredsim
