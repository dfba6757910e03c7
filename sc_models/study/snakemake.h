// SPDX-License-Identifier: Apache-2.0
// Workflow of Snakemake 7 for a study: each point is a job, its table the last one. Snakemake runs
// them on this machine or, by its own executor, on Slurm; fredsim only lists them.
//
// Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

struct Workflow {
  // Absolute paths, except for the study: as typed, relative to `folder`.
  std::string program, folder, study, results;
  std::span<const std::string> points;  // hashes
};

struct WorkflowFile {
  std::string_view name;  // "Snakefile"
  std::string text;
};

// Files of the workflow's folder: the Snakefile, its inputs, and a profile for Slurm.
std::vector<WorkflowFile> snakemake_files(const Workflow& workflow);

}  // namespace fredsim
