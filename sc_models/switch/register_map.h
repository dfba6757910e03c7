// The register map of fred_switch and mesh_router: word addresses, 32-bit data. Mirrors
// rtl/common/noc_pkg.sv, rtl/fred/fred_pkg.sv and rtl/mesh/mesh_pkg.sv; tests/switch checks the two against each other through the RTL.
#pragma once

#include <cstdint>

namespace fredsim::reg {

inline constexpr std::uint16_t kId = 0x0000;     // RO: kFredId or kMeshId
inline constexpr std::uint16_t kShape = 0x0001;  // RO; fred: P | M << 8; mesh: locals | I/Os << 8
inline constexpr std::uint16_t kPosition = 0x0002;  // RW, mesh_router: x | y << 8
// RW, mesh_router: sides of the rings, columns of a row | rows of a column << 8; 0, the reset value: none.
inline constexpr std::uint16_t kTorus = 0x0004;
inline constexpr std::uint16_t kError = 0x0003;  // RO: sticky error code
// RW: credits of output port p, VC v (kCredit + 4p + v), i.e. the depth of the buffer at the other
// end. Reset value: the switch's own input buffer depth. Write only while no traffic flows.
inline constexpr std::uint16_t kCredit = 0x0100;
// RO counters, 64 bits as two words, low word first.
inline constexpr std::uint16_t kFlitsIn = 0x0200;       // + 2p
inline constexpr std::uint16_t kFlitsOut = 0x0280;      // + 2p
inline constexpr std::uint16_t kReductions = 0x0300;    // fred: element-wise flit additions fired
inline constexpr std::uint16_t kPhaseChanges = 0x0302;  // fred: configurations loaded
// Cycles × (flow or port) in which the first flit of an input buffer could not leave, by reason:
//   join     fred: another input of the flow has no flit
//   credit   no room at an output for a packet (fred: staging; mesh: credit)
//   phase    fred: the flit's phase is not the active one
//   arbiter  mesh, and online unicasts in a fred: another flit or packet has the output or the input;
//            fred with two middle sub-networks also: no way through the interconnect is free
//   link     output flit waits for the link's pacing only
inline constexpr std::uint16_t kStallJoin = 0x0310;
inline constexpr std::uint16_t kStallCredit = 0x0312;
inline constexpr std::uint16_t kStallPhase = 0x0314;
inline constexpr std::uint16_t kStallArbiter = 0x0316;
inline constexpr std::uint16_t kStallLink = 0x0318;
// RW: the routing table of a fred_switch for online unicasts: kRoute + destination; 1 + output port, or 0:
// no route. Reset value: 0. Written before such packets arrive.
inline constexpr std::uint16_t kRoute = 0x0400;
inline constexpr int kMaxRoutes = 1024;
// RW: the phase store of a fred_switch: kPhaseStore + phase * row_words + word
// (routing/fred_routing.h). Reset value: zero, no phase is valid.
inline constexpr std::uint16_t kPhaseStore = 0x1000;
inline constexpr int kPhaseStoreWords = 384;  // 1.5 KB (§6.2.3)

inline constexpr std::uint32_t kFredId = 0xF2ED0001;
inline constexpr std::uint32_t kMeshId = 0x3E540001;

// Error codes, the first one sticks.
inline constexpr std::uint32_t kErrorNone = 0;
inline constexpr std::uint32_t kErrorOverflow = 1;  // a flit arrived at a full input buffer
inline constexpr std::uint32_t kErrorJoin = 2;      // joined flits disagree in tag or tail
// A head flit names a phase that is not programmed, or one whose VC or input ports do not match.
inline constexpr std::uint32_t kErrorPhase = 3;
inline constexpr std::uint32_t kErrorRoute =
    4;  // no port leads to the destination of a packet's head

}  // namespace fredsim::reg
