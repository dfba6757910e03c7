// SPDX-License-Identifier: Apache-2.0
// Links of a partition between two edges: flits and credits in flight, idle times, state, and
// skipped edges.
#include <algorithm>

#include "fabric/partition_links.h"

namespace fredsim {

std::uint64_t PartitionLinks::edges_to_arrival(std::uint64_t edge) const {
  if (!active_.empty()) return 0;
  const std::uint64_t edges = slow_.edges_to_next(edge);
  for (std::uint32_t i = 0; i < wheel_.slots() && i < edges; ++i) {
    if (wheel_.has_arrivals(i)) return i;
  }
  return edges;
}

bool PartitionLinks::are_rested(std::uint64_t edge) const {
  return active_.empty() &&
         std::ranges::all_of(outputs_, [&](const LinkTx& link) { return link.is_idle(edge); });
}

bool PartitionLinks::add_state(StateDigest& digest, std::uint64_t edge) const {
  for (const auto& channel : channels_)
    if (channel != nullptr && !channel->add_state(digest)) return false;
  for (std::uint32_t i = 0; i < 2 * wheel_.slots(); ++i) {
    const LinkWheel::List list = LinkWheel::kLists[i % 2];
    const LinkWheel::Flits& flits = wheel_.flits(i / 2, list);
    const LinkWheel::Credits& credits = wheel_.credits(i / 2, list);
    digest.add(std::uint64_t{flits.size()} << 32 | credits.size());
    for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
         entry += LinkWheel::kHeader + words_) {
      digest.add(entry[0]);
      digest.add_flit(entry + LinkWheel::kHeader);
    }
    for (const LinkWheel::Credit credit : credits) digest.add(credit.word());
  }
  slow_.add_state(digest, edge);
  for (const LinkTx& link : outputs_) {
    for (int vc = 0; vc < kNumVcs; ++vc) digest.add(static_cast<std::uint64_t>(link.room(vc)));
    digest.add(link.is_paced() ? static_cast<std::uint64_t>(link.held(edge)) : 0);
    if (link.has_bursts()) {
      digest.add(static_cast<std::uint64_t>(link.tokens(edge)));
      digest.add(static_cast<std::uint64_t>(link.left_of_burst(edge)));
      digest.add(link.open_packets());
    }
    if (link.faults() != nullptr) return false;
  }
  return true;
}

void PartitionLinks::skip(std::uint64_t edges) {
  for (LinkTx& link : outputs_) link.skip(edges);
  slow_.skip(edges);
  for (const auto& channel : channels_)
    if (channel != nullptr) channel->skip(edges);
}

int PartitionLinks::flits_to(std::uint32_t node, int port, int vc) const {
  int flits = 0;
  const LinkRx& in = input(node, port);
  if (in.exists() && in.sender.partition == index_) {
    const LinkChannel* const before = channel(first_[in.sender.node] + in.sender.port);
    if (before != nullptr) flits += before->flits_inside(vc);
  }
  for (std::uint32_t i = 0; i < 2 * wheel_.slots(); ++i) {
    const LinkWheel::Flits& slot = wheel_.flits(i / 2, LinkWheel::kLists[i % 2]);
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

int PartitionLinks::credits_to(std::uint32_t node, int port, int vc) const {
  const InputPin wanted(node, static_cast<std::uint32_t>(port));
  int credits = 0;
  if (const LinkChannel* const behind = channel(place(node, port)); behind != nullptr)
    credits += behind->credits_inside(vc);
  for (std::uint32_t i = 0; i < wheel_.slots(); ++i) {
    for (const LinkWheel::List list : LinkWheel::kLists) {
      credits += static_cast<int>(
          std::ranges::count_if(wheel_.credits(i, list), [&](LinkWheel::Credit credit) {
            return InputPin(credit.node(), credit.port()).word() == wanted.word() &&
                   credit.vc() == static_cast<std::uint32_t>(vc);
          }));
    }
  }
  return credits;
}

}  // namespace fredsim
