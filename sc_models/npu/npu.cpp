// SPDX-License-Identifier: Apache-2.0
#include "npu/npu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace fredsim {

Npu::Npu(sc_core::sc_module_name name, int ports, int lanes)
    : sc_core::sc_module(name),
      ports_(ports),
      packets_(ports, lanes),
      scheduler_(ports),
      acknowledgements_(packets_, scheduler_),
      reducer_(packets_, scheduler_, acknowledgements_) {
  tx.register_nb_transport_bw(this, &Npu::sent);
  rx.register_nb_transport_fw(this, &Npu::receive);
}

void Npu::follow(EdgeTimers& timers) { scheduler_.follow(timers, *this); }

void Npu::time_has_come(int channel) {
  scheduler_.wake(channel);
  if (!works_.empty()) pump();
}

// ---- jobs in flight

void Npu::add(CollectiveJob& job, const std::vector<Share>& shares) {
  scheduler_.add(works_.add(std::make_unique<Work>(job, shares, ports_)));
}

void Npu::remove(const CollectiveJob& job) {
  const Work* const w = works_.of(job);
  if (w == nullptr) return;
  acknowledgements_before_ += w->acknowledgements;
  scheduler_.remove(*w);
  works_.remove(*w);
}

void Npu::allow(const CollectiveJob& job, int part) {
  if (Work* const w = works_.of(job); w != nullptr) w->allowed[part] = true;
}

void Npu::release(const CollectiveJob& job, int part) {
  Work* const w = works_.of(job);
  if (w == nullptr) return;
  w->allowed[part] = true;
  for (int local = 0; local < std::ssize(w->trees); ++local) {
    const TreeState& s = w->trees[local];
    if (s.part_number != part) continue;
    if (is_source(s.role)) {
      scheduler_.wake(s.channel);
    } else {
      reducer_.release(*w, local);
    }
  }
  pump();
}

bool Npu::is_done(const CollectiveJob& job, int part) const {
  const Work* const w = works_.of(job);
  return w == nullptr || w->left[part] == 0;
}

void Npu::stop() {
  works_.clear();  // held packets belong to the NIC, which has taken them back
  stray_.clear();
  scheduler_.clear();
  packets_.reclaim();
  blocked_ = {};
  acknowledgements_before_ = 0;
}

void Npu::observe(NpuObserver& observer, int number) {
  observer_ = &observer;
  number_ = number;
  reducer_.observe(observer, number);
}

// ---- packets received

tlm::tlm_sync_enum Npu::receive(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) {
  packet.set_response_status(tlm::TLM_OK_RESPONSE);
  if (works_.failed()) return tlm::TLM_COMPLETED;
  const PacketExtension& e = extension(packet);
  if (observer_ != nullptr && !works_.empty()) observer_->received(number_, packet);
  const auto [work, local] = works_.find(e.stream);
  if (work == nullptr) {
    const std::string what = fmt::format(
        "{}: a packet of tree {}, which the plan does not have here", name(), e.stream >> 1);
    if (works_.empty()) {
      stray_ = what;
    } else {
      (*works_.begin())->job->fail(what);
    }
    return tlm::TLM_COMPLETED;
  }
  if (e.vc == kControl) {
    acknowledgements_.receive(*work, local, e);
  } else {
    reducer_.receive(*work, local, packet);
  }
  pump();
  return tlm::TLM_COMPLETED;
}

// ---- packets to send

// Sends until no packet is left: a departure from one channel may let a broadcast root start
// packets on another.
void Npu::pump() {
  for (bool some = true; std::exchange(some, false);) {
    for (int vc = 0; vc < kNumVcs; ++vc) some |= pump(vc);
  }
}

bool Npu::pump(int vc) {
  bool some = false;
  for (;; some = true) {
    const std::uint32_t able = scheduler_.awake(vc) & ~blocked_[vc];
    if (able == 0 || works_.failed()) return some;
    const int port = std::countr_zero(able);
    const int channel = channel_of(ports_, port, vc);
    scheduler_.sleep(channel);
    while ((blocked_[vc] >> port & 1U) == 0 && send_next(channel)) {
    }
  }
}

