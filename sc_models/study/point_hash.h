// SPDX-License-Identifier: Apache-2.0
// Hash of a point: equal for the same machine, work, seed and version of fredsim, however the study
// writes them.
//
// Machine: all keys that it has, defaults included, without its path; "16 KiB" and "16384 B" are
// the same. Work: the options of the study, sizes and numbers by value, files by their contents. A
// default that is written out is another work than one that is left out.
// Errors: BadInput with the study's file and line: a machine file that cannot be read or is no
// YAML; a setting that the machine has no key for. A machine that its settings make impossible is
// none: its point fails when it is run.
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
  // `version`: of fredsim; any text.
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

// Hashes of all points in order. BadInput also where two of them have the same one.
std::vector<std::string> hashes_of(const StudyPoints& points, const std::string& version);

}  // namespace fredsim
