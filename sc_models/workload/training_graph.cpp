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
#include "base/member.h"
#include "workload/input_loads.h"
#include "workload/layer_ranges.h"
#include "workload/training_memory.h"
#include "workload/worker_graph.h"

namespace fredsim {
namespace {

class TrainingBuilder : private WorkerGraph {
 public:
  TrainingBuilder(const ModelShape& model, const TrainingOptions& options,
                  const ComputeSpeed& speed, const Topology& topology)
      : WorkerGraph(options.strategy, options.npus, topology, options.algorithm),
        model_(model),
        options_(options),
        speed_(speed),
        stages_(stages_of(model, options.strategy.pp)),
        reduced_(workers_.size(), -1),
        expanded_(static_cast<std::size_t>(options.strategy.pp)) {
    for (int stage = 0; options.limits_memory && stage < options.strategy.pp; ++stage)
      expanded_[stage] =
          expanded_shares(training_memory(model, options, stage), speed.npu, topology.name);
    if (options.execution == Execution::kStreaming)
      streams_.emplace(graph_, shapes_, topology, strategy_, npus_, options.stream,
                       options.chunk_bytes);
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < options_.iterations; ++iteration_) {
      if (iteration_ + 1 < options_.iterations) load_input();
      if (streams_) {
        stream_forward_and_backward();
      } else {
        for (int stage = 0; stage < strategy_.pp; ++stage) forward_and_backward(stage);
      }
      next_loads_.swap(loads_);
    }
    return std::move(graph_);
  }

 private:
  // ---- samples

  // Share of one of `places` in so many: as even as possible, the first ones have one more.
  static std::uint64_t share_of(std::uint64_t samples, std::uint64_t places, int place) {
    return samples / places + (static_cast<std::uint64_t>(place) < samples % places ? 1 : 0);
  }
  std::uint64_t samples(int replica, int microbatch) const {
    const std::uint64_t own =
        share_of(options_.minibatch, static_cast<std::uint64_t>(strategy_.dp), replica);
    return share_of(own, options_.microbatches, microbatch);
  }
  // Replicas with samples in a microbatch.
  std::vector<int> replicas(int microbatch) const {
    std::vector<int> found;
    for (int dp = 0; dp < strategy_.dp; ++dp)
      if (samples(dp, microbatch) > 0) found.push_back(dp);
    return found;
  }

  bool is_serial() const { return options_.accounting == Accounting::kSerial; }

  // ---- an iteration

  // A controller's tasks of its latest operation.
  std::vector<int> latest_of(int rank) const {
    const std::vector<Task>& tasks = graph_.ranks[rank].tasks;
    std::vector<int> latest;
    for (int t = static_cast<int>(tasks.size()) - 1;
         t >= 0 && tasks[t].operation == tasks.back().operation; --t)
      latest.push_back(t);
    return latest;
  }

  void load_input() {
    const std::vector<InputLoad> loads = input_loads(model_, options_, topology_);
    OperationShape shape;
    const Dimension unused = strategy_.pp == 1   ? Dimension::kPp
                             : strategy_.mp == 1 ? Dimension::kMp
                                                 : Dimension::kDp;
    for (const InputLoad& load : loads) {
      // To one worker from the first slice on, whatever its number (InputLoad).
      const bool is_to_one = load.workers.size() == 1;
      CollectiveSpec& spec = shape.work.emplace_back();
      spec = spec_of(is_to_one ? Collective::kMulticast : Collective::kScatter, load.workers,
                     is_to_one ? load.bytes : load.bytes * (load.workers.size() + 1), unused);
      spec.algorithm = is_to_one ? "direct" : "auto";
      spec.group.insert(spec.group.begin(), io_member(load.controller));
    }
    loads_.assign(workers_.size(), {});
    if (loads.empty()) return;
    const int operation = shapes_.add(std::move(shape), "input");
    std::map<int, std::vector<int>> before;  // by controller's rank: what it did before
    for (int part = 0; part < std::ssize(loads); ++part) {
      int rank = 0;
      for (const int w : loads[part].workers) {
        const std::vector<int> after = next_loads_.empty() ? std::vector<int>{} : next_loads_[w];
        loads_[w].push_back(
            add(w, part_of(operation, part, ++rank, TimeCategory::kInputLoad, after)));
      }
      const int controller = controller_rank(graph_, strategy_.workers(), loads[part].controller);
      const auto after = before.try_emplace(controller, latest_of(controller)).first->second;
      add(controller, part_of(operation, part, 0, TimeCategory::kInputLoad, after));
    }
  }

