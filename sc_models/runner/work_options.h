// SPDX-License-Identifier: Apache-2.0
// Work of a run as asked for, checked: collectives, groups, sizes.
//
// Units: sizes in bytes, with NCCL's meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/work_run.h"
#include "plan/chunking.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/parallelism.h"
#include "runner/placement.h"

namespace fredsim {

// One collective on one or several groups at the same time.
struct WorkItem {
  struct After {
    int item = 0;            // index in the same list
    bool all_ranks = false;  // else each NPU waits for its own part
  };
  std::string name{};  // empty: none
  Collective collective = Collective::kAllReduce;
  // Members in rank order, workers and others (group_members.h); an empty list: all workers.
  std::vector<std::vector<int>> groups{};
  std::optional<std::uint64_t> size{};  // else that of the run
  int vc = kDp;
  std::string algorithm = "auto";
  int root = 0;   // rank in its group
  int roots = 0;  // Part::roots
  std::uint64_t start_ps = 0;
  std::uint64_t start_cycles = 0;                // beside start_ps
  std::vector<std::uint64_t> matrix{};           // all_to_all_v; empty: random
  std::vector<After> after{};                    // begins when they are complete
  std::uint64_t delay_ps = 0, delay_cycles = 0;  // and so much later: the sum
  std::uint64_t repeat = 1;                      // one after the other
};

struct WorkOptions {
  std::vector<std::uint64_t> sizes;  // sizes of the runs, ascending
  std::vector<WorkItem> items;       // items of every run
  OnConflict on_conflict = OnConflict::kRefuse;
  PacketOrder packet_order = PacketOrder::kAuto;
  Chunking chunking{};                // on systems
  std::optional<Strategy> strategy;   // strategy of the workers
  std::vector<Dimension> dimensions;  // whose groups the items are; empty: groups named one by one
  Placement placement;
  bool is_placed = false;        // a placement was asked for
  bool finds_placement = false;  // --placement auto: `placement` is the simplest to choose from
  bool whole_machine() const;    // a group is "all", or has it
  bool names_all_controllers() const;  // io:all or io:each
  bool has_order() const;              // an item comes after another, after a delay, or is repeated
};

// Collectives of a run on a machine. `seed`: of the random sizes of an all_to_all_v.
std::vector<CollectiveSpec> specs_of(const WorkOptions& work, const Topology& topology,
                                     std::uint64_t size, std::uint64_t seed);

// The same with order, a step per item.
std::vector<WorkStep> steps_of(const WorkOptions& work, const Topology& topology,
                               std::uint64_t size, std::uint64_t seed);

}  // namespace fredsim
