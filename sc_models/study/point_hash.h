// SPDX-License-Identifier: Apache-2.0
// Hash of a point: equal for the same machine, work, seed and version of fredsim, however the study
// writes them.
//
// Machine: all of its keys, defaults included, without its path; "16 KiB" and "16384 B" are equal.
//   Work: the options of the study, sizes and numbers by value, files by their contents. A default
//   that is written out differs from one that is left out.
// Errors: BadInput with the study's file and line: a machine file that cannot be read or is not
//   YAML; a setting without a key in the machine. An invalid combination of settings is no error
//   here: its point fails when it is run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/config_tree.h"
#include "study/study_points.h"

namespace fredsim {

class PointHasher {
 public:
  // `version`: version of fredsim; any text.
  explicit PointHasher(std::string version) : version_(std::move(version)) {}

  std::string hash(const StudyPoint& point);

 private:
  const ConfigNode& root_of(const StudyMachine& machine);
  const std::string& machine_hash(const StudyPoint& point);
  const std::string& word_hash(const StudyAxis& axis, const std::string& word);

  std::string version_;
  std::map<std::string, ConfigNode> roots_;                                 // by file
  std::map<std::string, std::string> machine_hashes_;                       // by file and settings
  std::map<std::pair<std::string, std::string>, std::string> word_hashes_;  // by option and word
};

// Hashes of all points in order. Throws BadInput, also where two points have equal hashes.
std::vector<std::string> hashes_of(const StudyPoints& points, const std::string& version);

}  // namespace fredsim
