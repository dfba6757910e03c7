// The state of a MeshTwin as a digest: what is in its buffers, wherever it lies in their rings.
#include <array>
#include <bit>
#include <span>

#include "switch/mesh/mesh_twin.h"

namespace fredsim {

bool MeshTwin::add_state(StateDigest& digest) const {
  const auto words = static_cast<std::size_t>(words_);
  const auto ports = static_cast<std::size_t>(ports_);
  digest.add(pins_valid_);
  for (int v = 0; v < kNumVcs; ++v) {
    const Channel& channel = channels_[v];
    digest.add_all(std::span(channel.credits).first(ports));
    digest.add(std::uint64_t{channel.spent} << 32 | channel.declined);
    for (int p = 0; p < ports_; ++p) {
      const Output& output = channel.outputs[p];
      digest.add(std::uint64_t{output.wanting} << 32 | std::uint64_t{output.next} << 16 |
                 std::uint64_t{output.need} << 8 | output.open);
      const Queue& queue = channel.queues[p];
      const bool has_out = queue.count != 0 || queue.begun;
      digest.add(std::uint64_t{queue.count} << 16 | (has_out ? queue.out << 8 : 0) |
                 (queue.begun ? 1 : 0));
      const bool in_pin = (pins_valid_ >> p & 1U) != 0 && pins_[p].vc == v && !pins_[p].dropped;
      std::uint32_t row = queue.first;
      for (int flits = queue.count + (in_pin ? 1 : 0); flits != 0; --flits) {
        digest.add_flit(&flits_[slot(channel, p, row) * words]);
        row = row + 1 == channel.depth ? 0 : row + 1;
      }
    }
  }
  for (const unsigned which : {leaving_now_, leaving_now_ ^ 1U}) {
    digest.add(leaving_[which].ports);
    for (std::uint32_t left = leaving_[which].ports; left != 0; left &= left - 1) {
      const auto out = static_cast<std::size_t>(std::countr_zero(left));
      digest.add_flit(&leaving_flits_[(which * ports + out) * words]);
    }
  }
  digest.add(std::uint64_t{out_valid_} << 32 | error_);
  digest.add((overflow_ ? 1U : 0U) | (stuck_ ? 2U : 0U) | (no_route_ ? 4U : 0U));
  for (const Stalls& late : late_) digest.add_all(std::array{late.credit, late.arbiter, late.link});
  return true;
}

// Those of a port are the sum over its VCs.
void MeshTwin::add_to_counters(const SwitchCounters& more) {
  for (int p = 0; p < ports_; ++p) {
    channels_[0].queues[p].flits += more.flits_in[p];
    channels_[0].outputs[p].flits += more.flits_out[p];
  }
  stalls_.credit += more.stall_credit;
  stalls_.arbiter += more.stall_arbiter;
  stalls_.link += more.stall_link;
}

}  // namespace fredsim
