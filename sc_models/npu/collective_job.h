// SPDX-License-Identifier: Apache-2.0
// One run of a Plan, shared by all its NPUs: packet arithmetic, operands and expected results, all
// of them functions of the plan and the seed; and, for the report, counts of arrived results and
// times of parts. NPUs verify and count their own results and report them here; they learn nothing
// of other NPUs from it.
//
// Shapes: packet k of tree t holds flits [k * packet_flits, …) of the tree; lanes are flit-major.
// Parts: a part may send once it is released. The runner of the job releases it, and then the NPUs.
// Memory: a cache of expected packets, sized by the members, 4 MiB at most; nothing grows with the
//   collective's size.
// Errors: never throws while running; the first error is kept in `failure()`, and the machine ends
//   the run on it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/state_digest.h"
#include "plan/plan.h"

namespace fredsim {

class CollectiveJob {
 public:
  // The plan must outlive the job. `copies`, by tree: number of equal trees that it stands for in
  // counts of bytes and acknowledgements; empty: one each.
  CollectiveJob(const Plan& plan, const Topology& topology, std::uint64_t seed, int lanes,
                const std::vector<int>& copies = {});

  // Places the job beside other jobs in flight: tree t of the plan has number `first_tree` + t, and
  // phase p of the plan is phases[p]. Call before the job runs. Without this call the numbers are
  // those of the plan.
  void place(int first_tree, std::vector<std::uint8_t> phases) {
    first_tree_ = first_tree;
    phases_ = std::move(phases);
  }

  const Plan& plan() const { return plan_; }
  int first_tree() const { return first_tree_; }
  // Stream number of a tree's packets: of results on their way out if `broadcast`, else of operands
  // and sums.
  std::uint32_t stream(int tree, bool broadcast) const {
    return static_cast<std::uint32_t>(2 * (first_tree_ + tree) + (broadcast ? 1 : 0));
  }
  std::uint8_t phase(int of_plan) const {
    return phases_.empty() ? static_cast<std::uint8_t>(of_plan) : phases_[of_plan];
  }
  FpFormat format() const { return format_; }
  int lanes() const { return lanes_; }
  std::uint16_t address(int part, int rank) const { return parts_[part].addresses[rank]; }
  int rank_of(int part, std::uint16_t address) const;  // -1: not a member

  std::uint64_t packets(int tree) const;
  int flits(int tree, std::uint64_t packet) const;
  std::uint64_t bytes(int tree, std::uint64_t packet) const;  // the tree's last flit may be short

  void fill_operand(int rank, int tree, std::uint64_t packet, std::uint16_t* lanes) const;
  // Expected result of a packet; valid until the next call.
  const std::uint16_t* expected_packet(int tree, std::uint64_t packet);
  // Counts a correct result at a rank; and, at `now` of its timers (nic/edge_timers.h), a rank with
  // all results of a part.
  void count_result(int tree, std::uint64_t packet);
  void has_all_results(int part, std::uint64_t now);
  void report_difference(int rank, int tree, std::uint64_t packet, const std::uint16_t* lanes,
                         const std::uint16_t* wanted);
  void fail(const std::string& what, FailureCause cause = FailureCause::kOther);

  void release(int part, std::uint64_t cycle);  // lets the part send from now on
  // Notes which parts have ended, at `cycle`, which is `now` of the timers. A newly complete part
  // has ended at the cycle before or, after many edges at once, earlier by the age of its last
  // result.
  void note_ends(std::uint64_t cycle, std::uint64_t now);
  bool released(int part) const { return parts_[part].released; }
  bool ended(int part) const { return parts_[part].ended; }
  std::uint64_t last_end() const;
  std::uint64_t start_cycle(int part) const { return parts_[part].start; }
  std::uint64_t end_cycle(int part) const { return parts_[part].end; }
  // Begins a rank of a released part; last_begin() is the cycle of the latest such call.
  void begin_rank(int part, std::uint64_t cycle) { parts_[part].last_begin = cycle; }
  std::uint64_t last_begin(int part) const { return parts_[part].last_begin; }

