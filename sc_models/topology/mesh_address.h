// SPDX-License-Identifier: Apache-2.0
// Addresses of endpoints on a mesh or torus: router column x, router row y, and the endpoint number
// at that router: 0 is the NPU, 1 and up the I/O controllers on its outward faces. Field layout:
// rtl/common/mesh_pkg.sv.
#pragma once

#include <cstdint>

#include "rtl/mesh_pkg.h"

namespace fredsim {

inline constexpr int kMeshSide = 1 << mesh_pkg::COORDINATE_W;  // maximum number of routers in a row
                                                               // or column
inline constexpr int kMeshEndpoints = 1 << mesh_pkg::ENDPOINT_W;  // maximum per router

constexpr std::uint16_t mesh_address(int x, int y, int endpoint) {
  return static_cast<std::uint16_t>(x << mesh_pkg::X_LSB | y << mesh_pkg::Y_LSB |
                                    endpoint << mesh_pkg::ENDPOINT_LSB);
}

constexpr int mesh_column(std::uint16_t address) {
  return address >> mesh_pkg::X_LSB & (kMeshSide - 1);
}
constexpr int mesh_row(std::uint16_t address) {
  return address >> mesh_pkg::Y_LSB & (kMeshSide - 1);
}
constexpr int mesh_endpoint(std::uint16_t address) {
  return address >> mesh_pkg::ENDPOINT_LSB & (kMeshEndpoints - 1);
}

}  // namespace fredsim
