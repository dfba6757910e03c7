// SPDX-License-Identifier: Apache-2.0
// Guard of a rank: the process that the launcher has started, which waits for one that does the work. A rank that a signal ends (a kill, a
// fault) is then reported with its number, and leaves with exit code 1, by which the launcher ends all others.
//
// SIGINT, SIGTERM and SIGHUP are passed on, and a rank that one of them ends is not reported: its sender knows. Launchers end the
// other ranks by SIGTERM once one has left. A guard that is killed takes its rank with it.
#pragma once

namespace fredsim {

// Returns in the process that does the work; the guard leaves with its exit code. Before there are threads. `program` is what
// messages begin with.
void guard_rank(int rank, const char* program);

}  // namespace fredsim
