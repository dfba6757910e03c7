// SPDX-License-Identifier: Apache-2.0
#include "fabric/partition_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/flit.h"
#include "links/link_policy.h"

namespace fredsim {

PartitionLinks::PartitionLinks(const Topology& topology, const std::vector<NodePlace>& places,
                               std::uint32_t index, std::size_t partitions, std::size_t words)
    : topology_(topology),
      index_(index),
      words_(words),
      wheel_(make_wheel(places)),
      outboxes_(partitions, words),
      faulty_(words) {
  std::uint32_t ports = 0;
  for (NodeId id = 0; id < std::ssize(places); ++id) {
    if (places[id].partition != index) continue;
    first_.push_back(ports);
    ports += static_cast<std::uint32_t>(topology.nodes[id].ports);
  }
  outputs_.resize(ports);
  inputs_.resize(ports);
  add_links(places);
}

LinkWheel PartitionLinks::make_wheel(const std::vector<NodePlace>& places) const {
  std::uint32_t longest = 1;
  std::size_t arriving = 0, leaving = 0;
  for (const Link& link : topology_.links) {
    const bool is_to = places[link.to].partition == index_;
    const bool is_from = places[link.from].partition == index_;
    arriving += is_to ? 1 : 0;
    leaving += is_from ? 1 : 0;
    if (!is_to && !is_from) continue;
    const LinkTx shape(link, 0, {});
    const std::uint32_t beyond = shape.beyond();
    const bool is_in_wheel = beyond != 0 && !SlowSerialisers::takes(shape);
    longest =
        std::max(longest, shape.latency() + (is_in_wheel ? LinkTx::kSlots * (beyond + 2) : 0));
  }
  return {longest, arriving, leaving, words_};
}

void PartitionLinks::add_links(const std::vector<NodePlace>& places) {
  for (int l = 0; l < std::ssize(topology_.links); ++l) {
    const Link& link = topology_.links[l];
    const NodePlace from = places[link.from];
    const NodePlace to = places[link.to];
    if (from.partition == index_) add_sender(link, l, places);
    if (to.partition == index_) {
      inputs_[place(to.node, link.to_port)] = {
          .sender = {from.node, static_cast<std::uint16_t>(link.from_port),
                     static_cast<std::uint16_t>(from.partition),
                     topology_.nodes[link.from].is_switch()},
          .latency = static_cast<std::uint32_t>(link.latency),
          .credit = {from.node, static_cast<std::uint32_t>(link.from_port), 0,
                     topology_.nodes[link.from].is_switch()}};
    }
  }
  const auto slow = std::ranges::count_if(outputs_, &SlowSerialisers::takes);
  if (slow > 0) slow_ = SlowSerialisers(outputs_.size(), static_cast<std::size_t>(slow), words_);
}

void PartitionLinks::add_sender(const Link& link, int number,
                                const std::vector<NodePlace>& places) {
  const NodePlace to = places[link.to];
  const std::uint32_t at = place(places[link.from].node, link.from_port);
  LinkTx& tx = outputs_[at];
  tx = LinkTx(link, number, depths_behind(topology_, link));
  tx.lead_to({to.node, static_cast<std::uint16_t>(link.to_port),
              static_cast<std::uint16_t>(to.partition), topology_.nodes[link.to].is_switch()});
  if (link.policy != nullptr) {
    if (to.partition != index_)
      throw std::logic_error(
          fmt::format("link {} crosses between partitions: {}", link.name, link.policy->title()));
    channels_.resize(outputs_.size());
    channels_[at] = link.policy->make_channel(link, number, words_);
    tx.set_channel(*channels_[at]);
  }
  tx.set_special(!is_plain(tx));
}

bool PartitionLinks::is_plain(const LinkTx& link) const {
  return link.faults() == nullptr && !link.has_channel() && link.target().partition == index_ &&
         !SlowSerialisers::takes(link);
}

void PartitionLinks::set_faults(std::uint32_t node, int port, LinkFaults* faults) {
  LinkTx& link = output(node, port);
  link.set_faults(faults);
  link.set_special(!is_plain(link));
}

void PartitionLinks::reset() {
  flits_in_flight_ = credits_in_flight_ = 0;
  wheel_.reset();
  outboxes_.reset();
  slow_.clear();
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->reset();
  }
  active_.clear();
}

