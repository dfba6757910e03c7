// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>

namespace fredsim {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The first number of a text; no value if the text does not begin with one.
std::optional<std::uint64_t> first_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// Limit of a version 2 group; "max" without a limit.
std::optional<std::uint64_t> control_group_limit() {
  const std::string groups = text_of("/proc/self/cgroup");
  const std::size_t own = groups.find("0::/");
  if (own == std::string::npos) return std::nullopt;
  const std::string path = groups.substr(own + 3, groups.find('\n', own) - own - 3);
  return first_number(text_of("/sys/fs/cgroup" + path + "/memory.max"));
}

std::optional<std::uint64_t> left_of_own_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto used = first_number(text_of("/proc/self/statm")).value_or(0) *
                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(used, limit.rlim_cur);
}

}  // namespace

std::optional<std::uint64_t> mem_available(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemAvailable:";
  const std::size_t key = meminfo.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  const auto kib = first_number(meminfo.substr(key + kKey.size()));
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

std::uint64_t available_memory() {
  return std::min({mem_available(text_of("/proc/meminfo")).value_or(kUnknownMemory),
                   control_group_limit().value_or(kUnknownMemory),
                   left_of_own_limit().value_or(kUnknownMemory)});
}

}  // namespace fredsim
