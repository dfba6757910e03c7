// SPDX-License-Identifier: Apache-2.0
// Guard of a rank: the launched process, which waits for a child that does the work. A rank that a
// signal ends (a kill, a fault) is then reported with its number, and leaves with exit code 1, on
// which the launcher ends all other ranks.
//
// SIGINT, SIGTERM and SIGHUP are passed on, and a rank that one of them ends is not reported: its
// sender knows. Launchers end the other ranks by SIGTERM once one has left. A guard that is killed
// takes its rank with it.
#pragma once

namespace fredsim {

// Returns in the process that does the work; the guard leaves with its exit code. Call before
// threads start. `program`: beginning of messages.
void guard_rank(int rank, const char* program);

}  // namespace fredsim
