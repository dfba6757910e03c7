// SPDX-License-Identifier: Apache-2.0
// A fabric as data: nodes with ports, directed links with rate and latency, and its properties:
// dimensions, levels, slices, and the routing of unicasts. Code queries these properties, never the
// kind of the topology (topology/topology_kind.h).
//
// Units: rates in flits per cycle (exact rational), latencies in cycles, buffers in flits.
// A node's output port `p` and input port `p` are the two directions of one physical port.
// Links are directed; every connected port has one link out and one link in, of one cable, unless
// links lead one way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flit.h"
#include "base/fp.h"
#include "base/named_value.h"
#include "base/rational.h"
#include "base/vc_order.h"
#include "rtl/mesh_pkg.h"

namespace fredsim {

class LinkPolicy;
class UnicastPaths;

// kAdder: a reduction engine of a switch, an endpoint at a port without an NPU: it adds arriving
// operands and forwards sums.
enum class NodeKind : std::uint8_t { kNpu, kIo, kAdder, kSwitch };

using NodeId = int;

inline constexpr int kMaxPorts = 32;  // per node: a port is a bit of a 32-bit mask

// Position of a switch in a grid and use of its ports: N, E, S, W, then local ports to its NPU,
// then ports of its I/O controllers.
struct MeshPlace {
  int local_ports = 4;
  int io_ports = 2;
  int x = 0;                  // column, 0 = west
  int y = 0;                  // row, 0 = north
  std::uint32_t no_link = 0;  // local ports whose link has failed (topology/faults.h), a bit each
};
enum MeshPort : int {
  kNorth = mesh_pkg::NORTH,
  kEast = mesh_pkg::EAST,
  kSouth = mesh_pkg::SOUTH,
  kWest = mesh_pkg::WEST,
  kFirstLocal = mesh_pkg::FIRST_LOCAL
};

// Input buffers of the switches in flits (per virtual channel) and of the endpoints' NICs.
// kAutoBuffer: not sized yet (topology/credit_loop.h).
inline constexpr int kAutoBuffer = 0;
struct BufferShape {
  int data_flits = 48;     // per data VC and port: 24 KiB
  int control_flits = 4;   // control VC: 2 KiB
  int output_flits = 24;   // staging per output port and VC, of switches that have it
  int receive_flits = 96;  // endpoint NIC, per VC and port
  bool operator==(const BufferShape&) const = default;
  int depth(int vc) const { return vc == kControl ? control_flits : data_flits; }
};

struct Node {
  NodeKind kind;
  std::string name;  // "npu3", "io7", "l1_2.s4", "l2.s4.c1", "r3_1"
  int ports = 0;
  std::uint16_t address = 0;  // endpoints: the address packets carry (base/flit.h)
  // Kind of a switch, and parameters of its RTL by name, except the machine's (buffers, format). A
  // kind uses the parameters that it has (switch/switch_kind.h).
  std::string switch_kind;
  std::vector<NamedValue> values;
  MeshPlace mesh;        // switches of a grid
  int level = 0;         // 0 endpoint, 1 first switch level, 2 …
  int slice = -1;        // parallel chiplet slice, -1 where there is none
  int switch_index = 0;  // chiplets of slices: number of the switch in its level,
  int chiplet = 0;       // and number of the chiplet in the switch's slice
  // First connected node one level up, failed links included; -1: none. Set by index_ports().
  NodeId above = -1;
  bool failed = false;                   // the node, or all of its links (topology/faults.h)
  std::optional<BufferShape> buffers{};  // buffers of a switch that differ from the machine's

