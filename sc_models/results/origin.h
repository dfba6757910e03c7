// SPDX-License-Identifier: Apache-2.0
// Origin of a file of results: program, commit and command. A header of its own, without
// nlohmann/json.hpp, for programs of users.
#pragma once

#include <string_view>

namespace fredsim {

// Origin of results; results/version.h has the values of this program.
struct Origin {
  std::string_view version;
  std::string_view commit;
  std::string_view command;  // the command line, as a shell takes it
};

}  // namespace fredsim
