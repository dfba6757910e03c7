// SPDX-License-Identifier: Apache-2.0
// Collectives of gloo and MPI, which threads of the CPU carry out ("gloo:all_reduce").
//
// Each becomes an operation of a stream: that of the thread that ends it, or one for all where a
//   profile shows it on the thread that calls it. The call (c10d::…) around its begin launches it.
// Waits: profiles have no event for `wait`. A thread that is idle when a collective ends is said to
//   have waited for it since an operation of it, or a range around the call, ended last. A thread
//   that is busy then has not, and its wait, which took no time, is left out.
// Sizes: Input Dims and Input type, else the host's trace (host_trace.h).
#pragma once

#include <string_view>

#include "profile/kineto.h"

namespace fredsim {

bool is_host_collective(std::string_view name);
// Lists of the profile stay in order.
void place_host_collectives(Kineto& profile);

}  // namespace fredsim
