// SPDX-License-Identifier: Apache-2.0
#include "router_implementations.h"

#include <fmt/format.h>

#include "Vmesh_13_15_2_1_3/Vmesh_13_15_2_1_3.h"
#include "Vmesh_13_15_2_1_3/Vmesh_13_15_2_1_3___024root.h"
#include "Vmesh_1_0_3_5_1_VC_ORDER45/Vmesh_1_0_3_5_1_VC_ORDER45.h"
#include "Vmesh_1_0_3_5_1_VC_ORDER45/Vmesh_1_0_3_5_1_VC_ORDER45___024root.h"
#include "Vmesh_2_2_1_16_4_VC_ORDER198/Vmesh_2_2_1_16_4_VC_ORDER198.h"
#include "Vmesh_2_2_1_16_4_VC_ORDER198/Vmesh_2_2_1_16_4_VC_ORDER198___024root.h"
#include "switch/lockstep_switch.h"
#include "switch/mesh/mesh_peek.h"
#include "switch/rtl_switch.h"
#include "switch/verilated_switch.h"

namespace fredsim::tb {
namespace {

MeshShape shape_of(int locals, int ios, int lanes, int data_flits, int control_flits,
                   const VcOrder& order = kDefaultVcOrder) {
  MeshShape s;
  s.local_ports = locals;
  s.io_ports = ios;
  s.lanes = lanes;
  s.buffers.data_flits = data_flits;
  s.buffers.control_flits = control_flits;
  s.vc_order = order;
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
  return verilated<Vmesh_1_0_3_5_1_VC_ORDER45, 5, 3>(
      "small", model, shape_of(1, 0, 3, 5, 1, {kPp, kControl, kDp, kMp}));
}

RouterImplementation even_router(SwitchModel model) {
  return verilated<Vmesh_2_2_1_16_4_VC_ORDER198, 8, 1>(
      "even", model, shape_of(2, 2, 1, 16, 4, {kDp, kPp, kMp, kControl}));
}

RouterImplementation full_router(SwitchModel model) {
  return verilated<Vmesh_13_15_2_1_3, 32, 2>("full", model, shape_of(13, 15, 2, 1, 3));
}

std::string test_name(const RouterImplementation& router) {
  return fmt::format("{}_{}", switch_model_name(router.model), router.name);
}

}  // namespace fredsim::tb
