// SPDX-License-Identifier: Apache-2.0
// Windows of endpoint trees that cover the round trip of their packets.
//
// Window: packets that a source may have sent and not seen come back, as results or as
//   acknowledgements (Part::window). An algorithm's own is enough on links of some 20 ns; over
//   longer ones, or where few trees share a link, it would set the pace.
// Needed: a tree has to have as many packets on their way as the busiest link of its part sends of
//   it in the time that a packet takes from the leaves to the root and back
//   (collective/plan_time.h), kMargin times, since packets queue; twice that time where sources go
//   by acknowledgements, which come back along the path of the data.
// Left as they are: streams (collective/detail/streams.h), algorithms that choose the pace by their
//   window (Algorithm::paces_by_window), parts in the switches, whose window follows their depth
//   (collective/in_switch_plan.h).
#pragma once

#include "plan/plan.h"

namespace fredsim {

// Widens Part::window where it is too small; the trees are complete, but without acknowledgements.
void cover_round_trips(const Topology& topology, Plan& plan);

}  // namespace fredsim
