// SPDX-License-Identifier: Apache-2.0
// A fabric as data: nodes with ports, and directed links with rate and latency; and what can be
// done with it: its dimensions, levels and slices, and how unicasts are routed. Whoever wants to
// know asks these, never which kind of topology it is (topology/topology_kind.h).
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

// kAdder: a reduction engine of a switch, an endpoint at a port of it that is no NPU's: it adds
// what comes and passes on sums.
enum class NodeKind : std::uint8_t { kNpu, kIo, kAdder, kSwitch };

using NodeId = int;

inline constexpr int kMaxPorts = 32;  // per node: a port is a bit of a 32-bit mask

// Position of a switch in a grid and use of its ports: N, E, S, W, then local ports, to its NPU,
// then those of its I/O controllers.
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
  // Switches: their kind, and parameters of its RTL by name, as far as they are not the machine's
  // (buffers, format). A kind takes those that it has (switch/switch_kind.h).
  std::string switch_kind;
  std::vector<NamedValue> values;
  MeshPlace mesh;        // switches of a grid
  int level = 0;         // 0 endpoint, 1 first switch level, 2 …
  int slice = -1;        // parallel chiplet slice, -1 where there is none
  int switch_index = 0;  // chiplets of slices: of which switch of the level,
  int chiplet = 0;       // and which of that switch's in the slice
  // The first of the nodes one level up that it is joined to, or was before links failed; -1: none.
  // By index_ports().
  NodeId above = -1;
  bool failed = false;                   // it, or all of its links (topology/faults.h)
  std::optional<BufferShape> buffers{};  // a switch's, where they are not the machine's

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
  // one cycle to send; links/link.h says when one that takes longer is there.
  int latency = 1;
  std::uint64_t bytes_per_second = 0;
  // Time of a flit on the wire, with what a scheme adds to it, over that of its bytes at
  // `bytes_per_second`.
  double wire_stretch = 1;
  bool on_die = false;  // between a mesh NPU and its own router: no wafer link, no hop
  // An I/O controller's link sends bursts of so many flits, each at `peak`, and `rate` on average
  // (links/link.h); 0: it sends flit by flit, at `rate`.
  int burst = 0;
  Rational peak{};                             // flits per cycle, rate < peak <= 1; of bursts
  std::shared_ptr<const LinkPolicy> policy{};  // links/link_policy.h; null: a plain link
  // At which a flit is sent.
  const Rational& flit_rate() const { return burst > 0 ? peak : rate; }
  // From the launch of a flit, on an idle link, to the edge at which its last bit is there.
  std::uint64_t flit_cycles() const {
    return static_cast<std::uint64_t>(latency) + (flit_rate().den - 1) / flit_rate().num;
  }
};

// A flit takes so many bits on the wire for every `bare` ones: the link becomes slower by that,
// exactly. BadInput where the rate is no fraction of 64 bits any more.
void lengthen_flits(Link& link, std::uint64_t bare, std::uint64_t bits);

// Reachability between endpoints of a tree with failed components, in a slice: those reach each
// other whose chiplets of level 1 have a chiplet in common that both reach by going up. Either way,
// since links fail in both directions.
struct SliceReach {
  int slices = 0;
  int chiplets = 0;          // level-1 chiplets of a slice
  std::vector<int> chiplet;  // by (node, slice): which of them an endpoint is joined to; -1: none
  std::vector<bool> connected;  // by (slice, chiplet, chiplet)
};

// Components that failed from the start (topology/faults.h), and what they cut off.
struct FailedComponents {
  std::vector<std::string> names;  // as the user named them
  SliceReach reach;
  bool any() const { return !names.empty(); }
  bool cut_slices() const { return reach.slices != 0; }
  // True if one endpoint reaches another by NIC port `port` (the slice) of both. Where none are
  // cut: always.
  bool leave_path(NodeId from, NodeId to, int port) const;
};

// Method by which a switch finds the output of a unicast.
enum class UnicastRoutes : std::uint8_t {
  kByCoordinates,  // its own place in a grid and that of the destination (routing/mesh_routing.h)
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
  int rows = 0;     // length of a column that is one
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
  std::string switch_kind{};  // its switches' kind; empty: the machine's
};

// Switches in a tree. No levels: they are in none.
struct SwitchTree {
  std::vector<TreeLevel> levels;  // lowest first: level k (Node::level) is levels[k - 1]

  int depth() const { return static_cast<int>(levels.size()); }
  int switches(int level) const;  // on level 1 … depth(): 1 at the top
  int npus_per_l1() const { return levels.front().below; }
  // Links that join one slice of a switch to one chiplet of the level above, which gives each
  // switch below it as many ports. `level`: of the lower one.
  int uplinks_per_chiplet_above(int level) const;
};

