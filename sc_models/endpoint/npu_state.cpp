// The state of an NPU as a digest, and packets of a job that are left out (engine/recurrence.h).
#include <algorithm>
#include <array>

#include "endpoint/npu.h"

namespace fredsim {

void Npu::add_progress(const CollectiveJob& job, std::vector<std::uint64_t>& furthest) const {
  const Work* const w = work_of(job);
  if (w == nullptr) return;
  for (const TreeState& s : w->trees) {
    std::uint64_t& of_tree = furthest[static_cast<std::size_t>(s.tree)];
    if (s.channel >= 0) of_tree = std::max(of_tree, s.started);
  }
}

void Npu::add_state(const CollectiveJob& job, const std::vector<std::uint64_t>& furthest,
                    StateDigest& digest) const {
  const Work* const w = work_of(job);
  if (w == nullptr) return;
  const auto add_packet = [&](const Packet* packet) {
    const PacketExtension& e = static_cast<const PooledPacket*>(packet)->extension;
    digest.add(std::uint64_t{e.stream} << 32 | std::uint64_t{e.destination} << 16 |
               static_cast<std::uint16_t>(e.flits));
  };
  for (const TreeState& s : w->trees) {
    const std::uint64_t from = furthest[static_cast<std::size_t>(s.tree)];
    digest.add(s.channel >= 0 ? from - s.started : 0);
    digest.add(s.sees_results ? from - s.results : 0);
    digest.add(s.held.empty() ? 0 : from - s.reduced);
    for (std::size_t i = 0; i < s.held.size(); ++i) {
      digest.add(from - s.arrived[i]);
      digest.add(s.held[i].size());
    }
  }
  for (const Channel& channel : channels_) {
    digest.add(channel.next);
    for (const Source& source : channel.sources) {
      if (!source.in_switch) continue;
      digest.add_all(std::array{source.begin, source.end, source.at});
      std::uint64_t most = 0;  // of this step's trees: the round is relative to them
      for (std::size_t i = source.begin; i < source.end; ++i) {
        most = std::max(most, w->trees[source.trees[i]].started);
      }
      const Part& part = job.plan().parts[source.part];
      digest.add(most - source.round * static_cast<std::uint64_t>(part.run));
    }
    for (const auto* queue : {&channel.own, &channel.forward}) {
      digest.add(queue->size());
      for (std::size_t i = 0; i < queue->size(); ++i) add_packet(queue->at(i));
    }
  }
  digest.add_all(w->allowed);
  digest.add_all(dirty_);
  digest.add_all(blocked_);
}

void Npu::shorten(const CollectiveJob& job) {
  Work* const w = work_of(job);
  if (w == nullptr) return;
  for (TreeState& s : w->trees) {
    const std::uint64_t less = s.packets - job.packets(s.tree);
    s.packets -= less;
    // As prepare() has counted them.
    const int times =
        (s.sees_results ? 1 : 0) + (s.held.empty() ? 0 : 1) + (s.channel >= 0 ? 1 : 0);
    w->left[s.part_number] -= less * static_cast<std::uint64_t>(times);
  }
}

}  // namespace fredsim
