// SPDX-License-Identifier: Apache-2.0
#include "workload/training_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "workload/detail/minibatch_split.h"
#include "workload/execution.h"
#include "workload/stage_layers.h"
#include "workload/training_memory.h"
#include "workload/worker_graph.h"

namespace fredsim {
namespace {

class TrainingBuilder : private WorkerGraph, private StageGradients, private Passes {
 public:
  TrainingBuilder(const ModelShape& model, const TrainingOptions& options,
                  const ComputeSpeed& speed, const Topology& topology)
      : WorkerGraph(options.strategy, options.npus, topology, options.algorithm, model.split,
                    expert_layers(model.name, model.transformer ? &*model.transformer : nullptr,
                                  options.strategy, options.experts)),
        model_(cut_recomputation(at_value_bytes(model, speed.npu.value_bytes), options)),
        options_(options),
        speed_(speed),
        split_(options.minibatch, options.strategy.dp / model.split.cp, options.microbatches),
        stages_(stages_of(model_, options.strategy.pp)),
        reduced_(workers_.size(), -1),
        expanded_(static_cast<std::size_t>(options.strategy.pp)),
        cuts_(kGradientKinds, GradientCut(options.gradients->buffer_bytes(options.bucket_bytes))),
        fed_(static_cast<std::size_t>(options.strategy.pp)) {
    if (options.every > 1)
      node_ = node_dimension(groups_of(options.strategy, Dimension::kDp), npus_, topology,
                             options.every);
    for (int stage = 0; options.limits_memory && stage < options.strategy.pp; ++stage)
      expanded_[stage] = expanded_shares(
          training_memory(model, options, stage, speed.npu.value_bytes), speed.npu, topology.name);
    if (!execution_of(options).keeps_weights())
      streams_.emplace(graph_, shapes_, topology, strategy_, npus_, options.stream,
                       options.chunk_bytes);
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < options_.iterations; ++iteration_) {
      if (iteration_ + 1 < options_.iterations) load_input(model_, options_);
      execution_of(options_).run(*this, options_);
      loaded();
    }
    return std::move(graph_);
  }

  using WorkerGraph::routing;

 private:
  bool is_serial() const { return !options_.overlaps(); }
  double weight_bytes() const { return speed_.npu.value_bytes.weights; }

  // ---- an iteration, as executions order it

  void wait_for_input() override { WorkerGraph::wait_for_input(); }

  int layer_groups() const override {
    return streamed_groups(model_, strategy_.pp, options_.stream_layers);
  }

  int begin(int group, Pass pass) override {
    stages_ = streamed_group(model_, strategy_.pp, options_.stream_layers, group);
    pass_ = pass;
    return ++round_;
  }

  void run_layers(int stage, int microbatch) override {
    const LayerRange& layers = stages_[stage];
    for (int i = 0; i < layers.end - layers.first; ++i)
      run_layer(stage, pass_ == Pass::kForward ? layers.first + i : layers.end - 1 - i, pass_,
                microbatch);
  }

  void computed() override {
    computed_.emplace_back();
    for (const Worker& w : workers_) computed_.back().push_back(w.last);
  }

  // Streams the weights of the group at work.
  void stream(WeightStreams::Direction direction) override {
    const bool is_load = direction == WeightStreams::Direction::kLoad;
    std::vector<std::uint64_t> bytes;
    for (const LayerRange& layers : stages_)
      bytes.push_back(bytes_of(static_cast<double>(parameters_of(model_, layers)),
                               is_load ? weight_bytes() : kGradientBytes));
    // Group whose end makes room: `stream_groups` before this one.
    const int room = static_cast<int>(computed_.size()) - options_.stream_groups;
    std::vector<std::vector<int>> after(workers_.size());
    for (int w = 0; w < std::ssize(workers_); ++w) {
      if (is_serial()) {
        after[w] = so_far(w);
      } else if (is_load && room >= 0) {
        after[w] = {computed_[room][w]};
      } else if (!is_load) {
        after[w] = {workers_[w].last};
      }
      std::erase(after[w], -1);
    }
    const std::vector<int> ids = streams_->add(direction, bytes, is_load ? "weights" : "gradients",
                                               iteration_, std::move(after));
    for (int w = 0; w < std::ssize(workers_); ++w) {
      if (is_serial()) {
        workers_[w].pending = {ids[w]};  // this operation waits for earlier tasks
      } else if (is_load) {
        workers_[w].pending.push_back(ids[w]);
      }
    }
  }

