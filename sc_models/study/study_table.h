// SPDX-License-Identifier: Apache-2.0
// Results of a study as a table: a row per point that was run, in the order of the study.
//
// The same points give the same text, byte for byte, wherever and in whatever order they were run.
// Columns of CSV are the keys of the JSON lines, those inside an object with its key and a dot in
// front ("settings.npu.count", "results.cycles"); those without a value in any row are left out.
// Keys: results/fields/sweep.h.
// Errors: none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "study/study_folder.h"
#include "study/study_points.h"

namespace fredsim {

struct StudyRow {
  std::string hash;
  StudyPoint point;
  PointOutcome outcome;
};

std::string study_lines(std::span<const StudyRow> rows);  // JSON, a line per row
std::string study_csv(std::span<const StudyRow> rows);
// A file of results, for `fredsim report`. `missing`: points that have not been run.
std::string study_json(const Origin& origin, const std::string& study, std::size_t missing,
                       std::span<const StudyRow> rows);

}  // namespace fredsim
