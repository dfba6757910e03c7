#include "base/setting.h"

namespace fredsim {

std::string with_settings(const std::string& machine, std::span<const Setting> own) {
  std::string text = machine;
  for (const auto& [key, value] : own) {
    text += text.size() == machine.size() ? "@" : ",";
    text += key;
    text += "=";
    text += value;
  }
  return text;
}

}  // namespace fredsim