struct Topology;

// Two layers of switches, each of the lower one joined to each of the upper one and to no other,
// NPUs at both. Node::switch_index counts the lower ones first. None: they are in no layers.
struct SwitchLayers {
  int lower = 0, upper = 0;
  int pair_links = 0;  // between a lower and an upper one
};

// Facts of a block of a system, for all who would ask for its word.
struct BlockFacts {
  bool has_switch = false;      // NPUs are joined by switches
  bool is_symmetrical = false;  // any two NPUs are joined as any other two
  // Links of an NPU, at least, where the block has so many NPUs; null: it has one size, a machine's
  // or a line's.
  int (*links)(int npus) = nullptr;
  int min_size = 2;  // below it there is no other size but 2
};

// A dimension of a system (topology/system.h): NPUs that differ in it alone are a group, which a
// block joins.
struct SystemBlock {
  std::string name;  // "node"
  std::string
      word;  // "ring", …; of a machine its kind of topology: a name for people, asked by nobody
  BlockFacts facts{};
  std::shared_ptr<const Topology>
      topology{};               // one block by itself, its NPUs the first nodes, in order of rank
  std::uint64_t bandwidth = 0;  // an NPU's, bytes/s
  int first_port = 0;           // port of the system's NPUs that is port 0 of the block's
};

struct Topology {
  std::string name;
  std::string kind;  // as `fabric.type` of a machine file has it
  std::uint64_t clock_hz = 0;
  std::vector<Node> nodes;
  std::vector<Link> links;
  BufferShape buffers;              // Node::buffers
  int packet_flits = kPacketFlits;  // longest data packet, 1 … kPacketFlits
  VcOrder vc_order = kDefaultVcOrder;
  FpFormat format = FpFormat::kFp16;
  // Parameters of the RTL of all its switches, beside what buffers and format say; of those that
  // only a user's own RTL has; and its top module, empty: ours.
  std::vector<NamedValue> switch_values;
  std::vector<NamedValue> own_values;
  std::string rtl_top;
  UnicastRoutes unicasts = UnicastRoutes::kByTable;
  // Paths that the kind lays itself (topology/unicast_paths.h); null: routing/online_routes.h does.
  std::shared_ptr<const UnicastPaths> paths{};
  // NPUs that follow each other by number stand beside each other in the first one. Their sizes
  // multiplied are the number of NPUs.
  std::vector<TopologyDimension> dimensions;
  std::vector<SystemBlock> blocks{};  // lowest first; empty: no system
  // Why flit by flit it cannot be run, as the end of a message: "found 128 ports; …". Empty: it
  // can. Limits of ports and of addresses do not hold for others.
  std::string flow_only{};
  // A port's link out leads to another node than its link in comes from. It is run as flows alone.
  bool one_way = false;
  SwitchGrid grid;
  SwitchTree tree;
  SwitchLayers layers;
  int slices =
      0;  // parallel parts of every switch, joined in the NPUs only; 0: switches have no parts
  bool in_switch = false;  // collectives reduced and distributed inside the switches (Fred-B, -D)
  bool simulate_all_slices = false;  // also those that do the same (operations/equal_slices.h)
  bool has_rings() const;
  const BufferShape& buffers_of(const Node& node) const {
    return node.buffers ? *node.buffers : buffers;
  }
  bool has_blocks() const { return !blocks.empty(); }
  std::vector<const Topology*> machines() const;      // each of its blocks, or itself
  bool has_places() const { return grid.width > 0; }  // positions of switches: Node::mesh
  bool has_levels() const { return !tree.levels.empty(); }
  bool has_layers() const { return layers.lower > 0; }
  bool has_slices() const { return slices > 0; }
  std::vector<NodeId> npus;  // rank r of the machine is npus[r]
  std::vector<NodeId> io_controllers;
  std::vector<NodeId> adders{};  // NodeKind::kAdder
  FailedComponents failed{};
  std::vector<std::string> notes;  // values that were rounded: "link latency 20 ns = 30 cycles
                                   // (20.000 ns)"

  // Link that leaves `node` by `port`, or that enters it; -1 where the port is unconnected.
  int link_out(NodeId node, int port) const;
  int link_in(NodeId node, int port) const;
  // The link out of the first port that has one; of an endpoint that has not failed.
  const Link& first_link_out(NodeId node) const;
  // Call once after nodes and links are complete. Checks every invariant above, in every build
  // type: std::logic_error names the first that does not hold.
  void index_ports();

 private:
  std::vector<int> first_port_;  // node -> offset into out_/in_
  std::vector<int> out_;
  std::vector<int> in_;
};

}  // namespace fredsim
