// SPDX-License-Identifier: Apache-2.0
#include "collective/plan.h"

#include <algorithm>

namespace fredsim {

void Plan::note(const std::string& text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
}

}  // namespace fredsim
