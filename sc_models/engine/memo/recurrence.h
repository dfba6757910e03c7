// SPDX-License-Identifier: Apache-2.0
// Leaves out what a run repeats, exactly: finds that the whole state recurs, and passes over whole periods.
//
// What it goes by: everything that the cycles to come depend on, relative to the current edge and to how far each tree
//   of the jobs is: flits and credits on links, pacing, switches, NICs, NPUs. Not the numbers of packets, nor their
//   payload, by which nothing that a fabric does goes. A state that is equal to an earlier one is followed by the same
//   trajectory, as long as there is as much to send; what there is to send is a number that falls by the same amount in
//   every period.
// How: digests are taken at regular edges, and kept with the counters as they were. One that was there before gives a
//   period, and how far every counter goes in one. On large machines, of which these would take much memory, a second
//   period says the latter; it must end in the same state. Then as many periods as leave every tree more than its last
//   packets are passed over: the trees become that much shorter, counters of links and switches, the edge and what is
//   delivered go on by that much. Flits that are under way stay as they are.
// Exact: cycles, counters of links and switches, and times of parts are those of the run in full (tests/engine/
//   recurrence_test.cpp). Payload is made, carried and verified in the periods that are simulated.
// Jobs: all that a communicator has under way. Between two events of a communicator (a grant, a rank that begins, an operation
//   that is complete, an issue) nothing else changes than this knows; at each the search begins anew.
// Rings and multi_tree on a mesh (on a torus late, of 1 GiB after some 780 000 cycles) and rings on FRED trees recur since their
//   packets have an order (collective/packet_order.h), where they reduce and are long enough. After how many cycles follows from the
//   rates: links of 125/128 flit per cycle and frames of 152 flits give 19 456 cycles for multi_tree on 5 x 4; hier_ring, 3648 flits,
//   466 944, which gains little below a GiB. hier_ring on Fred-A 16 384, on Fred-C 9728.
// With a pace (collective/packet_pace.h) the state of a mesh recurs after its frame, some hundred to some thousand cycles, as soon as
//   all hops are in step: looks are then a frame apart, or as many as an acknowledgement stands for. All-to-alls do not: routers do
//   not reach the rate of the busiest link.
// Not found to recur without: all-gathers and broadcasts on a mesh or at the endpoints of FRED trees, and some pairs of operations that
//   share links. Packets pass a channel in the order in which they come, and trees drift against each other.
//   Tried on a mesh: the packet that is the furthest behind in its tree first, on every channel. It costs 0.3 to 1.2 % at 64 MiB and
//   0.5 to 2.8 % at 1 MiB on 5 x 4, where it does not recur either.
// Cost: digests are taken rarer the longer none recurs, of those before every other one is kept then; and rarer from the
//   start on large machines, where none recurred in the searches before with the same plans under way, and after a long
//   period that was passed over. Where one did, the search begins with parts of that period, which a coarser step would
//   miss. None are taken where no tree is long enough for three periods.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/state_digest.h"
#include "engine/window_counts.h"
#include "fabric/fabric.h"
#include "npu/collective_job.h"
#include "npu/npu.h"

namespace fredsim {

// So many periods pass over, each of so many edges, in which links and switches count what they have counted since
// `before`. The flits x links of these, links on a die left out.
std::uint64_t pass_over_periods(Fabric& fabric, const FabricCounts& before, std::uint64_t number,
                                std::uint64_t edges);

class Recurrence {
 public:
  // Both outlive it; the NPUs are those of this process that may take part in a job, `of_all` as many as there are.
  Recurrence(Fabric& fabric, std::vector<Npu*> npus, std::size_t of_all);

  // Something has happened that no digest has: the search begins anew.
  void restart();
  std::uint64_t edges_to_look() const {  // 0: it is due
    const std::uint64_t edge = fabric_.core().edge();
    return next_look_ - std::min(next_look_, edge);
  }
  bool is_due() const { return edges_to_look() == 0; }
  // After an edge, with the jobs under way, the same ones since the last restart(): how many edges it has passed over, at
  // most `most`.
  std::uint64_t pass_over(std::span<CollectiveJob* const> jobs, std::uint64_t max);

  std::uint64_t cycles() const { return cycles_; }  // passed over in all
  std::uint64_t flit_hops() const {
    return flit_hops_;
  }  // flits x links of these, links on a die left out

 private:
  using Progress =
      std::vector<std::uint64_t>;  // packets that the furthest source of a tree has started
  static constexpr std::uint64_t kFirstStep =
      16;  // machines of up to kNpusOfFirstStep NPUs; grows with them
  static constexpr std::size_t kNpusOfFirstStep = 64;
  static constexpr std::uint64_t kFewestPackets = 4;  // min per tree: two periods and two packets
  static constexpr std::uint64_t kLongRest = 1 << 20;
  static constexpr std::uint64_t kLongestFirstStep = 1024;
  static constexpr std::size_t kMaxSeen = 256;
  static constexpr std::uint64_t kLooksInAPeriod = 64;  // per period that was passed over

  // An edge, and how far all was at it.
  struct Moment {
    std::uint64_t edge = 0;
    std::vector<Progress> progress;  // by job
    FabricCounts counts;
  };

  // The outcome of earlier searches with the same plans under way.
  struct Habit {
    std::uint64_t first_step = 0;  // longer where they found nothing
    std::uint64_t period = 0;      // period that the last one found; 0: none
  };

  static bool can_recur(std::span<CollectiveJob* const> jobs);
  bool look(std::span<CollectiveJob* const> jobs, StateDigest& digest);
  void take_furthest(Ranks& ranks);
  bool keeps_counts() const { return of_all_ <= kNpusOfFirstStep; }
  Moment moment() const;
  std::uint64_t pass_over_from(const Moment& before, std::span<CollectiveJob* const> jobs,
                               std::uint64_t max);
  std::uint64_t periods(const Moment& before, std::span<CollectiveJob* const> jobs,
                        std::uint64_t max) const;
  static std::uint64_t periods(const CollectiveJob& job, int tree, std::uint64_t done,
                               std::uint64_t in_one);
  void repeat(const Moment& before, std::span<CollectiveJob* const> jobs, std::uint64_t number);
  Habit& habit_of(std::span<CollectiveJob* const> jobs);
  std::uint64_t step_of(const Habit& habit) const;
  void begin_search(std::uint64_t step);
  void keep_every_other();

  Fabric& fabric_;
  std::vector<Npu*> npus_;
  std::size_t of_all_;
  std::uint64_t next_look_ = 0;  // edge
  std::uint64_t shortest_step_;
  std::map<std::vector<const Plan*>, Habit>
      habits_;  // by plans of the jobs; of a plan that took the place of another, at worst slow
  Habit* habit_ = nullptr;    // habit of the search; null: it has yet to begin
  std::uint64_t frames_ = 0;  // frames of the jobs: steps are multiples of it; 0: any
  std::uint64_t step_ = shortest_step_;
  std::uint64_t begin_ = 0;             // edge at which the search began
  std::map<StateDigest, Moment> seen_;  // without counts on large machines
  // A period that is measured; 0: none.
  std::uint64_t period_ = 0;
  StateDigest state_{kIndexMask};
  std::vector<Progress> progress_;  // by job
  Moment before_;                   // when it began
  std::uint64_t cycles_ = 0, flit_hops_ = 0;
};

}  // namespace fredsim
