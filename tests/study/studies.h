// SPDX-License-Identifier: Apache-2.0
// Studies for tests, of commands that are none of the program's.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "results/fields/run.h"
#include "results/fields/traffic.h"
#include "study/study.h"
#include "study/study_points.h"
#include "support/temporary_folder.h"
#include "topology/support.h"

namespace fredsim {

inline std::vector<StudyCommand> test_commands() {
  return {{.name = "run",
           .purpose = "Runs.",
           .options = {{.name = "collective", .value = "NAME"},
                       {.name = "size", .value = "SIZE"},
                       {.name = "lanes", .value = "N"},
                       {.name = "work", .value = "FILE.yaml"},
                       {.name = "trace", .value = "PREFIX"},
                       {.name = "group", .form = OptionForm::kValues, .value = "RANKS"},
                       {.name = "no-skip", .form = OptionForm::kFlag}},
           .document = &fields::kRunDocument},
          {.name = "traffic",
           .purpose = "Sends.",
           .options = {{.name = "rate", .value = "RATES"}},
           .document = &fields::kTrafficDocument}};
}

// A study that is read from a file of its own.
class StudyFile {
 public:
  explicit StudyFile(const std::string& text) : path_(folder_.file("study.yaml")) {
    std::ofstream(path_) << text;
  }
  const std::string& path() const { return path_; }
  Study read() const {
    const std::vector<StudyCommand> commands = test_commands();
    return read_study(path_, commands);
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

inline std::string line_of(const StudyPoint& point) {
  std::string line;
  for (const std::string& word : command_of(point)) line += (line.empty() ? "" : " ") + word;
  return line;
}

inline std::vector<std::string> lines_of(const Study& study) {
  const StudyPoints points(study);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < points.size(); ++i) lines.push_back(line_of(points[i]));
  return lines;
}

// Why the points of a study are refused.
inline std::string refused_points(const std::string& text) {
  const StudyFile file(text);
  return refusal([&] { const StudyPoints points(file.read()); });
}

}  // namespace fredsim
