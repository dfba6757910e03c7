// One run of a Plan as all its NPUs share it: packet arithmetic, operands, the results every rank
// must see bit for bit, and the count of what has arrived.
//
// Shapes: packet k of tree t holds flits [k * packet_flits, …) of the tree; lanes are flit-major.
// Memory: a fixed cache of expected packets; nothing grows with the collective's size.
// Errors: never throws while running; the first thing that is wrong is kept in `failure()`, and the
//   machine ends the run on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/plan.h"

namespace fredsim {

class CollectiveJob {
 public:
  // `addresses`: of every rank. The plan must outlive the job.
  CollectiveJob(const Plan& plan, std::vector<std::uint16_t> addresses, FpFormat format,
                std::uint64_t seed, int lanes);

  const Plan& plan() const { return plan_; }
  FpFormat format() const { return format_; }
  int lanes() const { return lanes_; }
  std::uint16_t address(int rank) const { return addresses_[rank]; }
  int rank_of(std::uint16_t address) const;  // -1: not a member

  std::uint64_t packets(int tree) const;
  int flits(int tree, std::uint64_t packet) const;
  std::uint64_t bytes(int tree, std::uint64_t packet) const;  // the vector's last flit may be short
  std::uint64_t flit_bytes(std::uint64_t flit) const;         // flit of the vector

  void fill_operand(int rank, int tree, std::uint64_t packet, std::uint16_t* lanes) const;
  // A rank holds a result: verified on every lane and counted.
  void accept_result(int rank, int tree, std::uint64_t packet, const std::uint16_t* lanes);
  void fail(const std::string& what);

  bool failed() const { return !failure_.empty(); }
  bool done() const { return delivered_ == total_; }
  const std::string& failure() const { return failure_; }
  std::uint64_t delivered_flits() const { return delivered_; }
  std::uint64_t total_flits() const { return total_; }

 private:
  struct Expected {
    int tree = -1;
    std::uint64_t packet = 0;
  };
  const std::uint16_t* expected_packet(int tree, std::uint64_t packet);
  void report_difference(int rank, int tree, std::uint64_t packet, const std::uint16_t* lanes,
                         const std::uint16_t* wanted);

  const Plan& plan_;
  std::vector<std::uint16_t> addresses_;
  std::vector<std::pair<std::uint16_t, int>> ranks_;  // address -> rank, sorted
  FpFormat format_;
  std::uint64_t seed_;
  int lanes_;
  // Direct-mapped: all ranks check the same packets at about the same time.
  std::vector<Expected> cache_;
  std::vector<std::uint16_t> cached_lanes_;  // of its packets, one after the other
  std::uint64_t delivered_ = 0;
  std::uint64_t total_ = 0;
  std::string failure_;
};

}  // namespace fredsim
