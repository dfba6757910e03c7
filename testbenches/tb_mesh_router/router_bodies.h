// The mesh_router bodies that the testbench drives: RTL of three shapes, each as a SwitchCore.
#pragma once

#include <memory>
#include <string_view>

#include "switch/switch_core.h"

namespace fredsim::tb {

struct RouterBody {
  std::string_view name;
  SwitchShape shape;
  std::unique_ptr<SwitchCore> (*make)();
};

// The router of the 5 x 4 mesh of the paper: 4 local and 2 I/O ports, 80 flits per data VC.
const RouterBody& wafer_router();
// 1 local port, no I/O, three lanes, buffers below a packet: 5 flits per data VC, 1 of control.
const RouterBody& small_router();
// 2 local and 2 I/O ports, a power of two in all; 16 flits per data VC.
const RouterBody& even_router();

}  // namespace fredsim::tb
