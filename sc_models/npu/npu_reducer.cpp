// SPDX-License-Identifier: Apache-2.0
#include "npu/npu_reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fredsim {

void NpuReducer::receive(Work& w, int local, Packet& packet) {
  const PacketExtension& e = extension(packet);
  const TreeState& s = w.trees[local];
  // The port distinguishes results of the switches from packets of other ranks for the same tree.
  const bool from_switches =
      s.in_switch && (s.part->reduce_from.empty() || e.port == s.part->switch_port);
  if (!from_switches && (e.stream & 1U) == 0) {
    on_partial(w, local, packet, e);
  } else if (expect(w, local, e, s.results, "result")) {
    on_result(w, local, s.results, packet);
  }
}

void NpuReducer::release(Work& w, int local) {
  const Role role = w.trees[local].role;
  if (adds(role)) {
    combine_held(w, local);
  } else if (role == Role::kAlone) {
    finish_alone(w, local);
  }
}

// Takes the operand as the result: there is no rank to send to.
void NpuReducer::finish_alone(Work& w, int local) {
  const TreeState& s = w.trees[local];
  for (std::uint64_t index = 0; index < s.packets && !w.job->failed(); ++index) {
    Packet& packet = packets_.make(w, local, false, index, s.part->rank, 0);
    w.job->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
    on_result(w, local, index, packet);
    packet.release();
  }
}

// Packets of one stream from one source arrive in order; a gap or a repeat is an error of the
// fabric.
bool NpuReducer::expect(const Work& w, int local, const PacketExtension& e, std::uint64_t index,
                        const char* what) {
  const TreeState& s = w.trees[local];
  if (index < s.packets && e.index == (index & kIndexMask) &&
      e.flits == w.job->flits(s.tree, index)) {
    return true;
  }
  w.job->fail(
      fmt::format("rank {} tree {}: {} packet {} of {} flits arrived where packet {} of {} was due",
                  s.part->rank, s.tree, what, e.index, e.flits, index & kIndexMask, s.packets));
  return false;
}

void NpuReducer::on_partial(Work& w, int local, Packet& packet, const PacketExtension& e) {
  TreeState& s = w.trees[local];
  const int source = w.job->rank_of(s.part_number, e.source);
  const auto found = std::ranges::find(s.part->reduce_from, source);
  if (source < 0 || found == s.part->reduce_from.end()) {
    w.job->fail(
        fmt::format("rank {} tree {}: a partial sum from address {}, which the plan does not "
                    "send here",
                    s.part->rank, s.tree, e.source));
    return;
  }
  const auto input = static_cast<std::size_t>(found - s.part->reduce_from.begin());
  if (!expect(w, local, e, s.inputs()[input].arrived, "partial sum")) return;
  ++s.inputs()[input].arrived;
  packet.acquire();
  s.inputs()[input].held.push(&packet);
  if (!w.allowed[s.part_number]) return;
  if (is_source(s.role)) {
    scheduler_.wake(s.channel);  // the channel may have waited for it
  } else {
    combine_held(w, local);
  }
}

// Combines sums whose packets have all arrived.
void NpuReducer::combine_held(Work& w, int local) {
  const TreeState& s = w.trees[local];
  while (s.has_inputs_for_one()) combine(w, local);
}

void NpuReducer::combine(Work& w, int local) {
  TreeState& s = w.trees[local];
  const std::uint64_t index = s.reduced++;
  const bool is_root = s.role == Role::kRoot;
  const Send to = is_root ? Send{.rank = s.part->rank} : s.part->reduce_to.front();
  const int channel = scheduler_.channel(to);
  Packet& sum = packets_.make(w, local, false, index, to.rank, channel);
  std::uint16_t* acc = lanes_of(sum);
  if (s.part->contributes) w.job->fill_operand(s.part->rank, s.tree, index, acc);
  add_held(w, local, index, acc, s.part->contributes);
  if (is_root) {
    on_result(w, local, index, sum);
    sum.release();
  } else {
    pass_on(w, local, false, sum, to);
  }
  w.done_one(s.part_number);
}