bool Npu::send_next(int channel) {
  const NpuScheduler::Next next = scheduler_.next(channel);
  if (next.queued != nullptr) {
    send_queued(*next.queued);
  } else if (next.work != nullptr) {
    start(*next.work, next.local);
  } else {
    return false;
  }
  return true;
}

void Npu::send_queued(Packet& packet) {
  const auto [work, local] = works_.find(static_cast<PooledPacket&>(packet).extension.stream);
  send(packet);
  work->done_one(work->trees[local].part_number);
}

void Npu::start(Work& w, int local) {
  TreeState& s = w.trees[local];
  const std::uint64_t index = s.started++;
  if (s.pace) s.pace->keep(scheduler_.now());
  const int to = s.role == Role::kLeaf ? s.part->reduce_to.front().rank : s.part->rank;
  Packet& packet = packets_.make(w, local, false, index, to, s.channel);
  w.job->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
  reducer_.add_held(w, local, index, lanes_of(packet), true);
  if (s.role == Role::kHead) {
    reducer_.on_result(w, local, index, packet);
    packet.release();
  } else {
    send(packet);
  }
  w.done_one(s.part_number);
}

void Npu::send(Packet& packet) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (observer_ != nullptr) observer_->queued(number_, packet);
  const tlm::tlm_sync_enum answer = tx->nb_transport_fw(packet, phase, delay);
  const PacketExtension& e = static_cast<PooledPacket&>(packet).extension;
  if (answer == tlm::TLM_COMPLETED) {
    works_.find(e.stream).work->job->fail(
        fmt::format("{}: the NIC refused a packet: {}", name(), refusal(packet)));
  } else if (answer == tlm::TLM_ACCEPTED) {
    blocked_[e.vc] |= 1U << e.port;
  }
}

tlm::tlm_sync_enum Npu::sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    // a packet of this NPU
    const PacketExtension& e = static_cast<PooledPacket&>(packet).extension;
    blocked_[e.vc] &= ~(1U << e.port);
    scheduler_.wake(channel_of(ports_, e.port, e.vc));
    if (!works_.empty()) pump();
    return tlm::TLM_ACCEPTED;
  }
  if (observer_ != nullptr) observer_->sent(number_, packet);
  packet.release();
  return tlm::TLM_COMPLETED;
}

// ---- progress of trees

bool Npu::complete() const {
  return std::ranges::all_of(works_, [](const auto& work) { return work->complete(); }) &&
         scheduler_.empty();
}

void Npu::add_progress(const CollectiveJob& job, std::vector<std::uint64_t>& furthest) const {
  const Work* const w = works_.of(job);
  if (w == nullptr) return;
  for (const TreeState& s : w->trees) {
    std::uint64_t& of_tree = furthest[static_cast<std::size_t>(s.tree)];
    const bool is_sum = job.plan().trees[s.tree].operands > 0;
    of_tree = std::max(of_tree, is_sum ? s.reduced : s.started);
  }
}

void Npu::add_state(const CollectiveJob& job, const std::vector<std::uint64_t>& furthest,
                    StateDigest& digest) const {
  if (const Work* const w = works_.of(job); w != nullptr)
    w->add_state(furthest, scheduler_.now(), digest);
}

void Npu::add_state(StateDigest& digest) const {
  scheduler_.add_state(digest);
  digest.add_all(blocked_);
}

void Npu::add_state_with_counts(StateDigest& digest) const {
  for (const auto& work : works_) {
    const CollectiveJob& job = *work->job;
    digest.add(static_cast<std::uint64_t>(job.first_tree()));
    // Base of the counts: zero less the packets left out.
    std::vector<std::uint64_t> nothing(job.plan().trees.size());
    for (int tree = 0; tree < std::ssize(nothing); ++tree) nothing[tree] -= job.left_out(tree);
    work->add_state(nothing, scheduler_.now(), digest);
    digest.add_all(work->left);
  }
  add_state(digest);
}

void Npu::shorten(const CollectiveJob& job) {
  if (Work* const w = works_.of(job); w != nullptr) w->shorten();
}

std::uint64_t Npu::acknowledgements() const {
  std::uint64_t sent = acknowledgements_before_;
  for (const auto& work : works_) sent += work->acknowledgements;
  return sent;
}

void Npu::describe_missing(std::vector<std::string>& lines) const {
  for (const auto& work : works_) work->describe_missing(lines);
}

}  // namespace fredsim