  using RankOfPart = fredsim::RankOfPart;
  // Exchange with NPUs of other processes: the reports of NPUs here are kept for the other
  // processes, and the reports from there are added. Completed ranks are exchanged likewise:
  // add_completed() receives the ranks of all processes.
  struct News {
    struct PartNews {
      int part = 0;
      int receivers = 0;  // receivers that have all results
      std::uint64_t last_result = 0;
    };
    std::uint64_t flits = 0, bytes = 0;
    std::vector<PartNews> parts{};
    std::vector<fredsim::RankOfPart> completed{};
    bool empty() const { return flits == 0 && parts.empty() && completed.empty(); }
  };
  void keep_news() { keeps_news_ = true; }
  News take_news();
  void add_counts(const News& of_others);
  void add_completed(const News& news);  // news of all processes, this one's included

  // Records that a rank has sent all of its packets of a part and holds all its results.
  // The reader may take entries out.
  void rank_complete(int part, int rank) { completed_.push_back({part, rank}); }
  std::vector<RankOfPart>& completed() { return completed_; }
  // State in the form of Npu::add_state().
  void add_state(StateDigest& digest) const;
  // Variant with all counts as they are, and times relative to `cycle`, so that equal states mean
  // equal progress in equal plans.
  void add_state_with_counts(std::uint64_t cycle, StateDigest& digest) const;
  void shift(std::uint64_t cycles);  // delays all that has started or ended
  // Leaves out `packets` of each tree, by tree, and counts them as received by all receivers; the
  // last packet of a tree is never left out. Packets in flight keep their numbers; the remaining
  // work shrinks accordingly.
  void leave_out(const std::vector<std::uint64_t>& packets);
  std::uint64_t left_out(int tree) const { return trees_[tree].left_out; }
  std::uint64_t copies(int tree) const { return trees_[tree].copies; }

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  FailureCause failure_cause() const { return failure_cause_; }
  std::uint64_t delivered_flits() const { return delivered_; }
  std::uint64_t total_flits() const { return total_; }
  // Bytes of results, summed over all ranks.
  std::uint64_t delivered_bytes() const { return delivered_bytes_; }
  std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  struct Expected {
    int tree = -1;
    std::uint64_t packet = 0;
  };
  struct PartState {
    std::vector<std::uint16_t> addresses;              // addresses of all ranks
    std::vector<std::pair<std::uint16_t, int>> ranks;  // address -> rank, sorted
    std::uint64_t seed = 0;                            // seed of its operands
    int receivers_left = 0;                            // ranks without all results
    std::uint64_t start = 0, end = 0;
    std::uint64_t last_begin = 0;
    std::uint64_t last_result = 0;  // `now` of the last rank to have all results
    bool released = false, ended = false;
  };
  struct TreeCount {
    std::uint64_t receivers = 0;
    std::uint64_t copies = 1;
    std::uint64_t left_out = 0;  // packets left out
  };
  void count_receivers(int part, int receivers, std::uint64_t now);
  // Flits of a tree that are sent.
  std::uint64_t sent_flits(int tree) const {
    return plan_.trees[tree].flits - trees_[tree].left_out * packet_flits(tree);
  }
  std::uint64_t packet_flits(int tree) const {
    return static_cast<std::uint64_t>(plan_.parts[plan_.trees[tree].part].packet_flits);
  }

  const Plan& plan_;
  std::vector<PartState> parts_;
  std::vector<TreeCount> trees_;
  std::vector<RankOfPart> completed_;
  bool keeps_news_ = false;
  News news_;
  int first_tree_ = 0;
  std::vector<std::uint8_t> phases_;
  bool ended_some_ = false;
  FpFormat format_;
  int lanes_;
  // Direct-mapped: all ranks check the same packets at about the same time.
  std::vector<Expected> cache_;
  std::vector<std::uint16_t> cached_lanes_;  // lanes of its packets, one after the other
  std::uint64_t delivered_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::string failure_;
  FailureCause failure_cause_ = FailureCause::kOther;
};

}  // namespace fredsim
