// SPDX-License-Identifier: Apache-2.0
// Exact skipping of repeated work: detects that the whole state recurs, and skips whole periods.
//
// State: everything that the future cycles depend on, relative to the current edge and to the
//   progress of each tree of the jobs: flits and credits on links, pacing, switches, NICs, NPUs.
//   Packet numbers and payload are left out, since nothing in a fabric depends on them. A state
//   that equals an earlier one is followed by the same trajectory, as long as there is as much to
//   send; the remainder is a number that falls by the same amount in every period.
// Method: digests are taken at regular edges, and kept with the counters of the moment. A digest
//   seen before gives a period, and the increment of every counter. On large machines, whose
//   counters would take much memory, a second period measures the increments; it must end in the
//   same state. Then as many periods are skipped as leave every tree more than its last packets:
//   the trees get shorter, and counters of links and switches, the edge and the delivered bytes
//   advance by their increments. Flits in flight stay as they are.
// Exact: cycles, counters of links and switches, and times of parts equal the run in full
//   (tests/engine/recurrence_test.cpp). Payload is made, carried and verified in the simulated
//   periods.
// Jobs: all that a communicator has in flight. Between two events of a communicator (a grant, the
//   start of a rank, the completion of an operation, an issue) no state outside these jobs, the
//   fabric and the NPUs changes; each event restarts the search.
// Where it recurs: rings and multi_tree on a mesh (on a torus late, at 1 GiB after some 780 000
//   cycles) and rings on FRED trees, due to the order of their packets
//   (collective/detail/packet_order.h), if they reduce and are long enough. The period follows from
//   the rates: links of 125/128 flit per cycle and frames of 152 flits give 19 456 cycles for
//   multi_tree on 5 x 4; hier_ring, 3648 flits, 466 944, which gains little below a GiB. hier_ring
//   on Fred-A 16 384, on Fred-C 9728.
// With a pace (collective/detail/packet_pace.h) the state of a mesh recurs after its frame, some
//   hundred to some thousand cycles, as soon as all hops are in step: looks are then a frame apart,
//   or as many frames as an acknowledgement covers. All-to-alls do not recur: routers do not reach
//   the rate of the busiest link.
// Not found to recur without a pace: all-gathers and broadcasts on a mesh or at the endpoints of
//   FRED trees, and some pairs of operations that share links. Packets pass a channel in the order
//   of their arrival, and trees drift against each other.
//   Tried on a mesh: on every channel first the packet that is furthest behind in its tree. It
//   costs 0.3 to 1.2 % at 64 MiB and 0.5 to 2.8 % at 1 MiB on 5 x 4, and does not recur there
//   either.
// Cost: a digest takes as long as some 16 edges of a busy machine. The interval between digests
//   grows while no state recurs, and every other earlier digest is dropped at each step. It is
//   longer from the start where trees drift, on large machines, if no state recurred in earlier
//   searches with the same plans in flight, and after a long period was skipped. If a state did
//   recur, the search begins with fractions of the known period, which a longer interval would
//   miss. No digests are taken if no tree is long enough for three periods.
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

// Skips `number` periods of equal length, in which links and switches count as since `before`.
// Returns the flit-hops added, on-die links excluded.
std::uint64_t skip_periods(Fabric& fabric, const FabricCounts& before, std::uint64_t number,
                           std::uint64_t edges);

class Recurrence {
 public:
  // Fabric and NPUs outlive it. `npus`: NPUs of this process that may take part in a job; `of_all`:
  // their number over all processes.
  Recurrence(Fabric& fabric, std::vector<Npu*> npus, std::size_t of_all);

  // Restarts the search after an event that no digest contains.
  void restart();
  std::uint64_t edges_to_look() const {  // 0: look now
    const std::uint64_t edge = fabric_.core().edge();
    return next_look_ - std::min(next_look_, edge);
  }
  bool is_due() const { return edges_to_look() == 0; }
  // Called after an edge, with the jobs in flight, which have not changed since the last restart().
  // Returns the number of edges skipped, at most `max`.
  std::uint64_t skip(std::span<CollectiveJob* const> jobs, std::uint64_t max);

  std::uint64_t cycles() const { return cycles_; }  // cycles skipped in all
  // Flit-hops of the skipped cycles, on-die links excluded.
  std::uint64_t flit_hops() const { return flit_hops_; }

 private:
  using Progress =
      std::vector<std::uint64_t>;  // packets that the furthest source of each tree has started
  static constexpr std::uint64_t kFirstStep =
      16;  // machines of up to kNpusOfFirstStep NPUs; grows with them
  static constexpr std::uint64_t kFirstStepOfDrift = 512;
  static constexpr std::size_t kNpusOfFirstStep = 64;
  static constexpr std::uint64_t kFewestPackets = 4;  // min per tree: two periods and two packets
  static constexpr std::uint64_t kLongIdle = 1 << 20;
  static constexpr std::uint64_t kLongestFirstStep = 1024;
  static constexpr std::size_t kMaxSeen = 256;
  static constexpr std::uint64_t kLooksInAPeriod = 64;  // looks per skipped period

  // An edge, and the progress of all jobs at it.
  struct Moment {
    std::uint64_t edge = 0;
    std::vector<Progress> progress;  // index: job
    FabricCounts counts;
  };

  // The outcome of earlier searches with the same plans in flight.
  struct Habit {
    std::uint64_t first_step = 0;  // longer after searches that found nothing
    std::uint64_t period = 0;      // period of the last search; 0: none
  };

  static bool can_recur(std::span<CollectiveJob* const> jobs);
  bool look(std::span<CollectiveJob* const> jobs, StateDigest& digest);
  void take_furthest(Ranks& ranks);
  bool keeps_counts() const { return of_all_ <= kNpusOfFirstStep; }
  Moment moment() const;
  std::uint64_t skip_from(const Moment& before, std::span<CollectiveJob* const> jobs,
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
  std::uint64_t next_look_ = 0;  // edge of the next look
  std::uint64_t shortest_step_;
  std::map<std::vector<const Plan*>, Habit>
      habits_;                // key: plans of the jobs; a reused address costs only speed
  Habit* habit_ = nullptr;    // habit of the search; null: not begun
  std::uint64_t frames_ = 0;  // frames of the jobs: steps are multiples of it; 0: any
  std::uint64_t step_ = shortest_step_;
  std::uint64_t begin_ = 0;             // edge at which the search began
  std::map<StateDigest, Moment> seen_;  // without counts on large machines
  // The period being measured; 0: none.
  std::uint64_t period_ = 0;
  StateDigest state_{kIndexMask};
  std::vector<Progress> progress_;  // index: job
  Moment before_;                   // moment at which it began
  std::uint64_t cycles_ = 0, flit_hops_ = 0;
};

}  // namespace fredsim