  bool is_switch() const { return kind == NodeKind::kSwitch; }
  bool is_endpoint() const { return !is_switch(); }
};

struct Link {
  std::string name;  // "npu3.0->l1_0.s0.3"
  NodeId from = 0;
  int from_port = 0;
  NodeId to = 0;
  int to_port = 0;
  Rational rate;  // flits per cycle, 0 < rate <= 1
  // Cycles from the output register to the receiving buffer's register, >= 1, for a flit that takes
  // one cycle to send; for longer flits see links/link.h.
  int latency = 1;
  std::uint64_t bytes_per_second = 0;
  // Time of a flit on the wire, with the overhead of a link scheme, over the time of its bytes at
  // `bytes_per_second`.
  double wire_stretch = 1;
  bool on_die = false;  // between a mesh NPU and its own router: no wafer link, no hop
  // Length in flits of the bursts that an I/O controller's link sends, each at `peak`, and at
  // `rate` on average (links/link.h); 0: flit by flit, at `rate`.
  int burst = 0;
  Rational peak{};                             // flits per cycle, rate < peak <= 1; of bursts
  std::shared_ptr<const LinkPolicy> policy{};  // links/link_policy.h; null: a plain link
  // Rate at which a flit is sent.
  const Rational& flit_rate() const { return burst > 0 ? peak : rate; }
  // Cycles from the launch of a flit on an idle link to the edge at which its last bit arrives.
  std::uint64_t flit_cycles() const {
    return static_cast<std::uint64_t>(latency) + (flit_rate().den - 1) / flit_rate().num;
  }
};

// Slows a link down by the exact ratio `bits` / `bare` of a flit on the wire. BadInput if the rate
// no longer fits in a fraction of 64 bits.
void lengthen_flits(Link& link, std::uint64_t bare, std::uint64_t bits);

// Reachability between endpoints of a tree with failed components, per slice: two endpoints reach
// each other if their level-1 chiplets reach a common chiplet by going up. Symmetric, since links
// fail in both directions.
struct SliceReach {
  int slices = 0;
  int chiplets = 0;             // level-1 chiplets of a slice
  std::vector<int> chiplet;     // by (node, slice): level-1 chiplet of an endpoint; -1: none
  std::vector<bool> connected;  // by (slice, chiplet, chiplet)
};

// Components that failed from the start (topology/faults.h), and the connections that they cut.
struct FailedComponents {
  std::vector<std::string> names;  // faults as the user gave them
  SliceReach reach;
  bool any() const { return !names.empty(); }
  bool cut_slices() const { return reach.slices != 0; }
  // True if one endpoint reaches another by NIC port `port` (the slice) of both. Always true if no
  // slice is cut.
  bool leave_path(NodeId from, NodeId to, int port) const;
};

// Method by which a switch finds the output of a unicast.
enum class UnicastRoutes : std::uint8_t {
  kByCoordinates,  // the switch's and the destination's place in a grid (routing/mesh_routing.h)
  kByTable,        // by destination; written before traffic flows (routing/online_routes.h)
};

// NPUs beside each other: all joined by switches above them, or each with the next, and on a ring
// the last with the first. (The ends of a ring of 2 are neighbours already.)
enum class Joined : std::uint8_t { kSwitches, kLine, kRing };
struct TopologyDimension {
  int size = 0;
  Joined joined = Joined::kSwitches;
};

// Rows and columns whose ends are joined. A side is 3 or more; 0: no ring. (The ends of a side of 2
// are neighbours already.)
struct MeshRings {
  int columns = 0;  // length of a row that is a ring
  int rows = 0;     // length of a column that is a ring
};

// Switches in a grid, an NPU at each. Width 0: they are in none.
struct SwitchGrid {
  int width = 0;
  int height = 0;
  MeshRings rings;
};

// The switches of one level of a tree, all alike but for the I/O controllers at the lowest.
struct TreeLevel {
  int below = 0;               // per switch: NPUs at level 1, above it switches of the level below
  int chiplets_per_slice = 1;  // per switch; 1 at level 1
  int uplinks = 0;             // per chiplet; 0 at the top
  // Bandwidth per switch, over slices x chiplets x uplinks, in bytes/s; 0 at the top.
  std::uint64_t uplink_bandwidth = 0;
  std::string switch_kind{};  // kind of its switches; empty: the machine's
};

// Switches in a tree. No levels: they are in none.
struct SwitchTree {
  std::vector<TreeLevel> levels;  // lowest first: level k (Node::level) is levels[k - 1]

