// SPDX-License-Identifier: Apache-2.0
// Links of a partition (fabric/partition.h): both ends of inner links, its halves of crossing
// links, and all flits and credits in flight.
//
// Plain links: a flit goes from its sender straight into the wheel. Special ones lose flits,
//   serialise them for long (fabric/slow_serialisers.h), cross to another partition, or have a
//   channel (links/link_channel.h); this is fixed at construction, so that a plain link tests one
//   bit.
// Crossing links: the sender has pacing, room and counts, the receiver the flits in flight; credits
//   likewise in the other direction. Crossing flits and credits are put into an outbox with the
//   edge of their arrival (fabric/outboxes.h).
// Places number the output ports, and the input ports, of all nodes, one node after the other.
// Edges are the partition's: each call gets the edge that is being simulated.
// Errors: std::logic_error from the constructor for a channel that would cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/state_digest.h"
#include "fabric/cut.h"
#include "fabric/link_wheel.h"
#include "fabric/outboxes.h"
#include "fabric/slow_serialisers.h"
#include "links/link.h"
#include "links/link_channel.h"
#include "nic/packet_extension.h"
#include "topology/topology.h"

namespace fredsim {

class PartitionLinks {
 public:
  // Links of partition `index` of the cut. `places`: by node; `words`: words of a flit.
  PartitionLinks(const Topology& topology, const std::vector<NodePlace>& places,
                 std::uint32_t index, std::size_t partitions, std::size_t words);

  // Place of a node's port.
  std::uint32_t place(std::uint32_t node, int port) const {
    return first_[node] + static_cast<std::uint32_t>(port);
  }
  LinkTx* outputs() { return outputs_.data(); }
  LinkTx& output(std::uint32_t node, int port) { return outputs_[place(node, port)]; }
  const LinkTx& output(std::uint32_t node, int port) const { return outputs_[place(node, port)]; }
  const LinkRx& input(std::uint32_t node, int port) const { return inputs_[place(node, port)]; }
  void set_faults(std::uint32_t node, int port, LinkFaults* faults);

  // Resets all but the outputs, which their nodes reset.
  void reset();
  void clear_counts();
  LinkCount count(std::uint32_t node, int port, std::uint64_t edge) const;
  // Missing bytes of short tails (nic/packet_extension.h), by half of their stream's number.
  void clear_missing_bytes() { missing_of_.clear(); }
  void set_missing_bytes(std::size_t first, std::span<const std::uint16_t> by_stream_pair);

  // ---- an edge, in this order
  // Steps serialisers and channels. Returns true if a channel puts a flit on the wire.
  bool begin_edge(std::uint64_t edge) {
    if (!slow_.empty()) end_serialising(edge);
    return !active_.empty() && step_channels(edge);
  }
  // Arrivals of an edge at switches or at endpoints; the caller drops them once all are used.
  LinkWheel::Flits& flits_at(LinkWheel::List list) { return wheel_.flits(list); }
  LinkWheel::Credits& credits_at(LinkWheel::List list) { return wheel_.credits(list); }
  void drop_credits(LinkWheel::List list) {
    credits_in_flight_ -= static_cast<int>(wheel_.credits(list).size());
    wheel_.credits(list).clear();
  }
  void drop_flits(LinkWheel::List list) {
    LinkWheel::Flits& flits = wheel_.flits(list);
    if (flits.empty()) return;
    flits_in_flight_ -= static_cast<int>(flits.size() / (LinkWheel::kHeader + words_));
    flits.clear();
  }
  template <typename OnCredit>
  void take_credits(LinkWheel::List list, const OnCredit& on_credit) {
    for (const LinkWheel::Credit credit : wheel_.credits(list)) on_credit(credit);
    drop_credits(list);
  }
  // Calls on_flit(input pin, words); kWords: words of a flit, 0: as given to the constructor.
  template <int kWords, typename OnFlit>
  void take_flits(LinkWheel::List list, const OnFlit& on_flit) {
    const std::size_t words = kWords != 0 ? kWords : words_;
    LinkWheel::Flits& flits = wheel_.flits(list);
    for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
         entry += LinkWheel::kHeader + words)
      on_flit(InputPin(entry[0]), entry + LinkWheel::kHeader);
    drop_flits(list);
  }
  // Launches a flit that has taken its room at the receiver, on the output `link` at `place`;
  // `beyond` as in LinkTx.
  template <int kWords>
  [[gnu::always_inline]] void launch(LinkTx& link, std::uint32_t place, std::uint32_t beyond,
                                     const std::uint32_t* flit, std::uint64_t edge) {
    const std::size_t words = kWords != 0 ? kWords : words_;
    link.count_flit(flit);
    if (!missing_of_.empty() && (flit[0] & kShortBit) != 0 && (flit[2] & kTailBit) != 0)
      count_missing_bytes(link, flit);
    if (link.is_special()) [[unlikely]] {
      launch_special(place, beyond, flit, edge);
      return;
    }
    std::memcpy(wheel_.add_flit(link.latency() + beyond, link.target_pin(), words), flit,
                words * sizeof *flit);
    ++flits_in_flight_;
  }
  // Returns a credit of the input port at `place`. False if it has no link.
  [[gnu::always_inline]] bool return_credit(std::uint32_t place, std::uint32_t vc,
                                            std::uint64_t edge) {
    const LinkRx& in = inputs_[place];
    if (!in.exists()) [[unlikely]]
      return false;
    const CreditPin credit = in.credit.on(vc);
    ++credits_in_flight_;
    if (!channels_.empty() && give_to_channel(in, vc)) [[unlikely]]
      return true;
    if (in.sender.partition != index_) [[unlikely]] {
      outboxes_.add_credit(in.sender.partition, edge + in.latency, credit);
    } else {
      wheel_.add_credit(in.latency, credit);
    }
    return true;
  }
  void end_edge() { wheel_.turn(); }

