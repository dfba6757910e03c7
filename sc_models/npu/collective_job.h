// SPDX-License-Identifier: Apache-2.0
// One run of a Plan as all its NPUs share it: packet arithmetic, operands and the results that every rank must see, all of
// them functions of the plan and the seed; and, for the report, how much has arrived and when parts start and end. NPUs
// verify and count what is theirs by themselves and tell it; none learns here of what others have.
//
// Shapes: packet k of tree t holds flits [k * packet_flits, …) of the tree; lanes are flit-major.
// Parts: a part may send once it is released. Whoever runs the job releases it, and tells the NPUs.
// Memory: a cache of expected packets, sized by the members, 4 MiB at most; nothing grows with the collective's size.
// Errors: never throws while running; the first thing that is wrong is kept in `failure()`, and the
//   machine ends the run on it.
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
  // The plan must outlive the job. `copies`, by tree: how many equal ones it stands for where bytes and
  // acknowledgements are counted; empty: one each.
  CollectiveJob(const Plan& plan, const Topology& topology, std::uint64_t seed, int lanes,
                const std::vector<int>& copies = {});

  // Beside other jobs under way: its trees have the numbers from `first_tree` on, its plan's phase p is phases[p].
  // Before it runs; else trees and phases are those of the plan.
  void place(int first_tree, std::vector<std::uint8_t> phases) {
    first_tree_ = first_tree;
    phases_ = std::move(phases);
  }

  const Plan& plan() const { return plan_; }
  int first_tree() const { return first_tree_; }
  // Number of the packets of a tree, of its results on their way out or else.
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
  // Expected result of a packet; valid until another one is asked for.
  const std::uint16_t* expected_packet(int tree, std::uint64_t packet);
  // A rank has a result of the collective, and it is right; it has all of a part, at `now` of its timers (nic/edge_timers.h).
  void count_result(int tree, std::uint64_t packet);
  void has_all_results(int part, std::uint64_t now);
  void report_difference(int rank, int tree, std::uint64_t packet, const std::uint16_t* lanes,
                         const std::uint16_t* wanted);
  void fail(const std::string& what, FailureCause cause = FailureCause::kOther);

  void release(int part, std::uint64_t cycle);  // it may send from now on
  // Notes the ends of parts, at `cycle`, which is `now` of the timers: those that are complete and not noted yet have ended at
  // the cycle before, or, where edges come many at once, so much earlier as their last result came before.
  void note_ends(std::uint64_t cycle, std::uint64_t now);
  bool released(int part) const { return parts_[part].released; }
  bool ended(int part) const { return parts_[part].ended; }
  std::uint64_t last_end() const;
  std::uint64_t start_cycle(int part) const { return parts_[part].start; }
  std::uint64_t end_cycle(int part) const { return parts_[part].end; }
  // A rank of a part that was released begins now, and the cycle at which the last one so far did.
  void begin_rank(int part, std::uint64_t cycle) { parts_[part].last_begin = cycle; }
  std::uint64_t last_begin(int part) const { return parts_[part].last_begin; }

  using RankOfPart = fredsim::RankOfPart;
  // Parts of the job are on NPUs of other processes: what those here have told is kept for them as news, and what comes from
  // them is added. Completed ranks are news, too, and come back with those of others.
  struct News {
    struct PartNews {
      int part = 0;
      int receivers = 0;  // that have all results
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
  void add_completed(const News& news);  // news of all processes, this one too

  // A rank has sent all that the plan wants of it in a part and holds all its results.
  void rank_complete(int part, int rank) { completed_.push_back({part, rank}); }
  std::vector<RankOfPart>& completed() {
    return completed_;
  }  // whoever reads them may take them out
  // State, as Npu::add_state() has it.
  void add_state(StateDigest& digest) const;
  // The same with all counts as they are, and times relative to `cycle`, so that equal states are equally far in equal plans.
  void add_state_with_counts(std::uint64_t cycle, StateDigest& digest) const;
  void shift(std::uint64_t cycles);  // delays everything that has started or ended
  // So many packets of each tree, by tree, are not sent: none of them the last one, and all receivers as if they had
  // them. Those under way keep their numbers; what is yet to come is that much less.
  void leave_out(const std::vector<std::uint64_t>& packets);
  std::uint64_t left_out(int tree) const { return trees_[tree].left_out; }
  std::uint64_t copies(int tree) const { return trees_[tree].copies; }

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  FailureCause failure_cause() const { return failure_cause_; }
  std::uint64_t delivered_flits() const { return delivered_; }
  std::uint64_t total_flits() const { return total_; }
  // Bytes of results, at all ranks.
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
    int receivers_left = 0;                            // ranks that do not have all results yet
    std::uint64_t start = 0, end = 0;
    std::uint64_t last_begin = 0;
    std::uint64_t last_result = 0;  // `now` of the last of its ranks that has all results
    bool released = false, ended = false;
  };
  struct TreeCount {
    std::uint64_t receivers = 0;
    std::uint64_t copies = 1;
    std::uint64_t left_out = 0;  // packets
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
