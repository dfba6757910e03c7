// SPDX-License-Identifier: Apache-2.0
// Turns a profile of one rank into nodes with dependencies (workload_files/trace_node.h).
//
// Nodes: an operation of the GPU is a COMP, MEM_LOAD (host to device), MEM_STORE (device to host)
//   or communication. The time of a CPU thread between two launches is one COMP on the CPU, so that
//   a launch-bound trace stays launch-bound. Durations are exact, as recorded.
// Dependencies, each counted by its rule:
//   stream      the operation before on the same stream
//   launch      the CPU until the call that launched it (correlation)
//   thread      the CPU before on the same thread
//   autograd    the backward thread starts with the forward thread's last launch, and the forward
//               thread goes on after it (flows fwdbwd)
//   event       a wait for another stream that the profile has (cuda_sync, wait_on_stream)
//   collective  ProcessGroupNCCL: a collective waits for the computations that its thread launched
//               before on other streams, and for the collectives that those streams wait for; the
//               thread's compute stream waits for it from its wait on
//   sync        the CPU after cudaStreamSynchronize, cudaDeviceSynchronize, cudaEventSynchronize or
//               a copy that blocks
//   Implied dependencies are left out of the nodes (transitive reduction), not of the counts.
// Errors: BadInput with file and event: an unknown collective; a collective without size or group;
//   no such step; circular dependencies.
#pragma once

#include "profile/kineto.h"
#include "profile/profiled_nodes.h"

namespace fredsim {

ProfileGraph profile_graph(const Kineto& profile, const ProfileOptions& options);

}  // namespace fredsim
