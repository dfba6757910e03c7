// SPDX-License-Identifier: Apache-2.0
// Work of a run, checked: collectives, groups, sizes.
//
// Units: sizes in bytes, with NCCL's meaning.
// Errors: BadInput with the option, or file, line and key, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collective/algorithm.h"
#include "engine/work_run.h"
#include "plan/chunk_rows.h"
#include "plan/chunking.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/parallelism.h"
#include "results/option_row.h"
#include "runner/file_uses.h"
#include "runner/option_values.h"
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
  // Members in rank order: workers and I/O controllers (group_members.h); an empty list: all
  // workers.
  std::vector<std::vector<int>> groups{};
  std::optional<std::uint64_t> size{};  // none: size of the run
  int vc = kDp;
  std::string algorithm = "auto";
  int root = 0;   // rank in its group
  int roots = 0;  // Part::roots
  std::uint64_t start_ps = 0;
  std::uint64_t start_cycles = 0;                // added to start_ps
  std::vector<std::uint64_t> matrix{};           // all_to_all_v; empty: random
  std::vector<After> after{};                    // start after their completion
  std::uint64_t delay_ps = 0, delay_cycles = 0;  // plus this delay: the sum of both
  std::uint64_t repeat = 1;                      // number of repetitions, in sequence
};
inline constexpr auto kItemRows = rows::under(
    headings::kWork,
    rows::parsed<parse_collective, &WorkItem::collective>(
        "--collective", "NAME",
        "all_reduce (default), reduce_scatter, all_gather, reduce, broadcast, multicast, gather, "
        "scatter, all_to_all, all_to_all_v or unicast",
        {.offer = "all_reduce reduce_scatter all_gather reduce broadcast multicast gather scatter "
                  "all_to_all all_to_all_v unicast"}),
    rows::given<WorkItem>("--size", "SIZE",
                          "as NCCL counts it: 4096, 4K = 4KiB, 1.5MB, 1e6 (default 1MiB)"),
    rows::given<WorkItem>("-b", "SIZE", "sweep of sizes: the first; without -e the only one"),
    rows::given<WorkItem>("-e", "SIZE", "sweep of sizes: the largest"),
    rows::given<WorkItem>("-f", "N", "sweep of sizes: factor from each to the next (default 2)"),
    rows::parsed<parse_group, &WorkItem::groups>(
        "--group", "RANKS",
        "members: all (default: all NPUs), 0,1,5,6 or 0-3,8; I/O controllers are io0, io0-3 or "
        "io:all. Several groups run at the same time; io:each,all is one per controller",
        {.most = kAnyNumber}),
    rows::number<&WorkItem::root>("--root", "R", "the root's position in the group (default 0)",
                                  {.min = 0}),
    rows::number<&WorkItem::roots>(
        "--roots", "N",
        "multicast, reduce: the first N members are roots at once, each for its share of the data: "
        "weights from I/O controllers to NPUs, and gradients back"),
    rows::text<&WorkItem::algorithm>(
        "--algorithm", "NAME",
        "auto (default: the one estimated to be the fastest), paper, ring, tree, in_switch and "
        "more, or a FILE. A file has a schedule: FILE.json, FILE.xml or FILE.0.et. paper: the "
        "paper's. compare with one machine: several, A,B. All: ",
        {.more_words = algorithm_words, .more_meaning = algorithm_names}),
    rows::parsed<parse_priority, &WorkItem::vc>(
        "--priority", "NAME", "virtual channel: mp, pp or dp (default)", {.offer = "mp pp dp"}),
    rows::given<WorkItem>(
        "--matrix", "FILE",
        "all_to_all_v: bytes from rank to rank, N x N, JSON or CSV (default: random)"),
    rows::given<WorkItem>("--work", "FILE.yaml",
                          "several collectives, at the same time or one after the other"));

struct WorkOptions {
  std::vector<std::uint64_t> sizes;  // sizes of the runs, ascending
  std::vector<WorkItem> items;       // items of every run
  OnConflict on_conflict = OnConflict::kRefuse;
  PacketOrder packet_order = PacketOrder::kAuto;
  Chunking chunking{};                // on systems
  std::optional<Strategy> strategy;   // strategy of the workers
  std::vector<Dimension> dimensions;  // items run on their groups; empty: groups named
  Placement placement;
  bool is_placed = false;              // a placement was requested
  bool finds_placement = false;        // --placement auto: `placement` is the simplest candidate
  bool whole_machine() const;          // a group is "all", or contains it
  bool names_all_controllers() const;  // io:all or io:each
  bool has_order() const;              // an item comes after another, after a delay, or is repeated
};
inline constexpr auto kWorkRows = rows::join(
    rows::under(
        headings::kPlacement,
        rows::parsed<parse_strategy, &WorkOptions::strategy>(
            "--strategy", "mpM-dpD-ppP",
            "3D parallelism: M x D x P workers, rank = mp + M (dp + D pp)"),
        rows::given<WorkOptions>(
            "--dimension", "NAME",
            "with --strategy: the groups of mp (all_reduce), dp (all_reduce) or pp (multicast to "
            "the next stage), each at its own priority; several at the same time: mp,dp",
            {.offer = "mp pp dp"}),
        rows::given<WorkOptions>(
            "--placement", "WHERE",
            "NPU of every worker: paper (default with --dimension: mp + M (pp + P dp)), snake (the "
            "same, there and back along the rows of a grid), identity (default of --group and "
            "--work), a file with a list of NPUs, or auto: the best of these and of a search, for "
            "this work's traffic",
            {.offer = "paper snake identity auto"}),
        rows::word<&WorkOptions::on_conflict>(
            "--on-conflict", "WHAT",
            "groups that the switches cannot route together: refuse (default), later or unicast",
            {.words = "refuse later unicast"})),
    kChunkRows<&WorkOptions::chunking>,
    rows::under(
        headings::kModel,
        rows::word<&WorkOptions::packet_order>(
            "--packet-order", "WHAT",
            "order of packets that wait for a channel. arrival: first come, first served. "
            "recurring: a fixed order for all-reduces at the endpoints, in which the machine's "
            "state recurs, so that large sizes simulate quickly. paced: on a mesh or torus, a "
            "fixed order for all collectives, packets started at even intervals: about half a "
            "percent slower. auto (default): paced above 64 MiB, recurring below, where that "
            "changes cycles by less than a percent, else arrival",
            {.words = "auto arrival recurring paced", .only_exact = "flows have no packets"})));

// Reads the values of kItemRows and kWorkRows.
WorkOptions work_options(const OptionTexts& texts);
// Adds the files that the options name and the command reads.
void add_work_files(const OptionTexts& texts, const WorkOptions& work, FileUses& files);

// Collectives of a run on a machine. `seed`: of the random sizes of an all_to_all_v.
std::vector<CollectiveSpec> specs_of(const WorkOptions& work, const Topology& topology,
                                     std::uint64_t size, std::uint64_t seed);

// Collectives of a run with order, one step per item.
std::vector<WorkStep> steps_of(const WorkOptions& work, const Topology& topology,
                               std::uint64_t size, std::uint64_t seed);

}  // namespace fredsim
