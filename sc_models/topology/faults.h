// SPDX-License-Identifier: Apache-2.0
// Components of a machine that have failed, fully or partially, from the start of a run.
//
// A fault is a text with names of nodes and links (topology.h), as in the JSON of a run and in
//   `info --parts`:
//   link:NAME        a link in both directions, named by either of them, since credits of one
//                    direction return over the other
//   link:NAME*RATE   the same at a share of its rate, above 0 and below 1, at most six decimals:
//                    link:r0_0.1->r1_0.3*0.5
//   switch:NAME      a switch chiplet or router, with all of its links
//   npu:3, io:3      an NPU or I/O controller, with all of its links
// Failed links are not in the topology, so its usual invariants hold; failed nodes remain,
//   without links, so that numbers and addresses do not change. An endpoint that has no link left
//   has failed, too.
// Fred tree: routes avoid failed components (routing/online_routes.h); groups use the slices in
//   which all of their members reach each other (collective/detail/slice_shares.h). If only whole
//   I/O controllers have failed, that is all slices: plans are made as for a machine with fewer
//   controllers.
// Switches joined to all others: traffic between two switches takes the planes in which they
//   still have a link.
// Switches on rings and lines: the planes in which all links of the path along dimensions are left,
//   there and back. There is no detour within a plane; if no plane is left, hops of collectives go
//   through other members, or are refused.
// BiGraphs, fat trees and graphs: no detours; only slower links and failed NPUs are allowed.
// Mesh and torus: routers compute their routes, X-Y, which cannot avoid a failed link between
//   routers, or a failed router: both are refused. An NPU with failed links to its own router uses
//   its remaining links (MeshPlace::no_link).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

struct Fault {
  enum class Kind : std::uint8_t { kLink, kSwitch, kNpu, kIo };
  Kind kind = Kind::kLink;
  std::string name;     // name of the link or node: "npu3"
  Rational left{};      // fraction of the link's rate; 0: failed
  std::string text{};   // text of the fault, as the user gave it
  std::string label{};  // place in the input, for messages
};

// Parses a fault; BadInput if it has none of the forms above. `label`: its location in the input.
Fault parse_fault(std::string_view text, std::string_view label);
// True if the machine has such a component.
bool has_part(const Topology& topology, const Fault& fault);
// Takes them out of a machine without failed components. BadInput, opening with the fault's label:
// a part that is not there, with the nearest name; one that is named twice; a link that becomes too
// slow; a fabric without a path round it; no NPU left.
void lose_parts(Topology& topology, const std::vector<Fault>& faults);

// NPUs, by number, and I/O controllers that have not failed.
std::vector<int> npus_left(const Topology& topology);
std::vector<int> io_controllers_left(const Topology& topology);
// " (failed: link:a, npu:3)"; empty without faults.
std::string faults_text(const Topology& topology);

}  // namespace fredsim
