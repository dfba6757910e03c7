// SPDX-License-Identifier: Apache-2.0
// Mesh twins that step together (switch/switch_group.h), of any sizes, with equal lanes.
//
// Flits in the pin registers, and between buffers and output pins, are in lists of the group; the
//   remaining state stays in the twins. So an edge is four loops: requests of head-of-line flits,
//   credits, the last edge's arrivals, this edge's.
// Cost: a flit's words are copied once, into its buffer; the group forwards their places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "switch/mesh/mesh_twin.h"
#include "switch/switch_group.h"

namespace fredsim {

class MeshGroup final : public SwitchGroup {
 public:
  MeshGroup(std::size_t nodes, std::size_t ports);

  bool add(std::uint32_t node, SwitchCore& core) override;
  void join(Pins& pins) override;
  void step(Pins& pins) override;
  void part() override;
  bool idle() const override;

 private:
  struct ListSink;

  template <int kWords>
  void step_words(Pins& pins);
  template <int kWords>
  void leave_all(Pins& pins);
  void take_credits(const Pins& pins);
  void store_all();
  template <int kWords>
  void sample_all(const Pins& pins);
  void advance_errors(Pins& pins);
  void join_leaving(std::uint32_t node, const MeshTwin::Leaving& from, BoundedList<Flit>& to) const;
  void note_asking(std::uint32_t node) { asking_[node / 64] |= std::uint64_t{1} << node % 64; }

  std::vector<MeshTwin*> twins_;       // index: node; null: no member
  std::vector<std::uint64_t> asking_;  // bit n: node n has a request of a head-of-line flit
  BoundedList<Credit> arrived_;        // flits in pin registers: node, input port, virtual channel
  // Flits that left at the last edges, in turn; the last edge's are leaving_[newest_].
  std::array<BoundedList<Flit>, 3> leaving_;
  std::size_t newest_ = 0;
  std::uint64_t edge_ = 1;    // edges stepped, and one more
  int words_ = 0;             // words per flit
  bool has_stepped_ = false;  // true if a step was made since join()
  bool is_odd_ = false;       // a twin has lost a flit, or has a head-of-line flit without a route
};

}  // namespace fredsim
