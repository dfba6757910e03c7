// SPDX-License-Identifier: Apache-2.0
// State of a PhasedTwin and of its parts as a digest: their contents, independent of the places in
// their rings.
#include "base/port_mask.h"
#include "switch/phased/phased_twin.h"

namespace fredsim {

bool PhasedTwin::add_state(StateDigest& digest) const {
  for (int port = 0; port < ports_; ++port) {
    for (const InVc& in : in_[port]) {
      digest.add(in.count);
      for (int i = 0, slot = in.head; i < in.count;
           ++i, slot = slot + 1 == in.depth ? 0 : slot + 1) {
        digest.add_flit(
            &in_flits_[static_cast<std::size_t>(port * in_slots_ + in.base + slot) * words_]);
      }
    }
  }
  digest.add(pin_valid_);
  for_each_port(pin_valid_,
                [&](int p) { digest.add_flit(&pin_flits_[static_cast<std::size_t>(p) * words_]); });
  digest.add_all(popping_);
  digest.add(credits_out_);
  outputs_.add_state(digest);
  matcher_.add_state(digest);
  candidates_.add_state(digest);
  if (interconnect_ != nullptr) interconnect_->add_state(digest);
  digest.add((slots_[0].active ? 1U : 0U) | (slots_[1].active ? 64U : 0U) | (decided_ ? 2U : 0U) |
             (overflow_ ? 4U : 0U) | (next_overflow_ ? 8U : 0U) | (phase_error_ ? 16U : 0U) |
             (route_error_ ? 32U : 0U));
  for (int s = 0; s < slot_count(); ++s) {
    for (const int value : {slots_[s].vc, slots_[s].phase, slots_[s].silent, slots_[s].busy}) {
      digest.add(static_cast<std::uint64_t>(value));
    }
  }
  for (const int value : {next_phase_, since_load_, target_}) {
    digest.add(static_cast<std::uint64_t>(value));
  }
  digest.add(replaced_);
  digest.add(std::uint64_t{second_in_} << 32 | second_out_);
  digest.add(open_);
  digest.add(held_back_);
  digest.add(std::uint64_t{join_errors_} << 32 | astray_);
  digest.add(config_errors_);
  digest.add_all(inside_);
  digest.add(error_);
  digest.add_all(
      std::array{events_.reductions, events_.join, events_.credit, events_.phase, events_.arbiter});
  return true;
}

void PhasedTwin::add_to_counters(const SwitchCounters& more) {
  for (int p = 0; p < ports_; ++p) flits_in_[p] += more.flits_in[p];
  outputs_.add_to_counters(more);
  phase_changes_ += more.phase_changes;
  counted_.reductions += more.reductions;
  counted_.join += more.stall_join;
  counted_.credit += more.stall_credit;
  counted_.phase += more.stall_phase;
  counted_.arbiter += more.stall_arbiter;
}

void PhasedOutputs::add_state(StateDigest& digest) const {
  const auto flit = [&](std::size_t port, int slot) {
    return &staged_[(port * static_cast<std::size_t>(kNumVcs * depth_) +
                     static_cast<std::size_t>(slot)) *
                    words_];
  };
  for (std::size_t port = 0; port < out_.size(); ++port) {
    for (const OutVc& out : out_[port]) {
      digest.add(std::uint64_t{out.count} << 32 | std::uint64_t{out.places} << 16 | out.credits);
      for (int i = out.places, slot = out.head; i < depth_;
           ++i, slot = slot + 1 == depth_ ? 0 : slot + 1) {
        digest.add_flit(flit(port, out.base + slot));
      }
    }
  }
  for (std::size_t i = 1; i <= pipeline_.size(); ++i)
    digest.add_all(pipeline_[(place_ + i) % pipeline_.size()]);
  digest.add_all(inside_);
  digest.add(std::uint64_t{leaving_} << 32 | launched_);
  for_each_port(leaving_,
                [&](int p) { digest.add_flit(flit(static_cast<std::size_t>(p), slots_[p])); });
  digest.add(stalled_links_);
}

void PhasedOutputs::add_to_counters(const SwitchCounters& more) {
  for (std::size_t p = 0; p < flits_.size(); ++p) flits_[p] += more.flits_out[p];
  stall_link_ += more.stall_link;
}

void PhasedMatcher::add_state(StateDigest& digest) const {
  for (const PortsByVc& ports : {begun_, locked_, streams_}) digest.add_all(ports);
  digest.add(std::uint64_t{rest_} << 32 | dice_);
  digest.add_all(from_pointer_);
  for (const int value : {first_, moved_, ready_, no_room_, stall_credit_, stall_arbiter_}) {
    digest.add(static_cast<std::uint64_t>(value));
  }
}

void PhasedCandidates::add_state(StateDigest& digest) const {
  digest.add(read_.valid ? 1 : 0);
  if (read_.valid) digest.add_all(std::array{read_.port, read_.vc, read_.phase});
  digest.add(candidates_);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    if ((candidates_ >> vc & 1U) != 0) digest.add(static_cast<std::uint64_t>(phase_[vc]));
  }
  digest.add_all(pointer_);
  digest.add(static_cast<std::uint64_t>(next_vc_));
}

}  // namespace fredsim
