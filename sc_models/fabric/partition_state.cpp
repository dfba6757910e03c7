// What a Partition knows of itself between two edges: what is under way, rest, state; and edges that are not simulated.
#include <algorithm>
#include <utility>

#include "fabric/partition.h"

namespace fredsim {

bool Partition::all_idle() const {
  return (!in_group_ || std::ranges::all_of(groups_, &Group::idle)) &&
         std::ranges::all_of(
             nodes_, [](const FabricNode& node) { return node.is_in_group() || node.is_idle(); });
}

std::uint64_t Partition::edges_to_arrival() const {
  constexpr std::uint64_t kForEver = ~std::uint64_t{0};
  if (!active_links_.empty()) return 0;
  const std::uint64_t edges = serialising_.empty() ? kForEver : serialising_.front().until - edge_;
  for (std::uint32_t i = 0; i < wheel_.slots() && i < edges; ++i) {
    if (wheel_.flits(i).size() != 0 || wheel_.credits(i).size() != 0) return i;
  }
  return edges;
}

void Partition::rest(std::uint64_t edges) {
  wheel_.turn(edges);
  edge_ += edges;
  quiet_ += edges;
  steps_left_out_ += edges * nodes_.size();
  finished_.clear();
}

bool Partition::links_are_rested() const {
  return active_links_.empty() &&
         std::ranges::all_of(outputs_, [&](const LinkTx& link) { return link.is_rested(edge_); });
}

bool Partition::add_state(StateDigest& digest) const {
  for (const auto& channel : channels_)
    if (channel != nullptr && !channel->add_state(digest)) return false;
  for (std::uint32_t i = 0; i < wheel_.slots(); ++i) {
    const LinkWheel::Flits& flits = wheel_.flits(i);
    const LinkWheel::Credits& credits = wheel_.credits(i);
    digest.add(std::uint64_t{flits.size()} << 32 | credits.size());
    for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
         entry += LinkWheel::kHeader + words_) {
      digest.add(entry[0]);
      digest.add_flit(entry + LinkWheel::kHeader);
    }
    for (const LinkWheel::Credit credit : credits) digest.add(credit.word());
  }
  // Which of its slots a link is at says nothing, nor does the order of a heap.
  std::vector<Serialising> serialising = serialising_;
  const auto order = [](const Serialising& flit) {
    return std::pair(flit.until, flit.slot / LinkTx::kSlots);
  };
  std::ranges::sort(serialising, {}, order);
  for (const Serialising& flit : serialising) {
    digest.add(flit.until - edge_);
    digest.add(flit.slot / LinkTx::kSlots);
    digest.add_flit(&serialising_words_[flit.slot * words_]);
  }
  for (const LinkTx& link : outputs_) {
    for (int vc = 0; vc < kNumVcs; ++vc) digest.add(static_cast<std::uint64_t>(link.room(vc)));
    digest.add(link.is_paced() ? static_cast<std::uint64_t>(link.held(edge_)) : 0);
    if (link.has_bursts()) {
      digest.add(static_cast<std::uint64_t>(link.tokens(edge_)));
      digest.add(static_cast<std::uint64_t>(link.left_of_burst(edge_)));
      digest.add(link.open_packets());
    }
    if (link.faults() != nullptr) return false;
  }
  digest.add_all(awake_.words());
  digest.add(registers_);
  return std::ranges::all_of(nodes_,
                             [&](const FabricNode& node) { return node.add_state(digest); });
}

void Partition::pass_over(std::uint64_t edges) {
  edge_ += edges;
  timers_.pass_over(edges);
  for (FabricNode& node : nodes_) node.pass_over(edges);
  for (LinkTx& link : outputs_) link.pass_over(edges);
  for (Serialising& flit : serialising_) flit.until += edges;
  for (const auto& channel : channels_)
    if (channel != nullptr) channel->pass_over(edges);
}

int Partition::flits_to(std::uint32_t node, int port, int vc) const {
  int flits = 0;
  if (const LinkChannel* const link = channel_to(node, port); link != nullptr)
    flits += link->flits_inside(vc);
  for (std::uint32_t i = 0; i < wheel_.slots(); ++i) {
    const LinkWheel::Flits& slot = wheel_.flits(i);
    for (const std::uint32_t* entry = slot.begin(); entry != slot.end();
         entry += LinkWheel::kHeader + words_) {
      const InputPin to(entry[0]);
      if (to.node() == node && to.port() == static_cast<std::uint32_t>(port) &&
          vc_of(entry + LinkWheel::kHeader) == vc) {
        ++flits;
      }
    }
  }
  return flits;
}

int Partition::flits_in_serialiser(std::uint32_t node, int port, int vc) const {
  const std::uint32_t place = nodes_[node].first + static_cast<std::uint32_t>(port);
  return static_cast<int>(std::ranges::count_if(serialising_, [&](const Serialising& flit) {
    return flit.slot / LinkTx::kSlots == place &&
           vc_of(&serialising_words_[flit.slot * words_]) == vc;
  }));
}

int Partition::credits_to(std::uint32_t node, int port, int vc) const {
  const LinkWheel::Credit wanted(node, static_cast<std::uint32_t>(port),
                                 static_cast<std::uint32_t>(vc));
  int credits = 0;
  if (const LinkChannel* const link =
          channel(nodes_[node].first + static_cast<std::uint32_t>(port));
      link != nullptr)
    credits += link->credits_inside(vc);
  for (std::uint32_t i = 0; i < wheel_.slots(); ++i) {
    credits +=
        static_cast<int>(std::ranges::count_if(wheel_.credits(i), [&](LinkWheel::Credit credit) {
          return credit.word() == wanted.word();
        }));
  }
  return credits;
}

}  // namespace fredsim
