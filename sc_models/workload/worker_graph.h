// SPDX-License-Identifier: Apache-2.0
// Builder of the task graphs of training and inference: workers MP x DP x PP on NPUs, their
// computations, operations of groups of workers, layers with split sequences or experts, and the
// input of iterations.
//
// Workers: worker w is rank w of the graph, on NPU npus[w], or placed as in the paper
//   (plan/parallelism.h).
// Sequence parallelism: an all-gather along MP gathers the input of a half, and a reduce-scatter of
//   its output replaces the all-reduce behind it: on a ring as many bytes together. The backward
//   pass does the same with gradients. The stored input of the forward pass is shared, too, so it
//   is gathered once more, behind the gradients: only gradients of weights, or a recomputation,
//   wait for it. Between stages each MP worker sends its share to the same MP worker of the next
//   stage, a unicast; without sequence parallelism MP worker 0 multicasts the whole output.
//   Gradients of norms, few bytes, are not reduced along MP.
// Ring attention: an operation per step passes all blocks of keys and values on, by a unicast from
//   each worker of a context to the next one. It begins with the computation of the step before,
//   and the next step waits until its blocks are sent and received. In the backward pass the
//   gradients of a block follow it around the ring, a step behind, and back to their owner: one
//   operation more. Accumulating them takes no time. All are on the virtual channel of MP, since
//   they are waited for like its collectives.
// Experts (workload/expert_layers.h): a worker gates its tokens and dispatches them; computes the
//   shared experts meanwhile; computes its own experts when all of their tokens have arrived, and
//   sends the tokens back (combine). The next layer waits for combine. Workers along MP have a
//   share of the tokens each: the caller gathers them again. Callers with several microbatches on
//   an NPU compute another one between the two halves, and behind them. The backward pass does the
//   same with gradients, and computes twice as long.
// Input (workload/detail/input_loads.h): comes from the I/O controllers; loads of the next
//   iteration are in flight during the present one, which waits for its own loads.
// Errors: check_workers(): BadInput for more workers than NPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/expert_layers.h"
#include "workload/gradient_schedule.h"
#include "workload/operation_shapes.h"
#include "workload/ring_attention.h"
#include "workload/sequence_split.h"
#include "workload/task_graph.h"

namespace fredsim {

struct TrainingOptions;

void check_workers(const Strategy& strategy, const Topology& topology,
                   const SequenceSplit& split = {});

class WorkerGraph {
 public:
  WorkerGraph(const WorkerGraph&) = delete;
  WorkerGraph& operator=(const WorkerGraph&) = delete;

  // Routing so far, over all workers.
  ExpertRouting routing() const;

 protected:
  using Members = std::vector<int>;  // workers
  struct Worker {
    int last = -1;                // its latest computation
    std::vector<int> pending;     // further dependencies of the next task
    std::map<int, int> received;  // latest task of data from another stage, by that stage
  };

  using GroupBytes = std::function<std::uint64_t(const Members&)>;
  using StageTasks = std::vector<std::vector<int>>;  // tasks by worker of a stage

  // `npus`: by worker, at least as many as workers; empty: the paper's placement. `experts`: of a
  // model with experts.
  WorkerGraph(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
              const std::string& algorithm, const SequenceSplit& split,
              std::optional<ExpertLayers> experts);
  ~WorkerGraph() = default;

  int worker(int mp, int dp, int pp) const { return mp + strategy_.mp * (dp + strategy_.dp * pp); }
  template <class Visit>
  void for_all(int stage, const Visit& visit) const {
    for (int w = worker(0, 0, stage); w < worker(0, 0, stage + 1); ++w) visit(w);
  }
  std::vector<int> all_replicas() const;

  // ---- tasks of the current iteration; functions return their numbers

  int add(int w, Task task);
  void compute(int w, const std::string& name, double picoseconds);
  // Adds a load or a store in the order of the computations; `expanded`: bytes of it in expanded
  // memory.
  void access_memory(int w, const std::string& name, const ComputeSpeed& speed, std::uint64_t bytes,
                     double expanded, bool stores);
  std::vector<int> so_far(int w) const;  // tasks that a worker has done
  // All-to-all of these groups of a stage, all-to-all-v unless all blocks are equal. `others`:
  // groups of the other stages, planned beside it. Bytes by group, from member to member. Returns
  // the task of each worker of `own`; groups without bytes are left out.
  using Matrix = std::vector<std::uint64_t>;
  std::map<int, int> exchange(const std::vector<Members>& own, const std::vector<Members>& others,
                              const std::function<const Matrix&(const Members&)>& bytes,
                              TimeCategory category, const std::string& name);
  Task part_of(int operation, int part, int rank, TimeCategory category,
               std::vector<int> after) const;

  // ---- groups and operations

