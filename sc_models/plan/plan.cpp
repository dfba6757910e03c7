// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>

namespace fredsim {

std::uint64_t additions_of(const Tree& tree) {
  std::uint64_t once = 0;
  if (const RingBoxTree* const of_box = tree.ranks.box_tree()) {
    if (of_box->box().has_sums()) once = static_cast<std::uint64_t>(of_box->box().size()) - 1;
  } else {
    once = static_cast<std::uint64_t>(std::ranges::count(tree.order.postfix(), SumOrder::kAdd));
  }
  return tree.flits * once * (tree.operands > 0 ? tree.receivers() : 1);
}

void Plan::note(const std::string& text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
}

}  // namespace fredsim
