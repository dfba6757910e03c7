// SPDX-License-Identifier: Apache-2.0
// Schedule of a collective as data: the hops of every chunk between ranks, independent of machine
// and size. Files of several formats are read into it (schedule_files/schedule_file.h), and an
// algorithm makes a plan of it (collective/schedule_algorithm.h).
//
// Flow: a share of the data, and its hops. Shares are fractions [begin / of, end / of), of the
//   vector (all_reduce, reduce, broadcast, multicast, unicast), or of the block of a rank.
//   sums: hops of partial sums, each sender once, to one root; the sums that a rank receives are
//     added to its own operand in the order of the list.
//   results: hops of the sum from the root, or of the operand from the rank that holds it.
//   operands: of an all_reduce in which every rank adds by itself: by rank, the hops of its operand
//     to all ranks. Sums and results are empty then.
// Blocks: rank k owns block k; of gather, k is the sender; of scatter, the receiver; of an
//   all_to_all, the block of `source` for k.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/collective.h"

namespace fredsim {

inline constexpr int kMaxScheduleRanks = 1024;
inline constexpr std::uint64_t kMaxShares = std::uint64_t{1} << 32;

struct ScheduleHop {
  int from = 0, to = 0;
  int vc = -1;  // virtual channel; -1: the part's
  friend bool operator==(const ScheduleHop&, const ScheduleHop&) = default;
};

struct ScheduleFlow {
  int block = 0;
  int source = 0;                            // all_to_all
  std::uint64_t begin = 0, end = 1, of = 1;  // end <= of <= kMaxShares
  int slice = -1;                            // NIC port on a machine with slices; -1: all
  std::vector<ScheduleHop> sums{}, results{};
  std::vector<std::vector<ScheduleHop>> operands{};
};

struct CollectiveSchedule {
  std::string file;
  std::string format;
  std::string name;
  Collective collective = Collective::kAllReduce;
  int ranks = 0;
  int root = 0;
  // Maximum of packets in flight per source and flow; 0: the default. With `window_is_fixed`, the
  // round trip does not widen it.
  int window = 0;
  bool window_is_fixed = false;
  std::optional<bool> packet_order{};  // none: the machine's default
  std::vector<ScheduleFlow> flows{};
  std::vector<std::string> notes{};  // parts of the file that are ignored, each once
};

// "chunk 3 of 8", "chunks 3 to 5 of 8", counted from 0, and the block if the collective has any.
std::string chunk_name(const CollectiveSchedule& schedule, const ScheduleFlow& flow);
// True where each rank owns a block.
bool has_blocks(Collective collective);
// Collectives of schedules: all but all_to_all_v.
bool may_be_scheduled(Collective collective);
std::string allowed_for_schedules();  // list for messages

}  // namespace fredsim
