// Links of a Partition that are not plain: those that lose flits, are slow, lead to another partition, or have a channel
// (fabric/links/link_channel.h).
#include <algorithm>
#include <cassert>
#include <functional>

#include "fabric/partition.h"

namespace fredsim {

// A flit that may be lost on its way, is serialised for long, or leaves the partition. `place` of the output.
void Partition::launch_special(LinkTx& link, std::uint32_t beyond, std::uint32_t place,
                               const std::uint32_t* flit) {
  if (LinkChannel* const behind = channel(place); behind != nullptr) {
    behind->push(flit);
    activate(place);
    ++flits_under_way_;
    return;
  }
  if (link.faults() != nullptr) {
    std::copy_n(flit, words_, faulty_.begin());
    if (!link.faults()->pass(link.number(), edge_, faulty_)) return;
    flit = faulty_.data();
  }
  std::uint32_t* to = nullptr;
  if (is_slow(link)) {
    const auto slot = LinkTx::kSlots * place + next_slot_[place];
    next_slot_[place] = static_cast<std::uint8_t>((next_slot_[place] + 1U) % LinkTx::kSlots);
    serialising_.push_back({edge_ + beyond, slot});
    std::ranges::push_heap(serialising_, std::greater{}, &Serialising::until);
    to = &serialising_words_[slot * words_];
  } else {
    to = arrival(link, link.latency() + beyond);
  }
  std::copy_n(flit, words_, to);
  ++flits_under_way_;
}

// Room for the words of a flit that is at the end of the link in so many cycles.
std::uint32_t* Partition::arrival(const LinkTx& link, std::uint32_t cycles) {
  const LinkTarget target = link.target();
  if (target.partition == index_) return wheel_.add_flit(cycles, link.target_pin());
  has_put_[static_cast<std::size_t>(box_)] = true;
  std::vector<std::uint32_t>& flits =
      outboxes_[static_cast<std::size_t>(box_)][target.partition].flits;
  flits.insert(flits.end(), {static_cast<std::uint32_t>(edge_) + cycles, link.target_pin().word()});
  flits.resize(flits.size() + words_);
  return &flits[flits.size() - words_];
}

void Partition::end_serialising() {
  while (!serialising_.empty() && serialising_.front().until == edge_) {
    const std::uint32_t slot = serialising_.front().slot;
    std::ranges::pop_heap(serialising_, std::greater{}, &Serialising::until);
    serialising_.pop_back();
    const LinkTx& link = outputs_[slot / LinkTx::kSlots];
    std::copy_n(&serialising_words_[slot * words_], words_, arrival(link, link.latency()));
  }
}

void Partition::return_crossing(const LinkRx& in, LinkWheel::Credit credit) {
  has_put_[static_cast<std::size_t>(box_)] = true;
  outboxes_[static_cast<std::size_t>(box_)][in.sender.partition].credits.push_back(
      {static_cast<std::uint32_t>(edge_) + in.latency, credit});
}

void Partition::take_in(Partition& other, int box) {
  if (!other.has_put_[static_cast<std::size_t>(box)]) return;
  Outbox& from = other.outboxes_[static_cast<std::size_t>(box)][index_];
  const auto now = static_cast<std::uint32_t>(edge_);
  for (std::size_t i = 0; i < from.flits.size(); i += kCrossingHeader + words_) {
    const std::uint32_t* const entry = &from.flits[i];
    assert(entry[0] - now < wheel_.slots());
    std::copy_n(entry + kCrossingHeader, words_,
                wheel_.add_flit(entry[0] - now, InputPin(entry[1])));
  }
  for (const CrossingCredit& crossing : from.credits) {
    assert(crossing.edge - now < wheel_.slots());
    wheel_.add_credit(crossing.edge - now, crossing.credit);
  }
  from.flits.clear();
  from.credits.clear();
}

// ---- links with a channel

void Partition::activate(std::size_t place) {
  if (channels_[place]->set_active()) active_links_.push_back(static_cast<std::uint32_t>(place));
}

void Partition::step_channels() {
  std::erase_if(active_links_, [&](std::uint32_t place) {
    LinkTx& tx = outputs_[place];
    LinkChannel& link = *channels_[place];
    const LinkTarget& from = inputs_[nodes_[tx.target().node].first + tx.target().port].sender;
    const LinkChannel::Out out = link.step(edge_, tx);
    if (out.is_sending) quiet_ = 0;
    if (out.flit != nullptr) std::copy_n(out.flit, words_, wheel_.add_flit(1, tx.target_pin()));
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
      if ((out.credits >> vc & 1U) != 0) wheel_.add_credit(1, {from.node, from.port, vc});
    }
    return !link.is_active();
  });
}

LinkCount Partition::count(std::uint32_t node, int port) const {
  LinkCount count = output(node, port).count(edge_);
  if (const LinkChannel* const link =
          channel(nodes_[node].first + static_cast<std::uint32_t>(port));
      link != nullptr)
    link->add_counts(count);
  return count;
}

const LinkChannel* Partition::channel_to(std::uint32_t node, int port) const {
  const LinkTarget& from = input(node, port).sender;
  return channels_.empty() || !input(node, port).exists()
             ? nullptr
             : channel(nodes_[from.node].first + from.port);
}

}  // namespace fredsim