void NpuReducer::add_held(Work& w, int local, std::uint64_t index, std::uint16_t* acc,
                          bool started) {
  TreeState& s = w.trees[local];
  const int lanes = w.job->flits(s.tree, index) * w.job->lanes();
  const int additions = static_cast<int>(s.inputs().size()) - (started ? 0 : 1);
  for (TreeState::Input& from : s.inputs()) {
    Packet& input = *from.held.pop();
    const std::uint16_t* in = lanes_of(input);
    if (started) {
      for (int l = 0; l < lanes; ++l) acc[l] = fp_add(w.job->format(), acc[l], in[l]);
    } else {
      std::memcpy(acc, in, static_cast<std::size_t>(lanes) * 2);
      started = true;
    }
    input.release();
  }
  if (observer_ != nullptr && additions > 0) observer_->added(number_, s.tree, additions);
}

// Accepts a result for this rank: verified on every lane.
void NpuReducer::accept(Work& w, int local, std::uint64_t index, Packet& packet) {
  const std::uint16_t* const lanes = lanes_of(packet);
  const TreeState& s = w.trees[local];
  CollectiveJob& job = *w.job;
  const std::uint16_t* const wanted = job.expected_packet(s.tree, index);
  const auto bytes = static_cast<std::size_t>(job.flits(s.tree, index) * job.lanes()) * 2;
  if (std::memcmp(lanes, wanted, bytes) != 0) {
    job.report_difference(s.part->rank, s.tree, index, lanes, wanted);
    return;
  }
  if (w.plan_tree(local).to_sum > 0) {
    hold_operand(w, local, packet);
  } else {
    job.count_result(s.tree, index);
  }
  if (--w.to_receive[s.part_number] == 0) job.has_all_results(s.part_number, scheduler_.now());
}

// Holds an operand for the sum that this rank makes; the rank has a part in all trees of the sum,
// so that they follow each other here, too.
void NpuReducer::hold_operand(Work& w, int local, Packet& packet) {
  const int to_sum = w.plan_tree(local).to_sum;
  const int of_sum = local + to_sum;
  const std::span<TreeState::Input> inputs = w.trees[of_sum].inputs();
  TreeState::Input& input = inputs[inputs.size() - static_cast<std::size_t>(to_sum)];
  packet.acquire();
  ++input.arrived;
  input.held.push(&packet);
  combine_held(w, of_sum);
}

void NpuReducer::on_result(Work& w, int local, std::uint64_t index, Packet& packet) {
  TreeState& s = w.trees[local];
  ++s.results;
  if (s.part->receives) accept(w, local, index, packet);
  for (const Send& to : s.part->broadcast_to) {
    const int channel = scheduler_.channel(to);
    Packet& copy = packets_.make(w, local, true, index, to.rank, channel);
    std::memcpy(lanes_of(copy), lanes_of(packet), copy.get_data_length());
    pass_on(w, local, true, copy, to);
  }
  acknowledgements_.advance(w, local);
  if (is_source(s.role)) scheduler_.wake(s.channel);
  if (s.sees_results) w.done_one(s.part_number);
}

// Queues a packet to be forwarded on its channel: a result if `is_result`, else a sum.
void NpuReducer::pass_on(Work& w, int local, bool is_result, Packet& packet, const Send& to) {
  const TreeState& s = w.trees[local];
  ++w.left[s.part_number];
  if (w.plan_tree(local).interval != 0) {
    scheduler_.push_in_turn(w, local, is_result, to, packet);
  } else {
    scheduler_.push(
        packet, scheduler_.channel(to),
        s.role == Role::kHead ? NpuScheduler::Queue::kCopies : NpuScheduler::Queue::kPassedOn);
  }
}

}  // namespace fredsim
