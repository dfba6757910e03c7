// SPDX-License-Identifier: Apache-2.0
// The state of a MeshTwin as a digest of its buffers' contents, independent of their places in the
// rings.
#include <array>
#include <span>

#include "base/port_mask.h"
#include "switch/mesh/mesh_twin.h"

namespace fredsim {

bool MeshTwin::add_state(StateDigest& digest) const {
  const auto ports = static_cast<std::size_t>(ports_);
  digest.add_all(arrived_);
  digest.add(dropped_);
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    digest.add_all(std::span(credits_).subspan(at(v, 0), ports));
    digest.add(std::uint64_t{spent_[v]} << 32 | declined_[v]);
    for (std::size_t p = 0; p < ports; ++p) {
      const Output& output = outputs_[at(v, p)];
      digest.add(std::uint64_t{output.wanting} << 32 | std::uint64_t{output.next} << 16 |
                 std::uint64_t{output.need} << 8 | output.open);
      const Queue& queue = queues_[at(v, p)];
      const bool has_out = queue.count > (arrived_[v] >> p & 1U) || queue.begun;
      digest.add(std::uint64_t{queue.count} << 16 | (has_out ? queue.out << 8 : 0) |
                 (queue.begun ? 1 : 0));
      for (std::uint32_t i = 0; i < queue.count; ++i) {
        digest.add_flit(words_at<0>(rings_of_[v].wrap(queue.hol, queue.hol + i)));
      }
    }
  }
  for (const unsigned which : {leaving_now_, leaving_now_ ^ 1U}) {
    const Leaving& leaving = leaving_[which];
    digest.add(leaving.ports);
    for_each_port(leaving.ports,
                  [&](int out) { digest.add_flit(words_at<0>(leaving.places[out])); });
  }
  digest.add(std::uint64_t{out_valid_} << 32 | error_);
  digest.add((overflow_ ? 1U : 0U) | (stuck_ ? 2U : 0U) | (no_route_ ? 4U : 0U));
  for (const Stalls& late : late_) digest.add_all(std::array{late.credit, late.arbiter, late.link});
  return true;
}

// Counters of a port are the sum over its VCs.
void MeshTwin::add_to_counters(const SwitchCounters& more) {
  for (std::size_t p = 0; p < static_cast<std::size_t>(ports_); ++p) {
    queues_[at(0, p)].flits += more.flits_in[p];
    outputs_[at(0, p)].flits += more.flits_out[p];
  }
  stalls_.credit += more.stall_credit;
  stalls_.arbiter += more.stall_arbiter;
  stalls_.link += more.stall_link;
}

}  // namespace fredsim