  // ---- an iteration whose weights stay

  void forward_and_backward(int stage) override {
    const auto microbatches = static_cast<int>(options_.microbatches);
    for (int m = 0; m < microbatches; ++m) forward(stage, m);
    for (int m = 0; m < microbatches; ++m) backward(stage, m);
    reduce_gradients(stage);
  }

  void forward(int stage, int microbatch) {
    if (stage > 0) receive(stage - 1, stage, microbatch);
    const LayerRange& layers = stages_[stage];
    for (int l = layers.first; l < layers.end; ++l) {
      take_gradients(stage, l);
      run_layer(stage, l, Pass::kForward, microbatch);
    }
    if (stage + 1 < strategy_.pp) send(stage, stage + 1, microbatch);
  }

  void backward(int stage, int microbatch) {
    if (stage + 1 < strategy_.pp) receive(stage + 1, stage, microbatch);
    const LayerRange& layers = stages_[stage];
    const bool is_last = microbatch + 1 == static_cast<int>(options_.microbatches);
    for (int l = layers.end - 1; l >= layers.first; --l) {
      run_layer(stage, l, Pass::kBackward, microbatch);
      if (is_last) add_gradients(stage, l);
    }
    if (stage > 0) send(stage, stage - 1, microbatch);
  }

  void run_layer(int stage, int l, Pass pass, int microbatch) {
    const ModelLayer& layer = model_.layers[l];
    const std::uint64_t input = l == 0 ? model_.sample_bytes : model_.layers[l - 1].output_bytes;
    const bool is_forward = pass == Pass::kForward;
    const std::string name = layer.name + (is_forward ? " forward" : " backward");
    if (layer.expert_layer >= 0) return route(stage, layer, is_forward, microbatch);
    const auto picoseconds = [&, pass](int w) {
      const std::uint64_t own = split_.samples(replica_of(w), microbatch);
      if (own == 0) return -1.0;
      return compute_ps(speed_, layer, input, pass, static_cast<double>(own), strategy_.mp,
                        options_.recompute, expanded_[stage]);
    };
    const auto samples = [&](const Members& group) {
      return split_.samples(replica_of(group.front()), microbatch);
    };
    if (sequence_.is_split())
      return run_half(stage,
                      training_half(model_, l, pass, options_.recompute, name, picoseconds, samples,
                                    options_.compression, speed_.npu.value_bytes.activations));
    for_all(stage, [&](int w) {
      if (const double ps = picoseconds(w); ps >= 0) compute(w, name, ps);
    });
    if (!layer.reduces || strategy_.mp == 1) return;
    const auto bytes = [&](const Members& group) { return layer.output_bytes * samples(group); };
    // All workers with samples wait for it.
    wait_for(stage, communicate(stage, Dimension::kMp, Collective::kAllReduce, bytes,
                                name + " reduction"));
  }

  // Adds experts, and an all-gather along MP, whose workers have shares of the tokens for the
  // experts only.
  void route(int stage, const ModelLayer& layer, bool is_forward, int microbatch) {
    const std::uint64_t sequence =
        model_.transformer->sequence / static_cast<std::uint64_t>(sequence_.cp);
    const std::string name =
        fmt::format("{} {}", layer.expert_layer, is_forward ? "forward" : "backward");
    run_experts(stage, {.shape = *model_.transformer,
                        .speed = speed_,
                        .layer = layer.expert_layer,
                        .times = is_forward ? 1.0 : 2.0,
                        .tokens = [&](int r) { return split_.samples(r, microbatch) * sequence; },
                        .name = name});
    if (strategy_.mp == 1 || sequence_.sp) return;
    const auto bytes = [&](const Members& group) {
      return layer.output_bytes * split_.samples(replica_of(group.front()), microbatch);
    };
    wait_for(stage, communicate(stage, Dimension::kMp, Collective::kAllGather, bytes,
                                "experts " + name + " all-gather"));
  }