  int depth() const { return static_cast<int>(levels.size()); }
  int switches(int level) const;  // on level 1 … depth(): 1 at the top
  int npus_per_l1() const { return levels.front().below; }
  // Links between one slice of a switch and one chiplet of the level above, which has as many ports
  // per switch below. `level`: the lower level.
  int uplinks_per_chiplet_above(int level) const;
};

struct Topology;

// Two layers of switches: each lower switch is joined to each upper switch and to no further one,
// with NPUs at both. Node::switch_index counts the lower switches first. Zero: no layers.
struct SwitchLayers {
  int lower = 0, upper = 0;
  int pair_links = 0;  // between a lower and an upper one
};

// Properties of a block of a system, to be queried instead of its word.
struct BlockFacts {
  bool has_switch = false;      // NPUs are joined by switches
  bool is_symmetrical = false;  // any two NPUs are joined as any other two
  // Minimum number of links of an NPU in a block of `npus` NPUs; null: the block has one size (a
  // machine or a line).
  int (*links)(int npus) = nullptr;
  int min_size = 2;  // minimum size above 2
};

// A dimension of a system (topology/system.h): NPUs that differ in it alone are a group, which a
// block joins.
struct SystemBlock {
  std::string name;  // "node"
  std::string word;  // "ring", …; for a machine its kind of topology: for display only
  BlockFacts facts{};
  std::shared_ptr<const Topology>
      topology{};               // one block by itself, its NPUs the first nodes, in order of rank
  std::uint64_t bandwidth = 0;  // an NPU's, bytes/s
  int first_port = 0;           // system port of an NPU for port 0 of the block
};

struct Topology {
  std::string name;
  std::string kind;  // value of `fabric.type` in a machine file
  std::uint64_t clock_hz = 0;
  std::vector<Node> nodes;
  std::vector<Link> links;
  BufferShape buffers;              // Node::buffers
  int packet_flits = kPacketFlits;  // longest data packet, 1 … kPacketFlits
  VcOrder vc_order = kDefaultVcOrder;
  FpFormat format = FpFormat::kFp16;
  // RTL parameters of all switches, beyond buffers and format; parameters of a user's own RTL; and
  // its top module, empty: ours.
  std::vector<NamedValue> switch_values;
  std::vector<NamedValue> own_values;
  std::string rtl_top;
  UnicastRoutes unicasts = UnicastRoutes::kByTable;
  // Paths computed by the kind of topology (topology/unicast_paths.h); null: by
  // routing/online_routes.h.
  std::shared_ptr<const UnicastPaths> paths{};
  // Dimensions, innermost first: NPUs with consecutive numbers are neighbours in the first one. The
  // product of the sizes is the number of NPUs.
  std::vector<TopologyDimension> dimensions;
  std::vector<SystemBlock> blocks{};  // lowest first; empty: no system
  // Reason why the topology cannot be run flit by flit, as the end of a message: "found 128 ports;
  // …". Empty: it can. Limits of ports and addresses do not apply if set.
  std::string flow_only{};
  // True if a port's output link and input link connect to different nodes. Such a topology is run
  // as flows only.
  bool one_way = false;
  SwitchGrid grid;
  SwitchTree tree;
  SwitchLayers layers;
  int slices = 0;          // parallel parts of every switch, joined only in the NPUs; 0: no parts
  bool in_switch = false;  // collectives reduced and distributed inside the switches (Fred-B, -D)
  bool simulate_all_slices = false;  // simulates equal slices, too (operations/equal_slices.h)
  bool has_rings() const;
  const BufferShape& buffers_of(const Node& node) const {
    return node.buffers ? *node.buffers : buffers;
  }
  bool has_blocks() const { return !blocks.empty(); }
  std::vector<const Topology*> machines() const;      // machines of its blocks, or itself
  bool has_places() const { return grid.width > 0; }  // positions of switches: Node::mesh
  bool has_levels() const { return !tree.levels.empty(); }
  bool has_layers() const { return layers.lower > 0; }
  bool has_slices() const { return slices > 0; }
  std::vector<NodeId> npus;  // rank r of the machine is npus[r]
  std::vector<NodeId> io_controllers;
  std::vector<NodeId> adders{};  // NodeKind::kAdder
  FailedComponents failed{};
  std::vector<std::string> notes;  // rounded values: "link latency 20 ns = 30 cycles (20.000 ns)"

  // Link that leaves `node` by `port`, or enters it; -1: the port is unconnected.
  int link_out(NodeId node, int port) const;
  int link_in(NodeId node, int port) const;
  // Output link of the first connected port of an endpoint that has not failed.
  const Link& first_link_out(NodeId node) const;
  // Call once after nodes and links are complete. Checks every invariant above, in every build
  // type: std::logic_error names the first violated one.
  void index_ports();

 private:
  std::vector<int> first_port_;  // node -> offset into out_/in_
  std::vector<int> out_;
  std::vector<int> in_;
};

}  // namespace fredsim
