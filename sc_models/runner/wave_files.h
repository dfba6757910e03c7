// SPDX-License-Identifier: Apache-2.0
// Waveform files of a run: their names, and the note about them.
#pragma once

#include <string>

#include "runner/file_uses.h"
#include "trace/wave_options.h"
#include "trace/wave_recorder.h"

namespace fredsim {

inline constexpr const char* kWaveTrigger = "--wave-trigger";

// Adds the files that one machine writes if a waveform is requested.
void add_wave_files(const WaveOptions& wave, FileUses& files);

// Waveform file of one of several machines: "w.fst" of mesh_2x2 is "w.mesh_2x2.fst".
std::string wave_file_of(const std::string& file, const std::string& machine);

// Prints a note to standard error after the run: the file is empty, or where the trigger was.
void note_wave(const WaveRecorder& wave, bool quiet);

}  // namespace fredsim