  // Adds a collective; bytes by group, uncompressed; groups without bytes are left out. Returns
  // tasks by worker of the stage.
  template <class Bytes>
  std::vector<std::vector<int>> communicate(int stage, Dimension dimension, Collective collective,
                                            const Bytes& uncompressed, const std::string& name,
                                            GradientKind kind = GradientKind::kDense) {
    const auto bytes = [&](const Members& group) {
      return options_.compression.compressed(uncompressed(group), dimension);
    };
    const auto groups_with_bytes = [&](bool of_others) {
      std::vector<Members> found = dimension == Dimension::kDp
                                       ? gradient_groups(kind, stage, of_others)
                                       : groups(dimension, stage, of_others);
      if (dimension == Dimension::kDp && stays_in_nodes())
        found = node_groups(found, node_, npus_, topology_);
      std::erase_if(found, [&](const Members& group) { return bytes(group) == 0; });
      return found;
    };
    const std::vector<Members> own = groups_with_bytes(false);
    std::vector<std::vector<int>> ids(static_cast<std::size_t>(strategy_.mp * strategy_.dp));
    if (own.empty()) return ids;
    const TimeCategory category =
        dimension == Dimension::kMp ? TimeCategory::kMp : TimeCategory::kDp;
    const int operation =
        add_operation(collective, own, groups_with_bytes(true), bytes, dimension, name);
    const int first = worker(0, 0, stage);
    for (int part = 0; part < std::ssize(own); ++part)
      for (int rank = 0; rank < std::ssize(own[part]); ++rank) {
        const int w = own[part][rank];
        std::vector<int> after = so_far(w);
        int& reduced = reduced_[w];
        if (dimension == Dimension::kDp && reduced >= 0 && !options_.gradients->has_queue())
          after.push_back(reduced);
        const int id = add(w, part_of(operation, part, rank, category, std::move(after)));
        if (dimension == Dimension::kDp) reduced = id;
        ids[w - first].push_back(id);
      }
    return ids;
  }

  // ---- between stages

  // Operation of a transfer; created when the first of the two stages needs it.
  int transfer(int from, int to, int microbatch, int round) {
    const auto [at, is_new] = transfers_.try_emplace({iteration_, round, from, to, microbatch}, 0);
    if (!is_new) return at->second;
    // Streaming, the sender comes first, and after the last stage there is the first one.
    const bool is_forward = streams_ ? pass_ == Pass::kForward : to > from;
    const LayerRange& sender = stages_[from];
    const ModelLayer& layer = model_.layers[!streams_    ? stages_[std::min(from, to)].end - 1
                                            : is_forward ? sender.end - 1
                                                         : sender.first - 1];
    const std::vector<int> places = places_of(split_.replicas(microbatch));
    const auto bytes = [&](const Members& group) {
      return options_.compression.compressed(
          layer.output_bytes / transfer_parts() *
              split_.samples(replica_of(group.front()), microbatch),
          Dimension::kPp);
    };
    std::vector<Members> others;
    const int step = to - from;
    for (int stage = 0; stage < strategy_.pp; ++stage) {
      if (stage == from || stage + step < 0 || stage + step >= strategy_.pp) continue;
      std::ranges::move(activations(stage, stage + step, places).groups,
                        std::back_inserter(others));
    }
    const Transfer own = activations(from, to, places);
    at->second = add_operation(
        own.collective, own.groups, others, bytes, Dimension::kPp,
        is_forward ? "activations to the next stage" : "gradients to the stage before");
    return at->second;
  }

  void send(int from, int to, int microbatch) override {
    const std::vector<int> places = places_of(split_.replicas(microbatch));
    if (places.empty()) return;
    const int operation = transfer(from, to, microbatch, round_);
    for (const auto& [w, part, rank] : senders(operation, from, places)) {
      const int id = add(w, part_of(operation, part, rank, TimeCategory::kPp, so_far(w)));
      if (is_serial()) workers_[w].pending = {id};
    }
  }

  void receive(int from, int to, int microbatch) { receive(from, to, microbatch, round_); }
  // Receives the transfer of a round of streaming.
  void receive(int from, int to, int microbatch, int round) override {
    const std::vector<int> places = places_of(split_.replicas(microbatch));
    if (places.empty()) return;
    const int operation = transfer(from, to, microbatch, round);
    receive_all(from, to, places, operation);
  }

