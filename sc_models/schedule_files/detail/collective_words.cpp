// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/collective_words.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "base/error.h"
#include "schedule_files/schedule.h"

namespace fredsim {
namespace {

std::string plain(std::string_view word) {
  std::string letters;
  for (const char c : word)
    if (c != '_' && c != '-')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

}  // namespace

Collective collective_of_word(const std::string& place, const std::string& word) {
  for (const std::string_view name : collective_names())
    if (plain(name) == plain(word)) {
      const Collective collective = parse_collective(std::string(name));
      if (may_be_scheduled(collective)) return collective;
    }
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}", place, word, allowed_for_schedules()));
}

}  // namespace fredsim