  // ---- other partitions
  // Takes in the contents of outbox `box` of the other partition; both are at the same edge.
  void take_in(PartitionLinks& other, int box, std::uint64_t edge) {
    other.outboxes_.hand_over(box, index_, edge, wheel_);
  }
  void fill(int box) { outboxes_.fill(box); }
  // Packs and unpacks contents of outbox `box` for a partition of another process.
  void pack(int box, std::uint32_t partition, RankMessage& message) {
    outboxes_.pack(box, partition, message);
  }
  void unpack(RankMessage& message, std::uint64_t edge) { outboxes_.unpack(message, edge, wheel_); }

  // Edges until the first arrival from an outbox; box -1: none.
  std::uint64_t edges_to_crossing(int box, std::uint64_t edge) const {
    return outboxes_.edges_to_first(box, edge);
  }

  // ---- between two edges, while the outboxes are empty
  // Launches minus arrivals in this partition: negative if more flits arrive than leave.
  int flits_in_flight() const { return flits_in_flight_; }
  int credits_in_flight() const { return credits_in_flight_; }
  // Edges until an arrival or the end of a serialisation; the highest number if nothing is in
  // flight.
  std::uint64_t edges_to_arrival(std::uint64_t edge) const;
  void rest(std::uint64_t edges) { wheel_.turn(edges); }
  bool are_rested(std::uint64_t edge) const;  // true if the links of this partition's senders are
                                              // idle
  bool add_state(StateDigest& digest, std::uint64_t edge) const;
  void skip(std::uint64_t edges);
  // Flits of a VC in flight to an input or kept by the serialiser of an output; credits in flight
  // to an output.
  int flits_to(std::uint32_t node, int port, int vc) const;
  int flits_in_serialiser(std::uint32_t node, int port, int vc) const {
    return slow_.count(place(node, port), vc);
  }
  int credits_to(std::uint32_t node, int port, int vc) const;
  // Arrivals at the next edge: on_flit(input pin); on_credit(credit).
  template <typename OnFlit>
  void visit_flits(const OnFlit& on_flit) const {
    for (const LinkWheel::List list : LinkWheel::kLists) {
      const LinkWheel::Flits& flits = wheel_.flits(0, list);
      for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
           entry += LinkWheel::kHeader + words_)
        on_flit(InputPin(entry[0]));
    }
  }
  template <typename OnCredit>
  void visit_credits(const OnCredit& on_credit) const {
    for (const LinkWheel::List list : LinkWheel::kLists)
      for (const LinkWheel::Credit credit : wheel_.credits(0, list)) on_credit(credit);
  }

 private:
  LinkWheel make_wheel(const std::vector<NodePlace>& places) const;
  void add_links(const std::vector<NodePlace>& places);
  void add_sender(const Link& link, int number, const std::vector<NodePlace>& places);
  bool is_plain(const LinkTx& link) const;
  void launch_special(std::uint32_t place, std::uint32_t beyond, const std::uint32_t* flit,
                      std::uint64_t edge);
  std::uint32_t* arrival(const LinkTx& link, std::uint64_t edge, std::uint32_t cycles);
  void end_serialising(std::uint64_t edge);
  bool step_channels(std::uint64_t edge);
  bool give_to_channel(const LinkRx& in, std::uint32_t vc);
  void activate(std::uint32_t place);
  LinkChannel* channel(std::uint32_t place) const {
    return channels_.empty() ? nullptr : channels_[place].get();
  }
  const LinkRx& receiver(const LinkTx& link) const {
    return inputs_[first_[link.target().node] + link.target().port];
  }
  void count_missing_bytes(LinkTx& link, const std::uint32_t* flit) const;

  const Topology& topology_;
  std::uint32_t index_;
  std::size_t words_;
  std::vector<std::uint32_t> first_;  // place of port 0, by node
  std::vector<LinkTx> outputs_;
  std::vector<LinkRx> inputs_;
  LinkWheel wheel_;
  SlowSerialisers slow_;
  std::vector<std::unique_ptr<LinkChannel>> channels_;  // index: place of the output; empty: none
  std::vector<std::uint32_t> active_;                   // places with an active channel
  Outboxes outboxes_;
  std::vector<std::uint16_t> missing_of_;  // index: half of a stream's number
  std::vector<std::uint32_t> faulty_;      // words of a flit on a link with faults
  int flits_in_flight_ = 0;
  int credits_in_flight_ = 0;
};

}  // namespace fredsim
