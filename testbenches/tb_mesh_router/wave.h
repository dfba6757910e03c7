// SPDX-License-Identifier: Apache-2.0
// Work recorded by `tb_mesh_router --wave FILE.fst`: the wafer's router (4 local, 2 I/O ports), at
// x 2, y 3, in five stages, each until all flits have left. Every flit is checked as in the tests.
//
//   0 registers     position and credits are written
//   1 straight      west to east and to the NPU, each output used by one input
//   2 contention    north, west and a local port all to the south: round robin, packet by packet
//   3 priorities    MP, PP, DP and control from the west to the east: flits of several packets take
//                   turns
//   4 stall         links that pause, receivers that return credits late
#pragma once

#include <string>

namespace fredsim::tb {

std::string record_wave(const std::string& file);  // returns a description of its content

}  // namespace fredsim::tb