  void wait_for_input() {
    if (next_loads_.empty()) return;
    for_all(0, [&](int w) {
      workers_[w].pending.insert(workers_[w].pending.end(), next_loads_[w].begin(),
                                 next_loads_[w].end());
    });
  }

  // ---- streaming

  int rounds() const { return streamed_groups(model_, strategy_.pp, options_.stream_layers); }

  void stream_forward_and_backward() {
    wait_for_input();
    for (int g = 0; g < rounds(); ++g) run_group(g, Pass::kForward);
    for (int g = rounds() - 1; g >= 0; --g) run_group(g, Pass::kBackward);
  }

  void run_group(int number, Pass pass) {
    stages_ = streamed_group(model_, strategy_.pp, options_.stream_layers, number);
    ++round_;
    pass_ = pass;
    stream(WeightStreams::Direction::kLoad, "weights");
    const int last = strategy_.pp - 1;
    const bool is_forward = pass == Pass::kForward;
    for (int i = 0; i < strategy_.pp; ++i) {
      const int stage = is_forward ? i : last - i;
      for (int m = 0; m < static_cast<int>(options_.microbatches); ++m) {
        const bool begins =
            is_forward ? number == 0 && stage == 0 : number + 1 == rounds() && stage == last;
        const bool ends =
            is_forward ? number + 1 == rounds() && stage == last : number == 0 && stage == 0;
        const int step = is_forward ? 1 : last;  // around the stages
        const int before = (stage + strategy_.pp - step) % strategy_.pp;
        // The first stage of the pass gets what the last one sent in the round before.
        if (!begins && before != stage) receive(before, stage, m, i == 0 ? round_ - 1 : round_);
        run_layers(stage, pass, m);
        const int next = (stage + step) % strategy_.pp;
        if (!ends && next != stage) send(stage, next, m);
      }
    }
    computed_.emplace_back();
    for (const Worker& w : workers_) computed_.back().push_back(w.last);
    if (!is_forward) stream(WeightStreams::Direction::kGradients, "gradients");
  }

  void run_layers(int stage, Pass pass, int microbatch) {
    const LayerRange& layers = stages_[stage];
    for (int i = 0; i < layers.end - layers.first; ++i)
      run_layer(stage, pass == Pass::kForward ? layers.first + i : layers.end - 1 - i, pass,
                microbatch);
  }

  // Streams the weights of the group at work.
  void stream(WeightStreams::Direction direction, const std::string& name) {
    const bool is_load = direction == WeightStreams::Direction::kLoad;
    std::vector<std::uint64_t> bytes;
    for (const LayerRange& layers : stages_) {
      std::uint64_t parameters = 0;
      for (int l = layers.first; l < layers.end; ++l) parameters += model_.layers[l].parameters;
      bytes.push_back(parameters * kGradientBytes);
    }
    // The group so many before this one: its weights have made room.
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
    const std::vector<int> ids =
        streams_->add(direction, bytes, name, iteration_, std::move(after));
    for (int w = 0; w < std::ssize(workers_); ++w) {
      if (is_serial()) {
        workers_[w].pending = {ids[w]};  // which waits for those before
      } else if (is_load) {
        workers_[w].pending.push_back(ids[w]);
      }
    }
  }

  // ---- an iteration whose weights stay

  void forward_and_backward(int stage) {
    const auto microbatches = static_cast<int>(options_.microbatches);
    if (stage == 0) wait_for_input();
    for (int m = 0; m < microbatches; ++m) forward(stage, m);
    for (int m = 0; m < microbatches; ++m) backward(stage, m);
    reduce_gradients(stage);
  }

  void forward(int stage, int microbatch) {
    if (stage > 0) receive(stage - 1, stage, microbatch);
    const LayerRange& layers = stages_[stage];
    for (int l = layers.first; l < layers.end; ++l) run_layer(stage, l, Pass::kForward, microbatch);
    if (stage + 1 < strategy_.pp) send(stage, stage + 1, microbatch);
  }

  void backward(int stage, int microbatch) {
    if (stage + 1 < strategy_.pp) receive(stage + 1, stage, microbatch);
    const LayerRange& layers = stages_[stage];
    const bool is_last = microbatch + 1 == static_cast<int>(options_.microbatches);
    if (is_last) begin_gradients();
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
    for_all(stage, [&](int w) {
      const std::uint64_t own = samples(replica_of(w), microbatch);
      if (own == 0) return;
      compute(w, name,
              compute_ps(speed_, layer, input, pass, static_cast<double>(own), strategy_.mp,
                         options_.recompute, expanded_[stage]));
    });
    if (!layer.reduces || strategy_.mp == 1) return;
    reduce_along_mp(stage, layer.output_bytes, microbatch, name + " reduction");
  }

