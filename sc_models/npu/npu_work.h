// SPDX-License-Identifier: Apache-2.0
// Share of an NPU in one job (npu/collective_job.h): its role in every tree of the plan, its
// progress there, and the remaining work of every part.
//
// Shapes: trees are the plan's trees with a part for the NPU, by their `local` place, ascending by
//   tree. A channel is a NIC port and VC.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/state_digest.h"
#include "nic/packet_extension.h"
#include "nic/ring_queue.h"
#include "npu/collective_job.h"

namespace fredsim {

inline int channel_of(int ports, int port, int vc) { return vc * ports + port; }

// Role of a rank in a tree.
enum class Role : std::uint8_t {
  kLeaf,        // sends its operand to another rank
  kSwitchLeaf,  // sends its operand into the switches, with the operands of detached ranks
  kHead,        // holds the result as its operand, and sends copies of it
  kCombiner,    // adds partial sums and passes the sum on
  kRoot,        // adds partial sums; the sum is the result
  kReceiver,    // receives results, and may forward them
  kAlone,       // holds the result as its operand, and no other rank gets it
};
Role role_of(const TreeRank& rank);
Role role_of(const Tree& tree, const TreeRank& rank);  // includes sums at every rank
// Returns true if the rank starts packets of the tree.
constexpr bool is_source(Role role) {
  return role == Role::kLeaf || role == Role::kSwitchLeaf || role == Role::kHead;
}
constexpr bool adds(Role role) { return role == Role::kCombiner || role == Role::kRoot; }

// Pace of a source (collective/detail/packet_pace.h): packets are `interval` + `rest` / `in_frame`
// cycles apart; `not_before` is the earliest start of the next one. A source that is late by up to
// kMaxLate packets catches up; beyond that, the pace restarts from the current time.
struct TreePace {
  std::uint64_t interval = 0, rest = 0, in_frame = 1;
  std::uint64_t not_before = 0, fraction = 0;
  bool has_begun = false, is_waited_for = false;

  void keep(std::uint64_t now);  // called when a packet has been started
  void add_state(std::uint64_t now, StateDigest& digest) const;

 private:
  static constexpr std::uint64_t kMaxLate = 8;  // in packets
  std::uint64_t max_late() const { return kMaxLate * (interval + 1); }
  bool is_late(std::uint64_t now) const { return now > not_before + max_late(); }
};

// Memory: a large machine has millions of them.
struct alignas(64) TreeState {
  struct Input {
    RingQueue<Packet*> held;
    std::uint64_t arrived = 0;
  };

  // First cache line: state that every packet needs.
  const TreeRank* part = nullptr;
  std::uint64_t packets = 0;
  std::uint64_t started = 0;  // new packets generated, by a source
  std::uint64_t results = 0;  // results seen
  std::uint64_t window = 0;
  std::uint64_t reached = 0;  // packets acknowledged to a source
  int tree = 0;               // index in the plan
  int part_number = 0;        // index in the plan
  int channel = 0;            // source: channel of the first hop of its packets
  Role role = Role::kReceiver;
  bool in_switch = false;  // arrivals come by its switch_port
  bool sees_results = false;
  bool goes_by_acknowledgements = false;  // a source limited by acknowledgements
  // Second cache line.
  std::uint64_t reduced = 0;                                // packets combined from reduce_from
  std::uint64_t results_announced = 0, sums_announced = 0;  // packets acknowledged to others
  std::uint64_t acknowledged_window = 0;
  std::unique_ptr<TreePace> pace;  // pace of the source, if any

  void set_sizes(std::size_t inputs, std::size_t acknowledged);
  // Entries: reduce_from; in a sum at every rank, operands.
  std::span<Input> inputs() { return {inputs_.get(), input_count_}; }
  std::span<const Input> inputs() const { return {inputs_.get(), input_count_}; }
  // Packets that other ranks have acknowledged: entries of broadcast_to, then reduce_to, if they
  // acknowledge.
  std::span<std::uint64_t> acknowledged() { return {acknowledged_.get(), acknowledged_count_}; }
  std::span<const std::uint64_t> acknowledged() const {
    return {acknowledged_.get(), acknowledged_count_};
  }
  bool has_inputs_for_one() const;  // a packet for every input is held

 private:
  std::unique_ptr<Input[]> inputs_;
  std::unique_ptr<std::uint64_t[]> acknowledged_;
  std::uint32_t input_count_ = 0, acknowledged_count_ = 0;
};
static_assert(sizeof(TreeState) == 128);

// Share of this NPU in one tree of the job's plan.
struct Share {
  int tree = 0;
  const TreeRank* rank = nullptr;
};

struct Work {
  // `shares` by tree, ascending; `ports`: of the NPU.
  Work(CollectiveJob& job, const std::vector<Share>& shares, int ports);

  const Tree& plan_tree(int local) const { return job->plan().trees[trees[local].tree]; }
  // Counts down the remaining work of a part here. The last count makes the rank complete.
  void done_one(int part) {
    if (--left[part] == 0) job->rank_complete(part, rank[part]);
  }
  // Shortens the trees after CollectiveJob::leave_out().
  void shorten();
  bool complete() const;
  // Adds counts of packets relative to the furthest source of their tree, by tree of the plan.
  void add_state(const std::vector<std::uint64_t>& furthest, std::uint64_t now,
                 StateDigest& digest) const;
  // Missing packets: tree, number, sender.
  void describe_missing(std::vector<std::string>& lines) const;

  CollectiveJob* job;
  std::vector<TreeState> trees;
  std::vector<bool> allowed;              // index: part
  std::vector<std::uint64_t> left;        // index: part; packets to start, add, see as results and
                                          // forward
  std::vector<std::uint64_t> to_receive;  // index: part; results for this rank
  std::vector<int> rank;                  // index: part; -1: not a member
  std::uint64_t acknowledgements = 0;     // sent, by all copies of the trees

 private:
  void prepare(int local, const Share& share, int ports);
};

// Jobs' work in flight at an NPU, ascending by the streams of the jobs.
class Works {
 public:
  struct Place {
    Work* work = nullptr;  // null: no job has the tree here
    int local = 0;
  };
  Place find(std::uint32_t stream) const;
  Work* of(const CollectiveJob& job) const;  // null: it is not here
  Work& add(std::unique_ptr<Work> work);
  void remove(const Work& work);
  void clear() { works_.clear(); }
  bool empty() const { return works_.empty(); }
  bool failed() const;  // true if one of them has failed
  auto begin() const { return works_.begin(); }
  auto end() const { return works_.end(); }

 private:
  std::vector<std::unique_ptr<Work>> works_;
};

}  // namespace fredsim
