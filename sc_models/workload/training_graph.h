// SPDX-License-Identifier: Apache-2.0
// Task graph of a training run of a model: iterations of forward pass, backward pass and reduction
// of gradients.
//
// Workers: strategy MP x DP x PP, placed as in the paper (plan/parallelism.h) if no NPUs are given.
//   Layers are assigned to the PP stages in order, with FLOPs as even as possible. A minibatch is
//   cut over the replicas, and a replica's samples into microbatches of whole samples, the first
//   ones one larger on a remainder; a replica without samples of a microbatch is idle in it. All
//   microbatches forward, then all of them backward (GPipe). Between stages, MP worker 0 multicasts
//   its output to all MP workers of the next one, and the gradient back.
// Split sequences: for a model whose layers are the part of one worker (workload/sequence_split.h),
//   halves of layers and transfers are as in workload/worker_graph.h.
// Values: outputs, and the gradients of inputs, are as wide as the machine's activations, weights
//   as the machine's weights.
// Experts: dispatch and combine, in the backward pass with gradients (workload/worker_graph.h),
//   then an all-gather along MP without sequence parallelism. Gradients of gates and shared experts
//   are reduced by all workers of a stage, gradients of experts by the workers with the same
//   experts: bucketed, or by layer. Expert models exclude streaming, other schedules, and full
//   recomputation.
// Gradients of weights: reduced along DP, contexts included, 2 bytes each, in buffers, by a
//   schedule (workload/schedule.h). Their collectives run one after the other, as on one stream of
//   a collectives library.
// Optimizer: none, whose updates take no time, as in the paper; or the traffic of
//   workload/optimizer.h between each NPU and its memory, for the parameters that the NPU updates,
//   when all gradients of the iteration are reduced: all parameters of its stage and MP worker;
//   with ZeRO-2 the share of one replica, before the all-gather; where layers wait for their own
//   gradients, the parameters of a buffer, on all replicas, before the first layer that waits for
//   it. The load, then the store, run in sequence with its computations.
// Memory: the data of a worker (workload/training_memory.h) is all in its NPU's memory; with
//   limited memory the rest is in expanded memory and takes longer to access.
// Accounting: serial: gradients are sent when the backward pass is over, and a worker that sends to
//   the next stage continues when the transfer is done; or overlap: gradients are sent as soon as
//   the last microbatch has them, and no sender waits for its transfers. Reductions along MP and
//   transfers from another stage are waited for in both.
// Input: present on the NPUs for the first iteration. The input of later iterations is loaded from
//   all I/O controllers, in equal shares of whole flits, during the iterations before, and waited
//   for. Machines without controllers load none, nor do systems.
// Streaming (execution of models that do not fit the wafer; workload/executions/streaming.cpp):
//   layers go through the wafer in groups, the next `stream_layers` of the model for each stage.
//   The weights of a group are loaded for the forward pass and again for the backward pass, and its
//   gradients leave once and are reduced on the way: there is no reduction along DP, and no
//   optimizer on the NPUs, since the controllers have the weights. Serial: the weights of a group
//   are loaded when all earlier tasks are complete, computations wait for them, and gradients leave
//   before the next weights are loaded. Overlap: weights of the next group are loaded while one is
//   computed, so that an NPU has room for `stream_groups` groups, and gradients leave at the same
//   time.
// Errors: BadInput for strategies that do not fit the machine or model, for an optimizer where
//   weights are streamed, and for data that does not fit limited memory.
#pragma once

#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/model_shape.h"
#include "workload/task_graph.h"
#include "workload/training_options.h"

namespace fredsim {

// `routing`: if given, filled with the tokens that experts took and dropped.
TaskGraph training_graph(const ModelShape& model, const TrainingOptions& options,
                         const ComputeSpeed& speed, const Topology& topology,
                         ExpertRouting* routing = nullptr);

}  // namespace fredsim