  // All workers of a stage with samples, who wait for it.
  void reduce_along_mp(int stage, std::uint64_t sample_bytes, int microbatch,
                       const std::string& name) {
    const auto bytes = [&](const Members& group) {
      return sample_bytes * samples(replica_of(group.front()), microbatch);
    };
    const std::vector<std::vector<int>> ids =
        communicate(stage, Dimension::kMp, Collective::kAllReduce, bytes, name);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!ids[i].empty()) workers_[worker(0, 0, stage) + static_cast<int>(i)].pending = ids[i];
  }

  // Bytes by group; those without any are left out. By worker of the stage: its task.
  template <class Bytes>
  std::vector<std::vector<int>> communicate(int stage, Dimension dimension, Collective collective,
                                            const Bytes& bytes, const std::string& name) {
    const auto groups_with_bytes = [&](bool of_others) {
      std::vector<Members> found = groups(dimension, stage, of_others);
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
        if (dimension == Dimension::kDp && reduced >= 0) after.push_back(reduced);
        const int id = add(w, part_of(operation, part, rank, category, std::move(after)));
        if (dimension == Dimension::kDp) reduced = id;
        ids[w - first].push_back(id);
      }
    return ids;
  }

  // ---- between stages

  // Their operations are made when the first of the two comes to them.
  int transfer(int from, int to, int microbatch, int round) {
    const auto [at, is_new] = transfers_.try_emplace({iteration_, round, from, to, microbatch}, 0);
    if (!is_new) return at->second;
    // Streaming, the sender comes first, and after the last stage there is the first one.
    const bool is_forward = streams_ ? pass_ == Pass::kForward : to > from;
    const LayerRange& sender = stages_[from];
    const ModelLayer& layer = model_.layers[!streams_    ? stages_[std::min(from, to)].end - 1
                                            : is_forward ? sender.end - 1
                                                         : sender.first - 1];
    const std::vector<int> of_replicas = replicas(microbatch);
    const auto bytes = [&](const Members& group) {
      return layer.output_bytes * samples(replica_of(group.front()), microbatch);
    };
    std::vector<Members> others;
    const int step = to - from;
    for (int stage = 0; stage < strategy_.pp; ++stage) {
      if (stage == from || stage + step < 0 || stage + step >= strategy_.pp) continue;
      std::ranges::move(transfers(stage, stage + step, of_replicas), std::back_inserter(others));
    }
    at->second = add_operation(
        Collective::kMulticast, transfers(from, to, of_replicas), others, bytes, Dimension::kPp,
        is_forward ? "activations to the next stage" : "gradients to the stage before");
    return at->second;
  }

  void send(int from, int to, int microbatch) {
    const std::vector<int> of_replicas = replicas(microbatch);
    if (of_replicas.empty()) return;
    const int operation = transfer(from, to, microbatch, round_);
    for (int part = 0; part < std::ssize(of_replicas); ++part) {
      const int w = worker(0, of_replicas[part], from);
      const int id = add(w, part_of(operation, part, 0, TimeCategory::kPp, so_far(w)));
      if (is_serial()) workers_[w].pending = {id};
    }
  }

  void receive(int from, int to, int microbatch) { receive(from, to, microbatch, round_); }
  // Receives what was sent in a round of streaming.
  void receive(int from, int to, int microbatch, int round) {
    const std::vector<int> of_replicas = replicas(microbatch);
    if (of_replicas.empty()) return;
    const int operation = transfer(from, to, microbatch, round);
    for (int part = 0; part < std::ssize(of_replicas); ++part) {
      const int dp = of_replicas[part];
      for (int mp = 0; mp < strategy_.mp; ++mp) {
        Worker& at = workers_[worker(mp, dp, to)];
        const auto before = at.received.find(to - from);
        std::vector<int> after;
        if (before != at.received.end()) after.push_back(before->second);
        const int id = add(worker(mp, dp, to),
                           part_of(operation, part, mp + 1, TimeCategory::kPp, std::move(after)));
        at.received[to - from] = id;
        at.pending.push_back(id);
      }
    }
  }

  // ---- gradients

  void begin_gradients() { gathered_ = sent_ = 0; }

