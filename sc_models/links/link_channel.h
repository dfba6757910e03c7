// SPDX-License-Identifier: Apache-2.0
// A link's own path between its sender and the pins of its receiver, in both directions, for links
// that are more than a delay line. Plain links have no channel (links/link.h).
//
// Calls, at every edge: step() while the channel is active, before the nodes step; then is_ready()
//   for the sender's pins; then push() with the flit that the sender launched and give_credit()
//   with a credit of the receiver; both make the channel active.
// Serialiser: it belongs to the sender's LinkTx, which has the link's rate. step() asks whether it
//   takes a flit (LinkTx::takes_now()) and passes flits to it (LinkTx::serialise()); only the
//   channel does so.
// Inactive: nothing is inside, and no state changes with time.
// Partitions: both ends are in one.
// Skipping: every edge is simulated while the channel is active. A channel that does not add its
//   state to the digest disables the skipping of recurring periods.
// Errors: step() throws RunFailed when the link fails.
#pragma once

#include <cstdint>

#include "base/flit.h"
#include "base/state_digest.h"
#include "links/link.h"

namespace fredsim {

class LinkChannel {
 public:
  struct Out {
    const std::uint32_t* flit =
        nullptr;                // flit at the receiver's pins before the next edge; null: none
    std::uint32_t credits = 0;  // credits at the sender's pins, bit v: one of VC v
    bool is_sending = false;    // something goes on the wire
  };

  LinkChannel() = default;
  virtual ~LinkChannel() = default;
  LinkChannel(const LinkChannel&) = delete;
  LinkChannel& operator=(const LinkChannel&) = delete;

  virtual void reset() = 0;  // restores the constructed state, counts included
  virtual void clear_counts() = 0;
  // Adds the channel's own counts to the sender's.
  virtual void add_counts(LinkCount& count) const = 0;

  // Returns true if the sender may launch a flit, up to launch_edges() edges later.
  virtual bool is_ready(const LinkTx& tx, std::uint64_t edge) const = 0;
  virtual void push(const std::uint32_t* flit) = 0;
  virtual void give_credit(std::uint32_t vc) = 0;
  virtual Out step(std::uint64_t edge, LinkTx& tx) = 0;

  bool is_active() const { return is_active_; }
  // Makes the channel active; false if it was active already.
  bool set_active() {
    if (is_active_) return false;
    begin();
    return is_active_ = true;
  }

  // Flits that were launched and are not at the receiver's pins, and credits given that are not at
  // the sender's.
  virtual int flits_inside(int vc) const = 0;
  virtual int credits_inside(int vc) const = 0;
  // Adds the state to the digest; false if the channel cannot. A channel with counters returns
  // false, since skipping does not replay them.
  virtual bool add_state(StateDigest& digest) const {
    static_cast<void>(digest);
    return false;
  }
  // Skips `edges` edges after which the state is as now.
  virtual void skip(std::uint64_t edges) { static_cast<void>(edges); }

 protected:
  // Called when the channel becomes active after idle edges.
  virtual void begin() {}
  void stay_active(bool on) { is_active_ = on; }

 private:
  bool is_active_ = false;
};

}  // namespace fredsim
