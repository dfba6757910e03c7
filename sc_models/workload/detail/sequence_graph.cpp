// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/sequence_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workload/worker_graph.h"

namespace fredsim {

HalfCounts half_counts(const SequenceSplit& split, bool is_attention, Pass pass, bool repeats) {
  const bool is_forward = pass == Pass::kForward;
  const std::uint64_t collectives = !split.sp ? 1 : is_forward ? 2 : 3;
  const std::uint64_t passes = !is_forward && repeats ? 2 : 1;
  if (!is_attention || split.cp == 1)
    return {.along_mp = collectives,
            .computations = (passes - 1) + (split.sp && !is_forward ? 2 : 1)};
  const auto cp = static_cast<std::uint64_t>(split.cp);
  return {.along_mp = collectives,
          .passed_on = passes * (cp - 1) + (is_forward ? 0 : cp),
          .computations = passes * (cp + 2)};
}

std::vector<int> WorkerGraph::places_of(const std::vector<int>& replicas) const {
  std::vector<int> places;
  for (const int replica : replicas)
    for (int c = 0; c < sequence_.cp; ++c) places.push_back(replica * sequence_.cp + c);
  return places;
}

// ---- halves

void WorkerGraph::run_half(int stage, const Half& half) {
  const auto gather = [&](const char* what) {
    return along_mp(stage, Collective::kAllGather, half.along_mp, half.name + what);
  };
  if (sequence_.sp) wait_for(stage, gather(" gather"));
  if (half.pass == Pass::kForward) {
    forward_parts(stage, half);
  } else {
    backward_parts(stage, half, sequence_.sp ? gather(" input gather") : StageTasks{});
  }
  const Collective behind = sequence_.sp ? Collective::kReduceScatter : Collective::kAllReduce;
  if (strategy_.mp > 1)
    wait_for(stage, along_mp(stage, behind, half.along_mp, half.name + " reduction"));
}

WorkerGraph::Half WorkerGraph::training_half(const ModelShape& model, int l, Pass pass,
                                             Recompute recompute, std::string name,
                                             const std::function<double(int w)>& picoseconds,
                                             const GroupBytes& samples,
                                             const Compression& compression,
                                             double activation_bytes) const {
  const ModelLayer& layer = model.layers[l];
  const std::uint64_t block = block_bytes(model, strategy_.mp, activation_bytes);
  return {.name = std::move(name),
          .pass = pass,
          .is_attention = layer.score_flops > 0,
          .repeats = pass == Pass::kBackward && recompute == Recompute::kFull,
          .picoseconds =
              [&model, l, pass, recompute, picoseconds](int w, const HalfPart& part) {
                return picoseconds(w) * half_share(model, l, part, pass, recompute);
              },
          .along_mp =
              [&layer, samples, &compression](const Members& group) {
                return compression.compressed(layer.output_bytes * samples(group), Dimension::kMp);
              },
          .along_cp = [block, samples](const Members& group) { return block * samples(group); }};
}

void WorkerGraph::forward_parts(int stage, const Half& half) {
  if (!half.is_attention || sequence_.cp == 1) return compute_part(stage, half, {});
  compute_part(stage, half, {.kind = HalfPart::Kind::kInputs});
  ring(stage, half, Pass::kForward);
  compute_part(stage, half, {.kind = HalfPart::Kind::kOutputs});
}

void WorkerGraph::backward_parts(int stage, const Half& half, const StageTasks& inputs) {
  using Kind = HalfPart::Kind;
  const auto wait_for_inputs = [&] {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      std::ranges::copy(
          inputs[i],
          std::back_inserter(workers_[worker(0, 0, stage) + static_cast<int>(i)].pending));
  };
  if (half.repeats) {
    wait_for_inputs();
    forward_parts(stage, half);
  }
  const bool has_ring = half.is_attention && sequence_.cp > 1;
  if (has_ring) {
    compute_part(stage, half, {.kind = Kind::kOutputs, .pass = Pass::kBackward});
    ring(stage, half, Pass::kBackward);
  } else if (sequence_.sp) {
    compute_part(stage, half, {.kind = Kind::kInputGradients, .pass = Pass::kBackward});
  }
  if (!half.repeats) wait_for_inputs();
  compute_part(stage, half,
               {.kind = has_ring       ? Kind::kInputs
                        : sequence_.sp ? Kind::kWeightGradients
                                       : Kind::kAll,
                .pass = Pass::kBackward});
}

void WorkerGraph::compute_part(int stage, const Half& half, const HalfPart& part) {
  for_all(stage, [&](int w) {
    const double picoseconds = half.picoseconds(w, part);
    if (picoseconds >= 0) compute(w, half.name, picoseconds);
  });
}

WorkerGraph::StageTasks WorkerGraph::tasks_so_far(int stage) const {
  StageTasks tasks;
  for_all(stage, [&](int w) { tasks.push_back(so_far(w)); });
  return tasks;
}

void WorkerGraph::wait_for(int stage, const StageTasks& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!tasks[i].empty()) workers_[worker(0, 0, stage) + static_cast<int>(i)].pending = tasks[i];
}

