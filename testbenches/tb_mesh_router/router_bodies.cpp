#include "router_bodies.h"

#include "Vmesh_router_even.h"
#include "Vmesh_router_small.h"
#include "switch/rtl_switch.h"
#include "switch/verilated_switch.h"

namespace fredsim::tb {
namespace {

SwitchShape shape_of(int locals, int ios, int lanes, int data_flits, int control_flits) {
  SwitchShape s;
  s.kind = NodeKind::kMeshRouter;
  s.local_ports = locals;
  s.io_ports = ios;
  s.lanes = lanes;
  s.buffers.data_flits = data_flits;
  s.buffers.control_flits = control_flits;
  return s;
}

template <class Model, int Ports, int Lanes>
std::unique_ptr<SwitchCore> make() {
  return std::make_unique<VerilatedSwitch<Model, Ports, Lanes>>("dut",
                                                                std::make_shared<RtlContext>());
}

}  // namespace

const RouterBody& wafer_router() {
  static const RouterBody body{
      "wafer", shape_of(4, 2, 1, 80, 4),
      []() -> std::unique_ptr<SwitchCore> { return make_rtl_switch(wafer_router().shape, "dut"); }};
  return body;
}

const RouterBody& small_router() {
  static const RouterBody body{"small", shape_of(1, 0, 3, 5, 1), make<Vmesh_router_small, 5, 3>};
  return body;
}

const RouterBody& even_router() {
  static const RouterBody body{"even", shape_of(2, 2, 1, 16, 4), make<Vmesh_router_even, 8, 1>};
  return body;
}

}  // namespace fredsim::tb
