// What a viewer shows of the inside of a mesh_router: the registers of its crossbar by port and virtual channel
// (rtl/mesh/mesh_crossbar.sv). Tests hold that everything named exists there.
#pragma once

#include "switch/wave_scope.h"

namespace fredsim {

void show_mesh_control(GtkwaveSave& save, const WaveScope& crossbar);
void show_mesh_port(GtkwaveSave& save, const WaveScope& crossbar, int port, int ports);

}  // namespace fredsim
