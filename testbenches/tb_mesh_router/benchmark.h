// Simulation speed of one router of the 5 x 4 mesh: prints cycles per second of processor time,
// drivers included, for several loads.
#pragma once

namespace fredsim::tb {

void run_benchmark();

}  // namespace fredsim::tb
