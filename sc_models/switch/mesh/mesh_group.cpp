// SPDX-License-Identifier: Apache-2.0
#include "switch/mesh/mesh_group.h"

#include <algorithm>
#include <utility>

#include "base/port_mask.h"
#include "switch/mesh/mesh_twin_edge.h"

namespace fredsim {

using mesh_twin::bit;

MeshGroup::MeshGroup(std::size_t nodes, std::size_t ports)
    : twins_(nodes),
      asking_((nodes + 63) / 64),
      arrived_(ports),
      leaving_{BoundedList<Flit>(ports), BoundedList<Flit>(ports), BoundedList<Flit>(ports)} {}

bool MeshGroup::idle() const {
  return arrived_.empty() && std::ranges::all_of(leaving_, &BoundedList<Flit>::empty) &&
         std::ranges::all_of(asking_, [](std::uint64_t nodes) { return nodes == 0; });
}

bool MeshGroup::add(std::uint32_t node, SwitchCore& core) {
  auto* const twin = dynamic_cast<MeshTwin*>(&core);
  if (twin == nullptr || (words_ != 0 && twin->words_ != words_)) return false;
  words_ = twin->words_;
  twins_[node] = twin;
  return true;
}

// ---- ownership of the state

void MeshGroup::join_leaving(std::uint32_t node, const MeshTwin::Leaving& from,
                             BoundedList<Flit>& to) const {
  for_each_port(from.ports, [&](int out) {
    to.add({node, static_cast<std::uint32_t>(out),
            twins_[node]->words_at<0>(from.places[static_cast<std::size_t>(out)])});
  });
}

void MeshGroup::join(Pins& pins) {
  newest_ = 0;
  has_stepped_ = false;
  arrived_.clear();
  for (auto& flits : leaving_) flits.clear();
  std::ranges::fill(asking_, 0U);
  is_odd_ = false;
  for (std::uint32_t node = 0; node < twins_.size(); ++node) {
    if (twins_[node] == nullptr) continue;
    MeshTwin& twin = *twins_[node];
    if (twin.asking_ != 0) note_asking(node);
    twin.late_edge_ = edge_ - 1;
    for (std::size_t v = 0; v < kNumVcs; ++v) {
      for_each_port(twin.arrived_[v], [&](int port) {
        arrived_.add({node, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(v)});
      });
    }
    for_each_port(twin.out_valid_, [&](int out) {
      leaving_[1].add({node, static_cast<std::uint32_t>(out), nullptr});
    });
    join_leaving(node, twin.leaving_[twin.leaving_now_ ^ 1U], leaving_[0]);
    join_leaving(node, twin.leaving_[twin.leaving_now_], leaving_[2]);
    is_odd_ |=
        twin.overflow_ || twin.stuck_ || twin.no_route_ || (twin.dropped_ | twin.error_) != 0;
    twin.leaving_[0].ports = twin.leaving_[1].ports = twin.out_valid_ = twin.arriving_ = 0;
  }
  pins.out_flits = leaving_[1];
}

void MeshGroup::part() {
  for (MeshTwin* const twin : twins_) {
    if (twin == nullptr) continue;
    if (twin->dropped_ != 0) twin->arriving_ = bit(kNumVcs);
    twin->age_stalls(edge_);
  }
  for (const Credit& flit : arrived_) twins_[flit.node]->arriving_ |= bit(flit.vc);
  for (const Flit& flit : leaving_[(newest_ + 1) % 3]) {
    twins_[flit.node]->out_valid_ |= 1U << flit.port;
  }
  for (const unsigned last : {0U, 1U}) {  // the last edge, the one before
    for (const Flit& flit : leaving_[(newest_ + 3 - last) % 3]) {
      MeshTwin& twin = *twins_[flit.node];
      MeshTwin::Leaving& leaving = twin.leaving_[twin.leaving_now_ ^ 1U ^ last];
      leaving.ports |= 1U << flit.port;
      leaving.places[flit.port] = static_cast<std::uint32_t>((flit.words - twin.flits_.get()) /
                                                             static_cast<std::ptrdiff_t>(words_));
      if (last == 0 && has_stepped_)
        twin.spent_[static_cast<std::size_t>(vc_of(flit.words))] |= 1U << flit.port;
    }
  }
}

// ---- one clock edge

void MeshGroup::step(Pins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

// Same as MeshTwin::step_words(), a loop for each of its parts.
template <int kWords>
void MeshGroup::step_words(Pins& pins) {
  if (is_odd_) [[unlikely]]
    advance_errors(pins);
  if (!std::exchange(has_stepped_, true)) {
    for (MeshTwin* const twin : twins_) {
      if (twin != nullptr) twin->spent_ = {};
    }
  }
  newest_ = newest_ == 2 ? 0 : newest_ + 1;
  pins.out_flits = leaving_[newest_ == 2 ? 0 : newest_ + 1];
  leave_all<kWords>(pins);
  take_credits(pins);
  store_all();
  sample_all<kWords>(pins);
  ++edge_;
}

// Sink of twins in a group. Stalls of the last two edges are told by the edge of the last ones.
struct MeshGroup::ListSink {
  std::uint64_t edge;
  std::uint32_t node;
  const std::uint32_t* words;  // words of place 0
  std::size_t flit_words;
  Flit* flits;
  Credit* credits;
  [[gnu::always_inline]] void leave(std::size_t vc, int in, int out, std::uint32_t from) {
    *flits++ = {node, static_cast<std::uint32_t>(out), words + from * flit_words};
    *credits++ = {node, static_cast<std::uint16_t>(in), static_cast<std::uint16_t>(vc)};
  }
  static bool ages_stalls(const MeshTwin& /*twin*/) { return false; }
  void count_stalls(MeshTwin& twin, const MeshTwin::Stalls& stalls) const {
    twin.note_stalls(stalls, edge);
  }
};

template <int kWords>
void MeshGroup::leave_all(Pins& pins) {
  BoundedList<Flit>& flits = leaving_[newest_];
  ListSink sink{.edge = edge_,
                .node = 0,
                .words = nullptr,
                .flit_words = static_cast<std::size_t>(kWords != 0 ? kWords : words_),
                .flits = flits.begin(),
                .credits = pins.in_credits.begin()};
  for (std::size_t word = 0; word < asking_.size(); ++word) {
    std::uint64_t still = asking_[word];
    for (std::uint64_t left = still; left != 0; left &= left - 1) {
      sink.node = static_cast<std::uint32_t>(word * 64) +
                  static_cast<std::uint32_t>(std::countr_zero(left));
      MeshTwin& twin = *twins_[sink.node];
      sink.words = twin.flits_.get();
      twin.leave(pins.out_ready[sink.node], sink);
      is_odd_ |= twin.stuck_;
      if (twin.asking_ == 0) still ^= left & -left;
    }
    asking_[word] = still;
  }
  flits.set_end(sink.flits);
  pins.in_credits.set_end(sink.credits);
}

void MeshGroup::take_credits(const Pins& pins) {
  for (const CreditPin credit : pins.out_credits) {
    MeshTwin& twin = *twins_[credit.node()];
    std::uint16_t& credits = twin.credits_[MeshTwin::at(credit.vc(), credit.port())];
    if (credits != mesh_twin::kMaxCredits) ++credits;
  }
}

void MeshGroup::store_all() {
  for (const Credit& flit : arrived_) {
    MeshTwin& twin = *twins_[flit.node];
    twin.store(flit.vc, flit.port);
    twin.arrived_[flit.vc] &= ~bit(flit.port);
    is_odd_ |= twin.stuck_;
    note_asking(flit.node);
  }
  arrived_.clear();
}

template <int kWords>
void MeshGroup::sample_all(const Pins& pins) {
  const std::size_t entry_words = 1 + static_cast<std::size_t>(kWords != 0 ? kWords : words_);
  Credit* to = arrived_.end();
  const std::uint32_t* const end = pins.in_flits.data() + pins.in_flits.size();
  for (const std::uint32_t* entry = pins.in_flits.data(); entry != end; entry += entry_words) {
    const std::uint32_t* const flit = entry + 1;
    const InputPin pin(entry[0]);
    const std::uint32_t node = pin.node(), port = pin.port();
    const auto was_popped = [&](std::size_t vc) {
      return std::ranges::any_of(pins.in_credits, [&](const Credit& credit) {
        return credit.node == node && credit.port == port && credit.vc == vc;
      });
    };
    if (!twins_[node]->sample<kWords>(static_cast<int>(port), flit, was_popped)) [[unlikely]] {
      is_odd_ = true;
      continue;
    }
    *to++ = {node, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(vc_of(flit))};
  }
  arrived_.set_end(to);
}

// Collects errors of the state before the edge, for twins that have lost a flit or have a
// head-of-line flit without a route.
void MeshGroup::advance_errors(Pins& pins) {
  for (std::uint32_t node = 0; node < twins_.size(); ++node) {
    if (twins_[node] == nullptr) continue;
    MeshTwin& twin = *twins_[node];
    if (twin.overflow_ || twin.stuck_) twin.advance_errors();
    if (std::exchange(twin.dropped_, 0) != 0) twin.overflow_ = true;
    if (pins.error != 0 || twin.error_ == 0) continue;
    pins.error = twin.error_;
    pins.error_node = node;
  }
}

}  // namespace fredsim