  // Groups of a stage; `of_others`: of all other stages.
  std::vector<Members> groups(Dimension dimension, int stage, bool of_others) const;
  // Groups of a transfer: MP worker 0 of each replica at stage `from`, and all workers of stage
  // `to`.
  std::vector<Members> transfers(int from, int to, const std::vector<int>& replicas) const;
  CollectiveSpec spec_of(Collective collective, const Members& members, std::uint64_t bytes,
                         Dimension dimension) const;
  // Adds one operation of groups of workers of a stage; `others`: the groups of the other stages.
  // Bytes by group. The groups are planned in the order of the stages, whichever stage has the
  // operation, so that all operations have the same phases.
  template <class Bytes>
  int add_operation(Collective collective, const std::vector<Members>& own,
                    const std::vector<Members>& others, const Bytes& bytes, Dimension dimension,
                    const std::string& name) {
    OperationShape shape;
    for (const Members& group : own)
      shape.work.push_back(spec_of(collective, group, bytes(group), dimension));
    for (const Members& group : others)
      (group.front() < own.front().front() ? shape.before : shape.beside)
          .push_back(spec_of(collective, group, bytes(group), dimension));
    return shapes_.add(std::move(shape), name);
  }

  // ---- split sequences

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
    std::function<double(int w, const HalfPart& part)> picoseconds;  // below 0: no computation
    GroupBytes along_mp{};  // bytes of its output, or of the gradient of its input; 0: no part
    GroupBytes along_cp{};  // bytes of a block of keys and values
  };
  void run_half(int stage, const Half& half);
  // Half of a model in training, layer `l`. `picoseconds`: of a worker for all of the pass;
  // `samples`: of the replica of a group.
  Half training_half(const ModelShape& model, int l, Pass pass, Recompute recompute,
                     std::string name, const std::function<double(int w)>& picoseconds,
                     const GroupBytes& samples, const Compression& compression,
                     double activation_bytes) const;
  // Collective of a stage's MP groups, behind all that its workers have done.
  StageTasks along_mp(int stage, Collective collective, const GroupBytes& bytes,
                      const std::string& name);
  // Makes the next computation wait for these tasks, if there are any.
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
  // Adds the receives of all workers of these places, one after the other; the next task waits for
  // them.
  void receive_all(int from, int to, const std::vector<int>& places, int operation);

  // ---- experts

  struct ExpertPass {
    const TransformerShape& shape;
    const ComputeSpeed& speed;
    int layer = 0;     // index among the expert layers
    double times = 1;  // times the forward computing
    std::function<std::uint64_t(int replica)> tokens;
    std::string name{};  // label, after the part's
  };
  void run_experts(int stage, const ExpertPass& pass);
  // Halves of an expert layer: gates, dispatch and shared experts; then the workers' own experts
  // and combine.
  void dispatch_tokens(int stage, const ExpertPass& pass);
  void combine_tokens(int stage, const ExpertPass& pass);

  // Kinds of gradients, by the group that reduces them: dense layers along DP; gate and shared
  // experts, which every worker has, by all workers of a stage; experts by the workers with copies
  // of them.
  enum class GradientKind : std::uint8_t { kDense, kCommon, kExperts };
  static constexpr int kGradientKinds = 3;
  std::vector<Members> gradient_groups(GradientKind kind, int stage, bool of_others) const;
  // Parameters of a worker.
  std::uint64_t gradient_parameters(GradientKind kind, const ModelLayer& layer,
                                    const TransformerShape* shape) const;

  // ---- input

  // Adds the loads of the next iteration's input, behind the loads of the one before.
  void load_input(const ModelShape& model, const TrainingOptions& options);
  // Makes the first stage wait for the input of this iteration, if that is loaded.
  void wait_for_input();
  // Ends the current iteration: the loads so far are the input of the next one.
  void loaded();

  const Topology& topology_;
  const Strategy strategy_;
  const std::string& algorithm_;  // algorithm of all collectives
  const std::vector<int> npus_;   // by worker
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  std::vector<Worker> workers_;
  int iteration_ = 0;
  const SequenceSplit sequence_;
  const std::optional<ExpertLayers> experts_;

 private:
  bool is_unicast(int operation) const;
  void compute_part(int stage, const Half& half, const HalfPart& part);
  void forward_parts(int stage, const Half& half);
  void backward_parts(int stage, const Half& half, const StageTasks& inputs);
  void ring(int stage, const Half& half, Pass pass);
  std::vector<Members> ring_groups(int stage, bool of_others, const GroupBytes& bytes) const;
  // Passes a block on around the ring. `after`: by worker.
  StageTasks pass_on(int stage, const GroupBytes& bytes, const std::string& name,
                     const StageTasks& after);
  StageTasks tasks_so_far(int stage) const;

  ExpertLayers::Tokens tokens_of(const Members& group, const ExpertPass& pass) const;
  std::uint64_t tokens_at(int w, const ExpertPass& pass) const;
  // All-to-all of the groups of a stage: dispatch, or (`back`) combine. Returns tasks by worker.
  std::map<int, int> send_tokens(int stage, const ExpertPass& pass, bool back);

  std::uint64_t routed_ = 0, dropped_ = 0;

  // Tasks of a controller in its latest operation.
  std::vector<int> latest_of(int rank) const;

  // Tasks of input loads by worker: of this iteration, which waits for them, and of the next one.
  std::vector<std::vector<int>> loads_, next_loads_;
};

}  // namespace fredsim