  // ---- gradients

  // True if this iteration reduces gradients within nodes only.
  bool stays_in_nodes() const {
    return options_.every > 1 && (iteration_ + 1) % options_.every != 0;
  }

  // Adds the gradients of a layer to its buffers.
  void add_gradients(int stage, int l) {
    const bool is_last = l == stages_[stage].first;
    const auto& [collective, name] = options_.gradients->reduction();
    for (int k = 0; k < kGradientKinds; ++k) {
      const auto kind = static_cast<GradientKind>(k);
      if (gradient_groups(kind, stage, false).empty()) continue;
      GradientCut& cut = cuts_[k];
      cut.add(l, gradient_bytes(kind, model_.layers[l]));
      if (is_last) cut.finish();
      if (is_serial() && !is_last) continue;
      for (const GradientBuffer& buffer : cut.take())
        send_buffer(stage, buffer, collective, std::string(name), kind);
    }
  }

  std::uint64_t gradient_bytes(GradientKind kind, const ModelLayer& layer) const {
    if (kind == GradientKind::kDense && layer.expert_layer < 0)
      return (layer.parameters * kGradientBytes + strategy_.mp - 1) / strategy_.mp;
    return kGradientBytes *
           gradient_parameters(kind, layer, model_.transformer ? &*model_.transformer : nullptr);
  }

  void send_buffer(int stage, const GradientBuffer& buffer, Collective collective,
                   const std::string& name, GradientKind kind = GradientKind::kDense) {
    const std::vector<std::vector<int>> ids = communicate(
        stage, Dimension::kDp, collective, [&](const Members&) { return buffer.bytes; }, name,
        kind);
    SentBuffer& sent = sent_.emplace_back(SentBuffer{buffer});
    for (const std::vector<int>& own : ids) sent.tasks.push_back(own.empty() ? -1 : own.front());
    if (!options_.gradients->has_queue() || std::ranges::max(sent.tasks) < 0) return;
    graph_.operations.back().queue = stage;
    graph_.operations.back().need = buffer.first_layer;
  }

  // Reduces the gradients; the next iteration waits for all of them or layer by layer.
  void reduce_gradients(int stage) {
    reducing_ = stage;
    options_.gradients->finish(*this);
  }

  // ---- gradients of a stage, for schedules

  std::vector<SentBuffer> take_sent() override { return std::exchange(sent_, {}); }
  void send(const GradientBuffer& buffer, Collective collective, const std::string& name) override {
    send_buffer(reducing_, buffer, collective, name);
  }

  // Waits for the last buffer that was sent: it depends on the buffers before it, and on their
  // dependencies.
  void wait_for_sent() override {
    for_all(reducing_, [&](int w) {
      if (reduced_[w] < 0) return;  // the only worker of its node
      std::vector<int>& pending = workers_[w].pending;
      std::erase_if(pending, [&](int task) { return task < reduced_[w]; });
      pending.push_back(reduced_[w]);
    });
  }

  void update_all(int shares) override {
    update_parameters(reducing_,
                      worker_parameters(model_, stages_[reducing_], strategy_.mp, options_.experts),
                      shares);
  }

  void feed(std::vector<SentBuffer> buffers) override {
    fed_[reducing_] = std::move(buffers);
    if (iteration_ + 1 == options_.iterations) take_gradients(reducing_, stages_[reducing_].end);
  }

  int replicas() const override { return strategy_.dp; }
  std::uint64_t weight_bytes(std::uint64_t gradient_bytes) const override {
    return bytes_of(static_cast<double>(gradient_bytes) / kGradientBytes, weight_bytes());
  }

  // ---- updates

  // Waits, before layer `l`, for the buffers that it is the first layer to need, and updates their
  // parameters.
  void take_gradients(int stage, int l) {
    std::vector<SentBuffer>& fed = fed_[stage];
    for (; !fed.empty() && fed.back().what.first_layer <= l; fed.pop_back()) {
      const std::vector<int>& tasks = fed.back().tasks;
      std::vector<std::vector<int>> others(tasks.size());
      const int first = worker(0, 0, stage);
      for_all(stage, [&](int w) {
        others[w - first] = std::exchange(workers_[w].pending, {});
        if (tasks[w - first] >= 0) workers_[w].pending = {tasks[w - first]};
      });
      update_parameters(stage, fed.back().what.bytes / kGradientBytes);
      for_all(stage, [&](int w) {
        std::ranges::move(others[w - first], std::back_inserter(workers_[w].pending));
      });
    }
  }

