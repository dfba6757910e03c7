// SPDX-License-Identifier: Apache-2.0
// The mesh_router implementations that the testbench drives: RTL of four shapes and its twin, each
// as a SwitchCore.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "switch/mesh/mesh_shape.h"
#include "switch/switch_factory.h"

namespace fredsim::tb {

// Implementations that every test runs on.
inline constexpr std::array kModels{SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep};

struct RouterImplementation {
  std::string_view name;
  SwitchModel model;
  MeshShape shape;
  std::function<std::unique_ptr<SwitchCore>()> make_rtl;
  std::unique_ptr<SwitchCore> make() const;  // makes a switch of `model`
};

// The router of the 5 x 4 mesh of the paper: 4 local and 2 I/O ports, 80 flits per data VC.
RouterImplementation wafer_router(SwitchModel model);
// 1 local port, no I/O, three lanes, buffers below a packet: 5 flits per data VC, 1 of control. VCs
// in the order PP, control, DP, MP.
RouterImplementation small_router(SwitchModel model);
// 2 local and 2 I/O ports, a power of two in all; 16 flits per data VC. VCs in the order DP, PP,
// MP, control.
RouterImplementation even_router(SwitchModel model);
// All 32 ports, 15 of them I/O; two lanes; one flit per data VC, 3 of control.
RouterImplementation full_router(SwitchModel model);

// Name of a test instance: "rtl_wafer".
std::string test_name(const RouterImplementation& router);

}  // namespace fredsim::tb
