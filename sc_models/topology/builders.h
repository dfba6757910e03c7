// Builders: from the parameters of a machine to its topology.
//
// Units: bandwidths in bytes/s per direction, latencies in ps, clock in Hz; a link's rate
//   becomes an exact rational of flits per cycle, its latency is rounded up to cycles
//   (Topology::notes says so).
// Node ids: NPUs first, then switches, then I/O controllers.
// Errors: BadInput naming the configuration key (config.h) whose value does not come out.
#pragma once

#include <cstdint>
#include <string>

#include "topology/topology.h"

namespace fredsim {

struct MachineSpec {
  std::string name;
  std::uint64_t clock_hz = 0;
  int npus = 0;
  std::uint64_t npu_bandwidth = 0;  // of one NPU, over all its NIC ports
  int io_controllers = 0;
  std::uint64_t io_bandwidth = 0;  // of one I/O controller; > 0 where there are any
  std::uint64_t link_latency_ps = 0;
  BufferShape buffers;
  FpFormat format = FpFormat::kFp16;
  std::string rtl_top;  // top module of a user's own switch RTL; empty: ours
};

// A 2D mesh (FRED.md §4). The NPU at column x and row y is npu<y*width+x> on router r<x>_<y>.
//   NPU: 4 NIC ports; NIC port i is joined to local port i (router port 4 + i) at
//     npu_bandwidth / 4, but no more than one flit per cycle: this joint is inside the NPU's
//     own router, no wafer link.
//   I/O: one controller on each outward face, faces taken router by router in row-major order and
//     N, E, S, W at a router; its first gets I/O port 0 (router port 8), its second I/O port 1. A
//     router has two I/O ports: on a mesh of width or height 1 the faces beyond stay empty (and a
//     note says so).
//   Addresses: mesh_address(x, y, 0) for the NPU, mesh_address(x, y, 1 + k) for I/O port k.
struct Mesh2dSpec {
  int width = 0;   // 1 … 64
  int height = 0;  // 1 … 64
  std::uint64_t link_bandwidth = 0;
  std::uint64_t local_latency_ps = 0;  // NPU to its own router; becomes one cycle at least
};
inline constexpr int kMaxMeshSide = 64;
Topology build_mesh2d(const MachineSpec& machine, const Mesh2dSpec& spec);
int mesh_io_controllers(int width, int height);  // how many the mesh has places for: 18 for 5 x 4

// A two-level tree of Fred_m switches (FRED.md §4, "decomposition"). Each L1 switch is `slices`
// parallel chiplets l1_<l>.s<s>; each slice has its own l2_chiplets_per_slice chiplets
// l2.s<s>.c<c>.
//   L1 chiplet: ports 0 … are its NPUs, then its uplinks, then its I/O controllers.
//   NPU and I/O: NIC port s is joined to slice s, at bandwidth / slices. L1 switch l holds the NPUs
//     l*npus_per_l1 …; the I/O controllers are dealt out in order, as evenly as possible, the first
//     L1 switches getting one more.
//   Uplink u of L1 switch l, with k = uplinks / l2_chiplets_per_slice: port l*k + u % k of L2
//     chiplet u / k of the slice, at uplink_bandwidth / (slices * uplinks).
//   Addresses: NPU i has address i, I/O controller j has npus + j.
struct FredTreeSpec {
  FredTreeFacts shape;
  std::uint64_t uplink_bandwidth = 0;  // of one L1 switch, over all slices and uplinks
};
Topology build_fred_tree(const MachineSpec& machine, const FredTreeSpec& spec);

}  // namespace fredsim
