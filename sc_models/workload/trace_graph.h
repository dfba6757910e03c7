// SPDX-License-Identifier: Apache-2.0
// Task graph of execution traces.
//
// Rank r is NPU r of the machine; ranks beyond its NPUs are its I/O controllers, in order. There
//   may be fewer ranks than NPUs.
// Computation: COMP_NODE, MEM_LOAD_NODE and MEM_STORE_NODE take the duration written in the trace;
//   without one a COMP_NODE takes the larger of num_ops over the NPU's rate and tensor_size over
//   its memory bandwidth (or num_ops over the one rate of all), a load or store tensor_size over
//   the memory bandwidth. Times of loads and stores are `memory` in a breakdown. METADATA_NODE
//   takes no time.
// Lanes: computations run one at a time in each lane. A trace that tells streams, or has
//   computations of a CPU (is_cpu_op) and of an accelerator, has a lane per stream, one for the
//   accelerator's other computations, and one for the CPU (or for each of its threads,
//   fredsim_thread); others have one.
// Collectives: the k-th collective of a process group (pg_name, not the list of its ranks: two
//   groups of equal ranks are distinct) at each of its ranks is one operation, k counted in the
//   order of the file, as far as dependencies allow. Without pg_name, and for "0" if no file
//   defines it, the group is all ranks, or the ranks along involved_dim. comm_size is the
//   contribution of a rank: for an all-gather and a gather its shard. An all-to-all in which a rank
//   has splits (fredsim_splits) is one of unequal sizes, from each rank to each; ranks without them
//   have equal shares. A barrier is an all-reduce of
//   2 bytes. A group of one rank does nothing. Roots are root_rank, a rank of the trace; without it
//   the first of the group.
// Traces written by trace_export.h state which collectives are one operation (trace_joint.h).
// Sends: the k-th send of (source, destination, tag) matches the k-th receive of the same key.
// Dimensions: involved_dim refers to the dimensions of the machine, ranks first along the first:
//   columns and rows of a grid; NPUs of an L1 switch, L1 switches, … of a tree.
// Priority: comm_priority 0 or less is DP, 1 PP, 2 or more MP.
// Choices that traces leave: trace_rules.h; the above holds for TraceRules{}.
// Memory: a task per node; nodes are read as a stream. TraceTasks (trace_tasks.h) holds no more
//   than a run needs.
// Errors: BadInput, naming file, node and field: more ranks than members; a group that is missing
//   or lacks the rank; ranks that disagree in type, size, root or priority of a collective, or a
//   rank that lacks it; a wrong number of dimensions. Ranks that reach collectives of several
//   groups in orders that deadlock are not detected here: the run ends there (waiting_text.h).
#pragma once

#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/task_graph.h"
#include "workload/trace_rules.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_check.h"

namespace fredsim {

TaskGraph trace_graph(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                      const Topology& topology, const TraceRules& rules = {});

}  // namespace fredsim
