// SPDX-License-Identifier: Apache-2.0
#include "base/detail/yaml_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fredsim {
namespace {

struct Problem {
  std::string_view message;  // beginning of the parser's message
  std::string_view found;
};

// A const array, since the parser's texts are not constant expressions.
const std::array kProblems = {
    Problem{YAML::ErrorMsg::END_OF_MAP,
            "a line that is no 'key: value', or further left or right than its keys"},
    Problem{YAML::ErrorMsg::END_OF_MAP_FLOW, "'{' without its '}'"},
    Problem{YAML::ErrorMsg::END_OF_SEQ, "a line in a list that does not begin with '- '"},
    Problem{YAML::ErrorMsg::END_OF_SEQ_FLOW, "'[' without its ']'"},
    Problem{YAML::ErrorMsg::FLOW_END, "a ']' or '}' that closes nothing"},
    Problem{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote that does not end"},
    Problem{YAML::ErrorMsg::DOC_IN_SCALAR, "'---' or '...' inside a value"},
    Problem{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab before the first word of a line"},
    Problem{YAML::ErrorMsg::BLOCK_ENTRY, "'- ' where no list can begin"},
    Problem{YAML::ErrorMsg::MAP_KEY, "a key where none can be"},
    Problem{YAML::ErrorMsg::MAP_VALUE, "a ':' where no key can be"},
    Problem{YAML::ErrorMsg::UNKNOWN_TOKEN,
            "a character that no value begins with unless it is quoted"},
    Problem{YAML::ErrorMsg::CHAR_IN_SCALAR, "a character that no value holds unless it is quoted"},
    Problem{YAML::ErrorMsg::SINGLE_QUOTED_CHAR, "a character that no quoted value holds"},
    Problem{YAML::ErrorMsg::CHAR_IN_BLOCK, "a character after '|' or '>'"},
    Problem{YAML::ErrorMsg::INVALID_ESCAPE, "an unknown escape after a '\\'"},
    Problem{YAML::ErrorMsg::INVALID_HEX, "an escape after a '\\' that is no number"},
    Problem{YAML::ErrorMsg::INVALID_UNICODE, "an escape after a '\\' that is no character"},
    Problem{YAML::ErrorMsg::ALIAS_NOT_FOUND, "a '*' without a name"},
    Problem{YAML::ErrorMsg::ANCHOR_NOT_FOUND, "a '&' without a name"},
    Problem{YAML::ErrorMsg::UNKNOWN_ANCHOR, "a '*' with a name that nothing has"},
};

}  // namespace

std::string yaml_problem(const YAML::Exception& error) {
  const auto* const problem = std::ranges::find_if(
      kProblems, [&](const Problem& known) { return error.msg.starts_with(known.message); });
  return fmt::format("found {}", problem != kProblems.end()
                                     ? problem->found
                                     : "what is neither keys nor values nor a list");
}

}  // namespace fredsim
