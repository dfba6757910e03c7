// SPDX-License-Identifier: Apache-2.0
// Components of a machine that have failed, wholly or in part, from the start of a run.
//
// A fault is a text; names are those of nodes and links (topology.h), as the JSON of a run and
//   `info --parts` have them:
//   link:NAME        a link in both directions, whichever of them NAME is: credits of the one come back over the other
//   link:NAME*RATE   the same at a share of its rate, above 0 and below 1, with six decimals at most: link:r0_0.1->r1_0.3*0.5
//   switch:NAME      a switch chiplet or router, with all of its links
//   npu:3, io:3      an NPU or I/O controller, with all of its links
// Failed links are not in the topology, so its invariants are those of any other; nodes stay,
//   without links, so that
// numbers and addresses are those of the whole machine. An endpoint that has no link left has
//   failed, too.
// Fred tree: routes go round what has failed (routing/online_routes.h); groups use the slices in
//   which all of their members reach each other (collective/detail/slice_shares.h). Where whole I/O
//   controllers alone have failed, that is all of them: plans are those of a machine with fewer.
// Switches joined to all others: what is sent from one to another takes the planes in which they
//   still have a link.
// Switches on rings and lines: the planes in which all links of the path along dimensions are left,
//   there and back. Nothing goes round what has failed in its plane; where no plane is left, hops
//   of collectives go by other members, or are refused.
// BiGraphs, fat trees and graphs: nothing goes round what has failed; links in part and NPUs can.
// Mesh and torus: routers compute their routes, X-Y, which has no path round a failed link between
//   routers, or a failed router: these are refused. An NPU with failed links to its own router uses
//   the others (MeshPlace::no_link).
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
  std::string text{};   // as it was written
  std::string label{};  // place in the input, for messages
};

// BadInput where it is none of the forms above; `label` says where it was found.
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
