// SPDX-License-Identifier: Apache-2.0
// Commands available to the points of a study, with their options: derived from the command line's
// own (cli/study_commands.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/fields/field.h"

namespace fredsim {

enum class OptionForm : std::uint8_t {
  kValue,
  kValues,  // may be given several times
  kFlag,    // has no value
};

struct StudyOption {
  std::string name;  // "collective", without dashes
  OptionForm form = OptionForm::kValue;
  std::string value{};  // placeholder in the help text: "SIZE"; empty: a flag
  std::string meaning{};
};

struct StudyCommand {
  std::string name;  // "run"
  std::string purpose;
  std::vector<StudyOption> options;
  const fields::Object* document = nullptr;  // table of its results (report/fields/all.h)

  const StudyOption* find(std::string_view option) const {
    for (const StudyOption& one : options)
      if (one.name == option) return &one;
    return nullptr;
  }
};

}  // namespace fredsim
