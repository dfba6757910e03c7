// SPDX-License-Identifier: Apache-2.0
// Study file: axes of machines, settings and works, whose product is the list of points that
// `fredsim sweep` runs.
//
// Keys: rows of study_file_keys(), and `run`, `traffic`, `train` with options of the command of
//   this name, each with a value or a list of values; a list of such maps: one after the other.
//   Their schema: study/study_schema.h.
// An axis is a setting, by its key; an option, by its name; `seed`, `machine` or `command`.
// Paths are as on a command line: from the working directory.
// Errors: BadInput with file and line, the key, what was found and what is allowed; unknown keys
// are errors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_key.h"
#include "study/study_command.h"

namespace fredsim {

struct StudyValue {
  std::string text;                // text as written; a list or map in one line
  std::string where;               // "study.yaml:7"
  std::vector<std::string> words;  // words on the command line; several: of a repeatable option
};

struct StudyAxis {
  std::string name;                // "switch.input_buffer", "size", "seed"
  std::string where;               // place of its key
  std::vector<StudyValue> values;  // one or more
  OptionForm form = OptionForm::kValue;
  std::string value_name{};  // StudyOption::value; empty: none
};

struct StudyMachine {
  std::string file;
  std::string where;
  std::vector<StudyAxis> settings;  // settings of this machine, in place of the common ones
};

struct StudyWork {
  std::string command;                       // "run"
  const fields::Object* document = nullptr;  // StudyCommand::document
  std::string where;
  std::vector<StudyAxis> options;
};

struct StudyZip {
  std::string where;
  std::vector<std::string> axes;
};

struct StudyExclusion {
  std::string where;
  std::vector<std::pair<std::string, std::vector<std::string>>> values;  // by axis
};

struct Study {
  std::string path;
  std::string name;
  std::vector<StudyMachine> machines;
  std::vector<StudyAxis> settings;  // settings of all machines
  std::vector<StudyWork> works;
  std::optional<StudyAxis> seeds{};
  std::vector<StudyZip> zips{};
  std::vector<StudyExclusion> exclusions{};
};

// Names of axes that are neither setting nor option.
inline constexpr std::string_view kMachineAxis = "machine", kCommandAxis = "command",
                                  kSeedAxis = "seed";

inline constexpr std::size_t kMaxStudyPoints = 1'000'000;

const FileKeys& study_file_keys();
Study read_study(const std::string& path, std::span<const StudyCommand> commands);

}  // namespace fredsim
