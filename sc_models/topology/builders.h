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
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

struct MachineSpec {
  std::string name;
  std::uint64_t clock_hz = 0;
  int npus = 0;
  std::uint64_t npu_bandwidth = 0;  // of one NPU, over all its NIC ports
  int io_controllers = 0;
  std::uint64_t io_bandwidth = 0;  // of one I/O controller; > 0 where there are any
  // Its links send bursts of so many flits at the rate of an NPU's port, where that is higher; 0: none (Link::burst).
  int io_burst = 0;
  std::uint64_t link_latency_ps = 0;
  BufferShape buffers;
  int packet_flits = kPacketFlits;  // longest data packet
  VcOrder vc_order = kDefaultVcOrder;
  FpFormat format = FpFormat::kFp16;
  std::vector<NamedValue> switch_values{};  // Topology
  std::vector<NamedValue> own_values{};     // Topology
  std::string rtl_top;                      // top module of a user's own switch RTL; empty: ours
  std::string switch_kind{};                // empty: default_switch_kind()
};
// What the fabrics are built of where nothing else is asked for.
std::string_view default_switch_kind(FabricKind fabric);
std::string switch_kind_of(const MachineSpec& machine, FabricKind fabric);

// Of a machine's wafer links, once they are there. With retransmission a flit takes longer on the wire, by what protects it:
// the links' rates become so much lower, and a note says so.
void set_link_errors(Topology& topology, const LinkErrors& errors);

// A 2D mesh. The NPU at column x and row y is npu<y*width+x> on router r<x>_<y>.
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

// A 2D torus: the mesh, and a link from the east end of every row to its west end and from the south end of
// every column to its north end, by the ports that the mesh leaves free there (a side of 2 or 1 stays as it
// is). I/O controllers are where the mesh has them. Routers keep their rings from standing still by
// receivers that hold more than a packet (rtl/mesh/mesh_router.sv): BadInput for smaller buffers.
Topology build_torus2d(const MachineSpec& machine, const Mesh2dSpec& spec);

// A tree of Fred_m switches, 1 to 8 levels (the paper's wafer has two). Every switch is
// `slices` parallel parts that share nothing; a part is one chiplet at level 1 and
// chiplets_per_slice chiplets above.
//   Names: l1_<i>.s<s>; above l<k>_<i>.s<s>.c<c>; the one switch at the top of two levels or more has
//     no index: l2.s<s>.c<c>.
//   Ports of a chiplet: what is below it, then its uplinks, then (L1) its I/O controllers.
//   Switch i of level k has the switches i*below … of the level below; L1 switch i the NPUs
//     i*below … . The I/O controllers are dealt out over the L1 switches in order, as evenly as
//     possible, the first ones getting one more.
//   NPU and I/O: NIC port s is joined to slice s, at bandwidth / slices.
//   Uplinks: those of all chiplets of one slice of a switch, in the order (chiplet, uplink), are shared
//     out evenly and in order over the chiplets of that slice of the switch above: number g, with
//     k = uplinks_per_chiplet_above, goes to chiplet g / k, port j*k + g % k, where the lower switch is
//     number j of those below the upper one. Each has uplink_bandwidth / (slices x chiplets x uplinks).
//   Addresses: NPU i has address i, I/O controller j has npus + j.
inline constexpr int kMaxTreeLevels = 8;
struct FredTreeSpec {
  FredTreeFacts shape;
  // Messages name the keys of a two-level tree (fabric.l1_switches) and not those of fabric.levels.
  bool two_level_keys = false;
};
Topology build_fred_tree(const MachineSpec& machine, const FredTreeSpec& spec);

// The levels of a tree of two.
struct TwoLevels {
  int l1_switches = 0;
  int npus_per_l1 = 0;
  int uplinks = 0;  // per L1 chiplet
  int l2_chiplets_per_slice = 0;
  std::uint64_t uplink_bandwidth = 0;  // of one L1 switch
};
std::vector<FredLevel> levels_of(const TwoLevels& tree);

}  // namespace fredsim
