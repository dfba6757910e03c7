// SPDX-License-Identifier: Apache-2.0
// Table of the results of a study: a row per completed point, in the order of the study.
//
// Equal points give equal text, byte for byte, wherever and in whatever order they were run.
// Columns of CSV are the keys of the JSON lines; keys of nested objects are prefixed with the key
// of the object and a dot ("settings.npu.count", "results.cycles"); columns without a value in any
// row are left out.
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
// Text of a file of results, for `fredsim report`. `missing`: number of points that have not been
// run.
std::string study_json(const Origin& origin, const std::string& study, std::size_t missing,
                       std::span<const StudyRow> rows);

}  // namespace fredsim
