// SPDX-License-Identifier: Apache-2.0
// Internal signals of a mesh_router for a waveform viewer, by port and virtual channel. Tests check
// that every named signal exists there.
//
// `router`: the scope around its i_allocator (rtl/mesh/mesh_router.sv).
#pragma once

#include "switch/wave_scope.h"

namespace fredsim {

void show_mesh_control(GtkwaveSave& save, const WaveScope& router);
void show_mesh_port(GtkwaveSave& save, const WaveScope& router, int port, int ports);

}  // namespace fredsim
