#include "router_implementations.h"

#include <fmt/format.h>

#include "Vmesh_13_15_2_1_3/Vmesh_13_15_2_1_3.h"
#include "Vmesh_13_15_2_1_3/Vmesh_13_15_2_1_3___024root.h"
#include "Vmesh_1_0_3_5_1/Vmesh_1_0_3_5_1.h"
#include "Vmesh_1_0_3_5_1/Vmesh_1_0_3_5_1___024root.h"
#include "Vmesh_2_2_1_16_4/Vmesh_2_2_1_16_4.h"
#include "Vmesh_2_2_1_16_4/Vmesh_2_2_1_16_4___024root.h"
#include "switch/lockstep_switch.h"
#include "switch/mesh/mesh_peek.h"
#include "switch/rtl_switch.h"
#include "switch/verilated_switch.h"

namespace fredsim::tb {
namespace {

MeshShape shape_of(int locals, int ios, int lanes, int data_flits, int control_flits) {
  MeshShape s;
  s.local_ports = locals;
  s.io_ports = ios;
  s.lanes = lanes;
  s.buffers.data_flits = data_flits;
  s.buffers.control_flits = control_flits;
  return s;
}

const MeshShape kWafer = shape_of(4, 2, 1, 80, 4);

std::unique_ptr<SwitchCore> make_wafer() { return make_rtl_switch(kWafer, "dut"); }

template <class Model, int Ports, int Lanes>
RouterImplementation verilated(const char* name, SwitchModel model, const MeshShape& shape) {
  return {name, model, shape, [shape] {
            return std::make_unique<
                VerilatedSwitch<Model, MeshPeek, Ports, Lanes, ClockEdges::kRising>>(
                shape, "dut", std::make_shared<RtlContext>());
          }};
}

}  // namespace

std::unique_ptr<SwitchCore> RouterImplementation::make() const {
  if (model == SwitchModel::kRtl) return make_rtl();
  auto twin = make_twin(shape, "dut");
  if (model == SwitchModel::kTlm) return twin;
  return std::make_unique<LockstepSwitch>(make_rtl(), std::move(twin), shape, "dut");
}

RouterImplementation wafer_router(SwitchModel model) {
  return {"wafer", model, kWafer, make_wafer};
}

RouterImplementation small_router(SwitchModel model) {
  return verilated<Vmesh_1_0_3_5_1, 5, 3>("small", model, shape_of(1, 0, 3, 5, 1));
}

RouterImplementation even_router(SwitchModel model) {
  return verilated<Vmesh_2_2_1_16_4, 8, 1>("even", model, shape_of(2, 2, 1, 16, 4));
}

RouterImplementation full_router(SwitchModel model) {
  return verilated<Vmesh_13_15_2_1_3, 32, 2>("full", model, shape_of(13, 15, 2, 1, 3));
}

std::string test_name(const RouterImplementation& router) {
  return fmt::format("{}_{}", switch_model_name(router.model), router.name);
}

}  // namespace fredsim::tb
