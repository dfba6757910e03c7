// Leaves out what a run repeats, exactly: finds that the whole state recurs, and passes over whole periods.
//
// What it goes by: everything that the cycles to come depend on, relative to the current edge and to how far each tree
//   of the plan is: flits and credits on links, pacing, switches, NICs, NPUs. Not the numbers of packets, nor their
//   payload, by which nothing that a fabric does goes. A state that is equal to an earlier one is followed by the same
//   course, as long as there is as much to send; what there is to send is a number that falls by the same amount in
//   every period.
// How: digests are taken at regular edges; one that was there before gives a period. A second period, from that edge on,
//   must end in the same state; it says how far every counter goes in one. Then as many periods as leave every tree more
//   than its last packets are passed over: the trees become that much shorter, counters of links and switches, the
//   edge and what is delivered go on by that much. Flits that are under way stay as they are.
// Exact: cycles, counters of links and switches, and times of parts are those of the run in full (tests/engine/
//   recurrence_test.cpp). Payload is made, carried and verified in the periods that are simulated.
// Cost: digests are taken rarer the longer none recurs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/state_digest.h"
#include "endpoint/collective_job.h"
#include "endpoint/npu.h"
#include "fabric/fabric.h"
#include "fabric/window_counts.h"

namespace fredsim {

// So many periods pass over, each of so many edges, in which links and switches count what they have counted since
// `before`. The flits x links of these, links on a die left out.
std::uint64_t pass_over_periods(Fabric& fabric, const FabricCounts& before, std::uint64_t number,
                                std::uint64_t edges);

class Recurrence {
 public:
  // All outlive it; the NPUs are all that take part.
  Recurrence(Fabric& fabric, CollectiveJob& job, std::vector<Npu*> npus);

  // After an edge, `cycle` cycles from the run's first one: how many cycles it has passed over, at most `most`.
  std::uint64_t pass_over(std::uint64_t cycle, std::uint64_t most);

  std::uint64_t cycles() const { return cycles_; }  // passed over in all
  std::uint64_t flit_hops() const {
    return flit_hops_;
  }  // flits x links of these, links on a die left out

 private:
  using Progress =
      std::vector<std::uint64_t>;  // packets that the furthest source of a tree has started
  static constexpr std::uint64_t kFirstStep = 16;
  static constexpr std::size_t kMostSeen = 256;

  bool look(StateDigest& digest);
  std::uint64_t periods(std::uint64_t most) const;
  void repeat(std::uint64_t times);
  void begin_search(std::uint64_t cycle, std::uint64_t step);

  Fabric& fabric_;
  CollectiveJob& job_;
  std::vector<Npu*> npus_;
  std::uint64_t next_look_ = 0;
  std::uint64_t step_ = kFirstStep;
  std::map<StateDigest, std::uint64_t> seen_;  // state -> cycle
  // A period that is measured; 0: none.
  std::uint64_t period_ = 0;
  StateDigest state_{kIndexMask};
  Progress progress_, before_;
  FabricCounts counts_;
  std::uint64_t cycles_ = 0, flit_hops_ = 0;
};

}  // namespace fredsim
