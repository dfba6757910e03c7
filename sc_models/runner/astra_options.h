// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim 2's command line as a question: traces on the network of its analytical backend, with
// its system and memory files (workload_files/astra_system.h).
//
// Machine: the network file; `clock: auto`; NPUs with the peak and memory of the system file.
// Collectives: of each dimension the algorithm that its word means, in as many chunks as
//   preferred-dataset-splits says. active-chunks-per-dimension 1: each chunk begins when the one
//   before is complete; more: their latencies overlap. Groups take part of a dimension as in
//   `train`.
// Times: without roofline-enabled computations take the duration of the trace, or 1 ns; with it the
//   roofline of peak-perf and local-mem-bw, whatever the duration. replay-only: every node takes
//   its duration, or 1 ns, and there is no communication.
// Errors: BadInput with the option or the file, line and key, the found value and the allowed
//   values; errors of the readers of the files.
#pragma once

#include <string>
#include <string_view>

#include "results/option_row.h"
#include "runner/file_uses.h"
#include "runner/training_jobs.h"

namespace fredsim {

// Options that ASTRA-sim has.
struct AstraOptions {
  std::string workload;  // prefix of the traces
  std::string system, network;
  std::string memory, groups;                 // empty: none
  std::string log_configuration, log_folder;  // not used: nothing is logged
  int queues = 1;
  double compute_scale = 1, comm_scale = 1, injection_scale = 1;
  bool has_rendezvous = false;
};

// A value that may be no other than 1.
double parse_one(const std::string& text, std::string_view option);
int parse_one_queue(const std::string& text, std::string_view option);

inline constexpr auto kAstraRows = rows::join(
    rows::under(
        headings::kWork,
        rows::text<&AstraOptions::workload>(
            "--workload-configuration", "PREFIX",
            "Chakra execution traces, PREFIX.RANK.et; also by the file of a rank", {.least = 1}),
        rows::text<&AstraOptions::system>("--system-configuration", "FILE.json",
                                          "system file of ASTRA-sim: algorithms, chunks, roofline",
                                          {.least = 1}),
        rows::text<&AstraOptions::network>(
            "--network-configuration", "FILE.yml",
            "network file of ASTRA-sim's analytical backend: a block per dimension", {.least = 1}),
        rows::text<&AstraOptions::memory>("--remote-memory-configuration", "FILE.json",
                                          "memory of loads and stores (default: the NPUs' own)"),
        rows::text<&AstraOptions::groups>(
            "--comm-group-configuration", "FILE.json",
            "groups that traces name, {\"NAME\": [rank, ...]}; empty, ASTRA-sim's word, means none "
            "(default: PREFIX.groups.json, where there is one)")),
    rows::under(
        headings::kMachine,
        rows::parsed<parse_one_queue, &AstraOptions::queues>(
            "--num-queues-per-dim", "1", "accepted for ASTRA-sim's scripts, with this value",
            {.offer = "1"}),
        rows::parsed<parse_one, &AstraOptions::compute_scale>(
            "--compute-scale", "1", "accepted for ASTRA-sim's scripts, with this value",
            {.offer = "1"}),
        rows::parsed<parse_one, &AstraOptions::comm_scale>(
            "--comm-scale", "1", "accepted for ASTRA-sim's scripts, with this value",
            {.offer = "1"}),
        rows::parsed<parse_one, &AstraOptions::injection_scale>(
            "--injection-scale", "1", "accepted for ASTRA-sim's scripts, with this value",
            {.offer = "1"}),
        rows::word<&AstraOptions::has_rendezvous>("--rendezvous-protocol", "false",
                                                  "accepted for ASTRA-sim's scripts, with this "
                                                  "value",
                                                  {.words = "false"})),
    rows::under(headings::kOutput,
                rows::text<&AstraOptions::log_configuration>(
                    "--logging-configuration", "FILE", "accepted and not read: there is no log"),
                rows::text<&AstraOptions::log_folder>(
                    "--logging-folder", "FOLDER", "accepted and not written: there is no log")));

// Sets the machine, the traces and their rules in a question.
void complete_astra(const AstraOptions& options, TrainRequest& request);

// Adds the files that are read.
void add_astra_files(const AstraOptions& options, FileUses& files);

}  // namespace fredsim