  // Updates `parameters` of a worker, in one of `of_shares` shares.
  void update_parameters(int stage, std::uint64_t parameters, int of_shares = 1) {
    if (options_.optimizer == Optimizer::kNone) return;
    const auto shares = static_cast<std::uint64_t>(of_shares);
    const std::uint64_t own = (parameters + shares - 1) / shares;
    const OptimizerBytes bytes = optimizer_bytes(options_.optimizer, weight_bytes());
    const ExpandedShares& expanded = expanded_[stage];
    // Beside the state: gradients that are loaded, weights that are stored.
    const auto slow = [&](double all, double other, double share) {
      return static_cast<double>(own) * ((all - other) * expanded.optimizer + other * share);
    };
    const auto all = [own](double each) { return bytes_of(static_cast<double>(own), each); };
    for_all(stage, [&](int w) {
      access_memory(w, "optimizer load", speed_, all(bytes.load),
                    slow(bytes.load, kGradientBytes, expanded.gradients), false);
      access_memory(w, "optimizer store", speed_, all(bytes.store),
                    slow(bytes.store, weight_bytes(), expanded.weights), true);
    });
  }

  const ModelShape model_;
  const TrainingOptions& options_;
  const ComputeSpeed& speed_;
  const MinibatchSplit split_;
  std::vector<LayerRange> stages_;
  std::vector<int> reduced_;              // by worker: its latest task of gradients
  std::vector<ExpandedShares> expanded_;  // by stage
  std::map<std::array<int, 5>, int> transfers_;
  std::optional<WeightStreams> streams_;    // none: weights stay
  int round_ = 0;                           // streaming: groups so far, forward and backward
  Pass pass_ = Pass::kForward;              // pass of this round
  std::vector<std::vector<int>> computed_;  // by round and worker: the last computation
  std::vector<GradientCut> cuts_;           // gradients of the stage at work, by kind
  std::vector<SentBuffer> sent_;            // buffers sent in this iteration
  int reducing_ = 0;                        // stage at work in a schedule
  // Buffers that the next forward pass of a stage waits for; the buffers needed first come last.
  std::vector<std::vector<SentBuffer>> fed_;
  int node_ = 0;  // dimension that joins a node
};

void check(const ModelShape& model, const TrainingOptions& o, const Topology& topology) {
  check_workers(o.strategy, topology, model.split);
  if (o.minibatch == 0) throw BadInput("--minibatch: found no samples; allowed: 1 or more");
  if (!execution_of(o).keeps_weights() && o.optimizer != Optimizer::kNone)
    throw BadInput(
        "--optimizer: found one together with weights that are streamed; allowed: none. The I/O "
        "controllers have the weights, and update them");
}

void check_trains_experts(const ModelShape& model, const TrainingOptions& o) {
  const auto refuse = [&](const char* option, const char* found, const char* allowed) {
    throw BadInput(fmt::format("{}: found {} with {}, which has experts; allowed: {}", option,
                               found, model.name, allowed));
  };
  if (!execution_of(o).keeps_weights()) refuse("--execution", "streaming", "stationary");
  if (!o.gradients->takes_experts())
    refuse("--gradients", "another schedule", join_words(schedules_of_experts()).c_str());
  if (o.every > 1) refuse("--gradients", "every=N", "without it");
  if (o.recompute == Recompute::kFull) refuse("--recompute", "full", "none or selective");
  if (o.limits_memory) refuse("--memory", "limited", "unlimited");
}

}  // namespace

TaskGraph training_graph(const ModelShape& model, const TrainingOptions& options,
                         const ComputeSpeed& speed, const Topology& topology,
                         ExpertRouting* routing) {
  check(model, options, topology);
  if (model.transformer && model.transformer->experts > 0) check_trains_experts(model, options);
  TrainingBuilder builder(model, options, speed, topology);
  TaskGraph graph = builder.build();
  if (routing != nullptr) *routing = builder.routing();
  return graph;
}

}  // namespace fredsim