WorkerGraph::StageTasks WorkerGraph::along_mp(int stage, Collective collective,
                                              const GroupBytes& bytes, const std::string& name) {
  const auto with_bytes = [&](bool of_others) {
    std::vector<Members> found = groups(Dimension::kMp, stage, of_others);
    std::erase_if(found, [&](const Members& group) { return bytes(group) == 0; });
    return found;
  };
  const std::vector<Members> own = with_bytes(false);
  StageTasks ids(static_cast<std::size_t>(strategy_.mp * strategy_.dp));
  if (own.empty()) return ids;
  const int operation =
      add_operation(collective, own, with_bytes(true), bytes, Dimension::kMp, name);
  for (int part = 0; part < std::ssize(own); ++part)
    for (int rank = 0; rank < strategy_.mp; ++rank) {
      const int w = own[part][rank];
      ids[w - worker(0, 0, stage)].push_back(
          add(w, part_of(operation, part, rank, TimeCategory::kMp, so_far(w))));
    }
  return ids;
}

// ---- ring

void WorkerGraph::ring(int stage, const Half& half, Pass pass) {
  const bool is_forward = pass == Pass::kForward;
  StageTasks gradients;
  for (int step = 0; step < sequence_.cp; ++step) {
    StageTasks next;
    if (step + 1 < sequence_.cp)
      next = pass_on(stage, half.along_cp, half.name + " keys and values", tasks_so_far(stage));
    compute_part(stage, half, {.kind = HalfPart::Kind::kStep, .step = step, .pass = pass});
    if (!is_forward) {
      StageTasks after;
      for_all(stage, [&](int w) { after.push_back({workers_[w].last}); });
      for (std::size_t i = 0; i < gradients.size(); ++i)
        std::ranges::copy(gradients[i], std::back_inserter(after[i]));
      gradients = pass_on(stage, half.along_cp, half.name + " gradients of keys and values", after);
    }
    wait_for(stage, next);
  }
  wait_for(stage, gradients);
}

// Every worker and the next one of its context.
std::vector<WorkerGraph::Members> WorkerGraph::ring_groups(int stage, bool of_others,
                                                           const GroupBytes& bytes) const {
  std::vector<Members> found;
  for (int pp = 0; pp < strategy_.pp; ++pp) {
    if ((pp == stage) == of_others) continue;
    for_all(pp, [&](int w) {
      const int last = sequence_.cp - 1;
      const int next = context_rank_of(w) < last ? w + strategy_.mp : w - strategy_.mp * last;
      Members group{w, next};
      if (bytes(group) > 0) found.push_back(std::move(group));
    });
  }
  return found;
}

WorkerGraph::StageTasks WorkerGraph::pass_on(int stage, const GroupBytes& bytes,
                                             const std::string& name, const StageTasks& after) {
  const std::vector<Members> own = ring_groups(stage, false, bytes);
  const int first = worker(0, 0, stage);
  StageTasks ids(after.size());
  if (own.empty()) return ids;
  const int operation = add_operation(Collective::kUnicast, own, ring_groups(stage, true, bytes),
                                      bytes, Dimension::kMp, name);
  for (int part = 0; part < std::ssize(own); ++part)
    for (int rank = 0; rank < 2; ++rank) {
      const int w = own[part][rank];
      ids[w - first].push_back(
          add(w, part_of(operation, part, rank, TimeCategory::kCp, after[w - first])));
    }
  return ids;
}

// ---- between stages

std::uint64_t WorkerGraph::transfer_parts() const {
  return sequence_.sp ? static_cast<std::uint64_t>(strategy_.mp) : 1;
}

WorkerGraph::Transfer WorkerGraph::activations(int from, int to,
                                               const std::vector<int>& places) const {
  if (!sequence_.sp) return {Collective::kMulticast, transfers(from, to, places)};
  Transfer transfer{Collective::kUnicast, {}};
  for (const int place : places)
    for (int mp = 0; mp < strategy_.mp; ++mp)
      transfer.groups.push_back({worker(mp, place, from), worker(mp, place, to)});
  return transfer;
}

bool WorkerGraph::is_unicast(int operation) const {
  return graph_.shapes[graph_.operations[operation].shape].work.front().collective ==
         Collective::kUnicast;
}

std::vector<WorkerGraph::Place> WorkerGraph::senders(int operation, int from,
                                                     const std::vector<int>& places) const {
  const int of_place = is_unicast(operation) ? strategy_.mp : 1;
  std::vector<Place> found;
  for (const int place : places)
    for (int mp = 0; mp < of_place; ++mp)
      found.push_back({worker(mp, place, from), static_cast<int>(found.size()), 0});
  return found;
}

void WorkerGraph::receive_all(int from, int to, const std::vector<int>& places, int operation) {
  const bool of_shares = is_unicast(operation);
  for (int i = 0; i < std::ssize(places); ++i)
    for (int mp = 0; mp < strategy_.mp; ++mp) {
      const int w = worker(mp, places[i], to);
      const auto [before, is_first] = workers_[w].received.try_emplace(from, -1);
      std::vector<int> after;
      if (!is_first) after.push_back(before->second);
      before->second = add(w, part_of(operation, of_shares ? i * strategy_.mp + mp : i,
                                      of_shares ? 1 : mp + 1, TimeCategory::kPp, std::move(after)));
      workers_[w].pending.push_back(before->second);
    }
}

}  // namespace fredsim
