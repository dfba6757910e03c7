// SPDX-License-Identifier: Apache-2.0
// Options of waveform files (trace/wave_options.h), a row each.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <string>

#include "base/units.h"
#include "results/option_row.h"
#include "runner/wave_files.h"
#include "switch/switch_factory.h"
#include "trace/wave_options.h"

namespace fredsim {

WaveWindow parse_wave_window(const std::string& text);
WaveTrigger parse_wave_trigger(const std::string& text);

inline constexpr const char* kWithWave = "together with --wave FILE.fst";
inline constexpr auto kWaveRows = rows::under(
    headings::kWaves,
    rows::text<&WaveOptions::file>(
        "--wave", "FILE.fst",
        "waveforms of switches, which are then RTL, and of the links at them; FILE.vcd: as VCD; "
        "with FILE.gtkw for GTKWave",
        {.only_exact = "flows have no signals"}),
    rows::text<&WaveOptions::scope>("--wave-scope", "GLOB", "instances to record (default *)",
                                    {.needs = "--wave", .allowed = kWithWave}),
    rows::flag<&WaveOptions::links_only>(
        "--wave-links-only", "only links: switches keep the implementation that --model says",
        {.needs = "--wave", .allowed = kWithWave}),
    rows::parsed<parse_wave_window, &WaveOptions::windows>(
        "--wave-window", "FROM:TO",
        "cycles to record, or times such as 100ns:200ns; repeatable, ascending (default all)",
        {.most = kAnyNumber, .needs = "--wave", .allowed = kWithWave}),
    rows::parsed<parse_wave_trigger, &WaveOptions::trigger>(
        kWaveTrigger, "KIND[:ARG]",
        "records only around the first stall:CYCLES, phase-change, preemption, packet:TAG, "
        "stream:NUMBER, payload, lockstep, deadlock or failure; runs twice",
        {.needs = "--wave", .allowed = kWithWave}),
    rows::number<&WaveOptions::trigger, &WaveTrigger::before>(
        "--wave-before", "N", "cycles before the trigger (default 100)",
        {.min = 0, .max = kMaxQuantity, .needs = kWaveTrigger, .allowed = "together with it"}),
    rows::number<&WaveOptions::trigger, &WaveTrigger::after>(
        "--wave-after", "N", "cycles after it (default 100)",
        {.min = 0, .max = kMaxQuantity, .needs = kWaveTrigger, .allowed = "together with it"}));

// Throws BadInput for options that conflict or cannot take effect, after all are read.
void check_wave(const OptionTexts& texts, const WaveOptions& wave, SwitchModel model);

}  // namespace fredsim
