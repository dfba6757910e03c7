// SPDX-License-Identifier: Apache-2.0
// Workers of a task graph whose sequences are split (sequence_split.h): halves of a transformer's layer, and transfers between
// stages.
//
// Sequence parallelism: an all-gather of the half's input along MP comes before it, and a reduce-scatter of its output, in place of
//   the all-reduce, behind it: on a ring as many bytes together. In the backward pass likewise, of gradients. The input that the
//   forward pass has left is shared, too, so it is gathered once more, behind the gradients: only gradients of weights wait for
//   it, or whatever is computed again. Between stages each MP worker sends its share to the same one of the next stage, a unicast;
//   without sequence parallelism MP worker 0 multicasts all of it. Gradients of norms, few bytes, are not reduced along MP.
// Ring attention: an operation per step passes all blocks of keys and values on, by a unicast from each worker of a context to the
//   next one. It begins with the computation of the step before, and the next step waits until its blocks are sent and received.
//   In the backward pass the gradients of a block follow it around the ring, a step behind, and home: one operation more. Adding
//   to them takes no time. All are on the virtual channel of MP, as they are waited for as its collectives are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "workload/gradient_schedule.h"
#include "workload/ring_attention.h"
#include "workload/sequence_split.h"
#include "workload/worker_graph.h"

namespace fredsim {

// Tasks of a worker for a half: collectives along MP, steps of its ring, computations.
struct HalfCounts {
  std::uint64_t along_mp = 0, passed_on = 0, computations = 0;
};
HalfCounts half_counts(const SequenceSplit& split, bool is_attention, Pass pass, bool repeats);

class SequenceGraph : protected WorkerGraph {
 protected:
  using GroupBytes = std::function<std::uint64_t(const Members&)>;
  using StageTasks = std::vector<std::vector<int>>;  // by worker of a stage

  SequenceGraph(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
                const std::string& algorithm, const SequenceSplit& split)
      : WorkerGraph(strategy, std::move(npus), topology, algorithm), sequence_(split) {}
  ~SequenceGraph() = default;

  int replica_of(int w) const { return w / strategy_.mp % strategy_.dp / sequence_.cp; }
  int context_rank_of(int w) const { return w / strategy_.mp % sequence_.cp; }
  // Places along DP of these replicas' workers.
  std::vector<int> places_of(const std::vector<int>& replicas) const;

  // ---- halves

  struct Half {
    std::string name{};
    Pass pass = Pass::kForward;
    bool is_attention = false;
    bool repeats = false;  // the backward pass computes the forward pass again
    std::function<double(int w, const HalfPart& part)> picoseconds;  // below 0: nothing to do
    GroupBytes along_mp{};  // bytes of its output, or of the gradient of its input; 0: no part
    GroupBytes along_cp{};  // bytes of a block of keys and values
  };
  void run_half(int stage, const Half& half);
  // Half of a model in training, layer `l`. `picoseconds`: of a worker for all of the pass; `samples`: of the replica of a group.
  Half training_half(const ModelShape& model, int l, Pass pass, Recompute recompute,
                     std::string name, const std::function<double(int w)>& picoseconds,
                     const GroupBytes& samples, const Compression& compression,
                     double activation_bytes) const;
  // Collective of a stage's MP groups, behind all that its workers have done.
  StageTasks along_mp(int stage, Collective collective, const GroupBytes& bytes,
                      const std::string& name);
  // The next computation waits for these, where there are some.
  void wait_for(int stage, const StageTasks& tasks);

  // ---- between stages

  struct Place {
    int w = 0, part = 0, rank = 0;
  };
  struct Transfer {
    Collective collective = Collective::kMulticast;
    std::vector<Members> groups;
  };
  // Parts into which the activations of a worker are cut on their way.
  std::uint64_t transfer_parts() const;
  Transfer activations(int from, int to, const std::vector<int>& places) const;
  // Senders of a multicast, or of a unicast of each MP worker, by place.
  std::vector<Place> senders(int operation, int from, const std::vector<int>& places) const;
  // All workers of these places, one after the other; what comes next waits for it.
  void receive_all(int from, int to, const std::vector<int>& places, int operation);

  const SequenceSplit sequence_;

 private:
  bool is_unicast(int operation) const;
  void compute_part(int stage, const Half& half, const HalfPart& part);
  void forward_parts(int stage, const Half& half);
  void backward_parts(int stage, const Half& half, const StageTasks& inputs);
  void ring(int stage, const Half& half, Pass pass);
  std::vector<Members> ring_groups(int stage, bool of_others, const GroupBytes& bytes) const;
  // `after`: by worker.
  StageTasks pass_on(int stage, const GroupBytes& bytes, const std::string& name,
                     const StageTasks& after);
  StageTasks tasks_so_far(int stage) const;
};

}  // namespace fredsim
