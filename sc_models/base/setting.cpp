// SPDX-License-Identifier: Apache-2.0
#include "base/setting.h"

namespace fredsim {

std::string settings_text(std::span<const Setting> settings) {
  std::string text;
  for (const auto& [key, value] : settings) {
    if (!text.empty()) text += ",";
    text += key;
    text += "=";
    text += value;
  }
  return text;
}

std::string with_settings(const std::string& machine, std::span<const Setting> own) {
  return own.empty() ? machine : machine + "@" + settings_text(own);
}

}  // namespace fredsim
