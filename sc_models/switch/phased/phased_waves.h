// SPDX-License-Identifier: Apache-2.0
// Internal signals of a switch with a phase store for a waveform viewer: its registers by port,
// virtual channel and flow (rtl/phased/phased_control.sv, phased_input_unit.sv,
// phased_output_unit.sv). Tests check that every named signal exists there.
#pragma once

#include "switch/wave_scope.h"

namespace fredsim {

// `control`: scope of the control unit; `port`: scope of one gen_port.
void show_phased_control(GtkwaveSave& save, const WaveScope& control, int ports);
void show_phased_port(GtkwaveSave& save, const WaveScope& port);
// Shows the output side alone (phased_output_unit.sv).
void show_output_staging(GtkwaveSave& save, const WaveScope& port);

}  // namespace fredsim
