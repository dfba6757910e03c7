// SPDX-License-Identifier: Apache-2.0
// Points of a study, in order: by work, machine, settings of the machine, options of the work and
// seed; the seed changes fastest. Zipped axes change together, in the place of the first of them.
//
// Errors: BadInput with file and line: more than kMaxStudyPoints points, not counting exclusions;
//   zipped axes of different lengths, or of which a point has only some; no point left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "study/study.h"

namespace fredsim {

struct PointValue {
  const StudyAxis* axis = nullptr;
  const StudyValue* value = nullptr;
};

// Point of a study; valid as long as its study.
struct StudyPoint {
  const StudyMachine* machine = nullptr;
  const StudyWork* work = nullptr;
  std::vector<PointValue> settings, options;
  const StudyValue* seed = nullptr;  // null: the study has none
};

class StudyPoints {
 public:
  explicit StudyPoints(const Study& study);

  std::size_t size() const { return included_.size(); }
  StudyPoint operator[](std::size_t index) const { return product(included_[index]); }

 private:
  // Axes that change together; `length` values each.
  struct Dimension {
    std::vector<const StudyAxis*> axes;
    std::size_t length = 1;
  };
  // Points of one work on one machine.
  struct Block {
    const StudyWork* work = nullptr;
    const StudyMachine* machine = nullptr;
    std::vector<Dimension> dimensions;
    std::size_t first = 0, points = 1;
  };

  Block block_of(const StudyWork& work, const StudyMachine& machine) const;
  void zip(Block& block) const;
  bool is_excluded(const StudyPoint& point) const;
  StudyPoint product(std::size_t number) const;

  const Study& study_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> included_;  // numbers in the whole product
};

// Value of an axis (StudyZip, StudyExclusion) at a point; null: the point has no such axis.
const std::string* value_of(const StudyPoint& point, std::string_view axis);

// Words of the command line of a point, without the program and without outputs: "run",
// "configs/mesh.yaml", "--set", "npu.count=4", …
std::vector<std::string> command_of(const StudyPoint& point);

}  // namespace fredsim
