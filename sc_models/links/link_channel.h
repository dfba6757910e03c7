// SPDX-License-Identifier: Apache-2.0
// A link whose flits and credits do not go straight from one end to the other: all that is between its sender and the
// pins of its receiver, in both directions. Plain links have none (links/link.h).
//
// Calls, at every edge: step() while the channel is active, before the nodes step; then is_ready() for the sender's pins;
//   then push() with the flit that the sender launched and give_credit() with a credit of the receiver, which make it active.
// Serialiser: that of the sender's LinkTx, which has the link's rate. step() asks it whether it takes a flit
//   (LinkTx::takes_now()) and hands flits to it (LinkTx::serialise()); no one else does.
// Inactive: nothing is inside, and nothing of it changes with time.
// Partitions: both ends are in one.
// Skipping: while it is active every edge is simulated. A channel that does not add its state to the digest keeps periods that
//   recur from being skipped.
// Errors: step() throws RunFailed where the link fails.
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
        nullptr;                // for the receiver's pins before the next edge; null: none
    std::uint32_t credits = 0;  // for the sender's, bit v: one of VC v
    bool is_sending = false;    // something goes on the wire
  };

  LinkChannel() = default;
  virtual ~LinkChannel() = default;
  LinkChannel(const LinkChannel&) = delete;
  LinkChannel& operator=(const LinkChannel&) = delete;

  virtual void reset() = 0;  // as constructed, counts too
  virtual void clear_counts() = 0;
  // Adds what it counts itself to what its sender does.
  virtual void add_counts(LinkCount& count) const = 0;

  // The sender may launch a flit, up to launch_edges() edges later.
  virtual bool is_ready(const LinkTx& tx, std::uint64_t edge) const = 0;
  virtual void push(const std::uint32_t* flit) = 0;
  virtual void give_credit(std::uint32_t vc) = 0;
  virtual Out step(std::uint64_t edge, LinkTx& tx) = 0;

  bool is_active() const { return is_active_; }
  // False: it was active already.
  bool set_active() {
    if (is_active_) return false;
    begin();
    return is_active_ = true;
  }

  // Launched, and not at the receiver's pins; given, and not at the sender's.
  virtual int flits_inside(int vc) const = 0;
  virtual int credits_inside(int vc) const = 0;
  // False: it cannot tell. Counters are not passed over, so one that has some says false.
  virtual bool add_state(StateDigest& digest) const {
    static_cast<void>(digest);
    return false;
  }
  // So many edges pass after which its state is as it is now.
  virtual void pass_over(std::uint64_t edges) { static_cast<void>(edges); }

 protected:
  // Becomes active after edges at which it was not.
  virtual void begin() {}
  void stay_active(bool on) { is_active_ = on; }

 private:
  bool is_active_ = false;
};

}  // namespace fredsim