void PartitionLinks::clear_counts() {
  for (LinkTx& link : outputs_) link.clear_counts();
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->clear_counts();
  }
  clear_missing_bytes();
}

LinkCount PartitionLinks::count(std::uint32_t node, int port, std::uint64_t edge) const {
  LinkCount count = output(node, port).count(edge);
  if (const LinkChannel* const behind = channel(place(node, port)); behind != nullptr)
    behind->add_counts(count);
  return count;
}

void PartitionLinks::set_missing_bytes(std::size_t first,
                                       std::span<const std::uint16_t> by_stream_pair) {
  missing_of_.resize(std::max(missing_of_.size(), first + by_stream_pair.size()));
  std::ranges::copy(by_stream_pair, missing_of_.begin() + static_cast<std::ptrdiff_t>(first));
}

void PartitionLinks::count_missing_bytes(LinkTx& link, const std::uint32_t* flit) const {
  const std::uint32_t pair = flit[0] >> (kStreamShift + 1);
  if (pair < missing_of_.size()) link.count_missing(missing_of_[pair]);
}

// ---- special links

// Launches a flit that goes to a channel, may be lost in flight, is serialised for long, or leaves
// the partition.
void PartitionLinks::launch_special(std::uint32_t place, std::uint32_t beyond,
                                    const std::uint32_t* flit, std::uint64_t edge) {
  const LinkTx& link = outputs_[place];
  if (LinkChannel* const behind = channel(place); behind != nullptr) {
    behind->push(flit);
    activate(place);
    ++flits_in_flight_;
    return;
  }
  if (link.faults() != nullptr) {
    std::copy_n(flit, words_, faulty_.begin());
    if (!link.faults()->pass(link.number(), edge, faulty_)) return;
    flit = faulty_.data();
  }
  std::uint32_t* const to = SlowSerialisers::takes(link)
                                ? slow_.add(place, edge + beyond)
                                : arrival(link, edge, link.latency() + beyond);
  std::copy_n(flit, words_, to);
  ++flits_in_flight_;
}

// Room for the words of a flit that reaches the end of the link in `cycles` cycles.
std::uint32_t* PartitionLinks::arrival(const LinkTx& link, std::uint64_t edge,
                                       std::uint32_t cycles) {
  const LinkTarget target = link.target();
  return target.partition == index_
             ? wheel_.add_flit(cycles, link.target_pin())
             : outboxes_.add_flit(target.partition, edge + cycles, link.target_pin());
}

void PartitionLinks::end_serialising(std::uint64_t edge) {
  slow_.end_edge(edge, [&](std::uint32_t place, std::span<const std::uint32_t> flit) {
    const LinkTx& link = outputs_[place];
    std::ranges::copy(flit, arrival(link, edge, link.latency()));
  });
}

// ---- link channels

void PartitionLinks::activate(std::uint32_t place) {
  if (channels_[place]->set_active()) active_.push_back(place);
}

bool PartitionLinks::step_channels(std::uint64_t edge) {
  bool is_sending = false;
  std::erase_if(active_, [&](std::uint32_t place) {
    LinkTx& tx = outputs_[place];
    LinkChannel& channel = *channels_[place];
    const LinkTarget& sender = receiver(tx).sender;
    const LinkChannel::Out out = channel.step(edge, tx);
    is_sending = is_sending || out.is_sending;
    if (out.flit != nullptr) std::copy_n(out.flit, words_, wheel_.add_flit(1, tx.target_pin()));
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
      if ((out.credits >> vc & 1U) != 0)
        wheel_.add_credit(1, {sender.node, sender.port, vc, sender.is_switch});
    }
    return !channel.is_active();
  });
  return is_sending;
}

// Returns false if the link has no channel.
bool PartitionLinks::give_to_channel(const LinkRx& in, std::uint32_t vc) {
  if (in.sender.partition != index_) return false;
  const std::uint32_t at = first_[in.sender.node] + in.sender.port;
  if (channels_[at] == nullptr) return false;
  channels_[at]->give_credit(vc);
  activate(at);
  return true;
}

}  // namespace fredsim
