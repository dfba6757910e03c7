// SPDX-License-Identifier: Apache-2.0
#include "ethernet/congestion_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fredsim {

void CongestionControl::set_rate(double rate) {
  rate_ = std::clamp(rate, settings_->min_rate, path_.line_rate);
}

bool CongestionControl::ends_round(const Acknowledgement& news) {
  if (news.acknowledged <= round_) return false;
  round_ = news.next;
  return true;
}

const CongestionControlKind& congestion_control(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CongestionControlKind* kind : congestion_controls()) {
    if (kind->name == name) return *kind;
    names.push_back(kind->name);
  }
  throw BadInput(
      fmt::format("ethernet.congestion: found '{}'; allowed: {}", name, fmt::join(names, ", ")));
}

}  // namespace fredsim
