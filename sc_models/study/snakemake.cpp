// SPDX-License-Identifier: Apache-2.0
#include "study/snakemake.h"

#include <nlohmann/json.hpp>

namespace fredsim {
namespace {

constexpr std::string_view kSnakefile =
    R"(# Points of a study of fredsim as jobs, which study.json names; written by fredsim sweep --export snakemake.
#   snakemake --cores 4        in this folder: runs them on this machine
#   snakemake --profile slurm  runs them on a cluster (slurm/config.yaml)
# A point whose run fails is a row of the table with its message. A job that is killed is run again.
import json
from pathlib import Path

with open(Path(workflow.basedir) / "study.json", encoding="utf-8") as file:
    study = json.load(file)

# What a job needs to know, and the folder of the results as a pattern of file names.
command = {key: study[key] for key in ("program", "folder", "study", "results")}
results = study["results"].replace("{", "{{").replace("}", "}}")


localrules:
    all,
    table,


wildcard_constraints:
    point="[0-9a-f]{32}",


rule all:
    input:
        results + "/table.csv",


rule point:
    output:
        results + "/points/{point}.json",
    params:
        **command,
    shell:
        "cd {params.folder:q} && {params.program:q} sweep {params.study:q} --results {params.results:q} --point {wildcards.point}"


# Exit code 1: some points failed, of which the table tells.
rule table:
    input:
        expand(rules.point.output, point=study["points"]),
    output:
        results + "/table.csv",
    params:
        **command,
    shell:
        "cd {params.folder:q} && {params.program:q} sweep {params.study:q} --results {params.results:q} --table || test $? -eq 1"
)";

constexpr std::string_view kProfile =
    R"(# Profile of Snakemake 7 for Slurm. Options are those of snakemake, without the dashes.
slurm: true
jobs: 100
default-resources: [mem_mb=2000, runtime=120]
retries: 2
keep-going: true
rerun-incomplete: true
latency-wait: 60
)";

}  // namespace

std::vector<WorkflowFile> snakemake_files(const Workflow& workflow) {
  using Json = nlohmann::ordered_json;
  const Json study = {{"program", workflow.program},
                      {"folder", workflow.folder},
                      {"study", workflow.study},
                      {"results", workflow.results},
                      {"points", workflow.points}};
  return {{"Snakefile", std::string(kSnakefile)},
          {"study.json", study.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"},
          {"slurm/config.yaml", std::string(kProfile)}};
}

}  // namespace fredsim
