// SPDX-License-Identifier: Apache-2.0
// Windows of endpoint trees that cover the round trip of their packets.
//
// Window: max number of packets of a source in flight, that is sent but not yet confirmed by a
//   result or an acknowledgement (Part::window). An algorithm's own window is large enough for
//   links of some 20 ns; on longer links, or where few trees share a link, it would limit the rate.
// Size: the number of packets of the tree that the busiest link of its part sends during a packet
//   round trip, from the leaves to the root and back (collective/plan_time.h), times kMargin, since
//   packets queue. The round trip is doubled for sources that count acknowledgements, which return
//   along the path of the data.
// Unchanged: streams (collective/detail/streams.h); algorithms that set their pace by the window
//   (Algorithm::paces_by_window); parts in the switches, whose window follows from their depth
//   (collective/in_switch_plan.h).
#pragma once

#include "plan/plan.h"

namespace fredsim {

// Widens Part::window where it is too small; the trees are complete, but without acknowledgements.
void cover_round_trips(const Topology& topology, Plan& plan);

}  // namespace fredsim
