// Edges of a FabricCore that are not simulated: while it rests, and periods in which its state recurs.
#include <algorithm>

#include "fabric/fabric_core.h"

namespace fredsim {

std::uint64_t FabricCore::edges_at_rest() const {
  constexpr std::uint64_t kForEver = ~std::uint64_t{0};
  if (always_step_ || std::ranges::any_of(awake_, [](std::uint64_t word) { return word != 0; })) {
    return 0;
  }
  std::uint64_t edges = serialising_.empty() ? kForEver : serialising_.front().until - edge_;
  if (flits_under_way_ == 0 && credits_under_way_ == 0) return edges;
  for (std::uint32_t i = 0; i <= wheel_mask_ && i < edges; ++i) {
    const Arrivals& slot = wheel_[(slot_ + i) & wheel_mask_];
    if (slot.flits.size != 0 || slot.credits.size != 0) return i;
  }
  return edges;
}

void FabricCore::rest(std::uint64_t edges) {
  slot_ = static_cast<std::uint32_t>(slot_ + edges) & wheel_mask_;
  edge_ += edges;
  quiet_ += edges;
  steps_left_out_ += edges * nodes_.size();
  finished_.clear();
}

bool FabricCore::add_state(StateDigest& digest) const {
  for (std::uint32_t i = 0; i <= wheel_mask_; ++i) {
    const Arrivals& slot = wheel_[(slot_ + i) & wheel_mask_];
    digest.add(std::uint64_t{slot.flits.size} << 32 | slot.credits.size);
    for (const std::uint32_t* entry = slot.flits.begin(); entry != slot.flits.end();
         entry += kEntryHeader + words_) {
      digest.add(std::uint64_t{entry[0]} << 32 | entry[1]);
      digest.add_flit(entry + kEntryHeader);
    }
    for (const Credit& credit : slot.credits) {
      digest.add(std::uint64_t{credit.node} << 32 | std::uint32_t{credit.port} << 16 | credit.vc);
    }
  }
  for (const Serialising& flit : serialising_) {
    digest.add(flit.until - edge_);
    digest.add(flit.slot);
    digest.add_flit(&serialising_words_[flit.slot * words_]);
  }
  for (const Output& out : outputs_) {
    digest.add_all(out.room);
    digest.add(out.num == out.den ? 0 : static_cast<std::uint64_t>(out.held));
  }
  digest.add_all(awake_);
  digest.add(accesses_);
  for (const NodeState& node : nodes_) {
    if (node.pins.reg.valid) return false;
    digest.add(std::uint64_t{node.ready} << 32 | node.charging);
    digest.add_all(node.ready_before);
    digest.add(node.charging != 0 ? edge_ - node.charged : 0);
    digest.add_all(node.pins.out_credit);
    digest.add(std::uint64_t{node.pins.out_valid} << 32 | node.pins.out_ready);
    if (node.core != nullptr ? !node.core->add_state(digest) : !node.endpoint->add_state(digest)) {
      return false;
    }
  }
  return true;
}

void FabricCore::pass_over(std::uint64_t edges, const std::vector<LinkCount>& more) {
  for (std::size_t l = 0; l < more.size(); ++l) {
    const Link& link = topology_.links[l];
    const std::size_t place = nodes_[link.from].first + static_cast<std::size_t>(link.from_port);
    outputs_[place].flits += more[l].flits;
    missing_bytes_[place] += more[l].missing_bytes;
  }
  edge_ += edges;
  for (NodeState& node : nodes_) node.charged += edges;
  for (Serialising& flit : serialising_) flit.until += edges;
}

}  // namespace fredsim