  // A layer's gradients are there.
  void add_gradients(int stage, int l) {
    if (strategy_.dp == 1) return;
    const std::uint64_t bytes =
        (model_.layers[l].parameters * kGradientBytes + strategy_.mp - 1) / strategy_.mp;
    gathered_ += bytes;
    if (options_.gradients == Gradients::kByLayer) ready_.push_back(bytes);
    if (options_.gradients != Gradients::kByLayer) {
      for (; gathered_ - sent_ >= options_.bucket_bytes; sent_ += options_.bucket_bytes)
        ready_.push_back(options_.bucket_bytes);
      if (l == stages_[stage].first && gathered_ > sent_) ready_.push_back(gathered_ - sent_);
    }
    if (is_serial() && l > stages_[stage].first) return;
    const bool is_zero2 = options_.gradients == Gradients::kZero2;
    for (const std::uint64_t size : ready_) {
      if (size == 0) continue;
      sizes_.push_back(size);
      communicate(
          stage, Dimension::kDp, is_zero2 ? Collective::kReduceScatter : Collective::kAllReduce,
          [size](const Members&) { return size; },
          is_zero2 ? "gradients' reduce-scatter" : "gradients");
    }
    ready_.clear();
  }

  // The last one of what was sent: it waits for those before it, and for what they waited for.
  void wait_for_sent(int stage) {
    for_all(stage, [&](int w) {
      std::vector<int>& pending = workers_[w].pending;
      std::erase_if(pending, [&](int task) { return task < reduced_[w]; });
      pending.push_back(reduced_[w]);
    });
  }

  // The next iteration waits for what was sent.
  void reduce_gradients(int stage) {
    const std::vector<std::uint64_t> sizes = std::exchange(sizes_, {});
    if (!sizes.empty()) wait_for_sent(stage);
    update_parameters(stage);
    if (options_.gradients != Gradients::kZero2 || sizes.empty()) return;
    for (const std::uint64_t size : sizes)
      communicate(
          stage, Dimension::kDp, Collective::kAllGather, [size](const Members&) { return size; },
          "parameters' all-gather");
    wait_for_sent(stage);
  }

  void update_parameters(int stage) {
    if (options_.optimizer == Optimizer::kNone) return;
    std::uint64_t parameters = 0;
    for (int l = stages_[stage].first; l < stages_[stage].end; ++l)
      parameters += model_.layers[l].parameters;
    const int shares = strategy_.mp * (options_.gradients == Gradients::kZero2 ? strategy_.dp : 1);
    const std::uint64_t own = (parameters + shares - 1) / shares;
    const OptimizerBytes bytes = optimizer_bytes(options_.optimizer);
    const ExpandedShares& expanded = expanded_[stage];
    // Beside the state: gradients that are loaded, weights that are stored.
    const auto slow = [&](std::uint64_t all, double share) {
      return static_cast<double>(own) *
             (static_cast<double>(all - kValueBytes) * expanded.optimizer +
              static_cast<double>(kValueBytes) * share);
    };
    for_all(stage, [&](int w) {
      access_memory(w, "optimizer load", speed_, own * bytes.load,
                    slow(bytes.load, expanded.gradients), false);
      access_memory(w, "optimizer store", speed_, own * bytes.store,
                    slow(bytes.store, expanded.weights), true);
    });
  }

  const ModelShape& model_;
  const TrainingOptions& options_;
  const ComputeSpeed& speed_;
  std::vector<LayerRange> stages_;
  std::vector<int> reduced_;              // by worker: its latest task of gradients
  std::vector<ExpandedShares> expanded_;  // by stage
  std::map<std::array<int, 5>, int> transfers_;
  std::optional<WeightStreams> streams_;    // none: weights stay
  int round_ = 0;                           // streaming: groups so far, forward and backward
  Pass pass_ = Pass::kForward;              // pass of this round
  std::vector<std::vector<int>> computed_;  // by round and worker: the last computation
  // By worker: tasks of the input under way, for the next iteration, and of that which this one waits for.
  std::vector<std::vector<int>> loads_, next_loads_;
  // Gradients of the stage at work: bytes that are there and that were cut into what is sent; sizes to be sent,
  // and sent.
  std::uint64_t gathered_ = 0, sent_ = 0;
  std::vector<std::uint64_t> ready_, sizes_;
};

void check(const TrainingOptions& o, const Topology& topology) {
  check_workers(o.strategy, topology);
  if (o.minibatch == 0) throw BadInput("--minibatch: found no samples; allowed: 1 or more");
  if (o.execution == Execution::kStreaming && o.optimizer != Optimizer::kNone)
    throw BadInput(
        "--optimizer: found one together with weights that are streamed; allowed: none. The I/O "
        "controllers have the weights, and update them");
}

}  // namespace

TaskGraph training_graph(const ModelShape& model, const TrainingOptions& options,
                         const ComputeSpeed& speed, const Topology& topology) {
  check(options, topology);
  return TrainingBuilder(model, options, speed, topology).build();
}

}  // namespace fredsim
