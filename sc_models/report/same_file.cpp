// SPDX-License-Identifier: Apache-2.0
#include "report/same_file.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <optional>
#include <system_error>

namespace fredsim {
namespace {

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status = {};
  const int failed = path == "-" ? ::fstat(STDOUT_FILENO, &status) : ::stat(path.c_str(), &status);
  return failed == 0 ? std::optional(status) : std::nullopt;
}

bool keeps_nothing(const struct stat& status) {
  constexpr unsigned kMemoryDevices = 1;  // Linux: null, zero, full
  return S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == "-" && b == "-") return true;
  const std::optional<struct stat> status = status_of(a);
  const std::optional<struct stat> other = status_of(b);
  if (status && keeps_nothing(*status)) return false;
  // std::filesystem::equivalent refuses to answer for two pipes.
  if (status && other && status->st_dev == other->st_dev && status->st_ino == other->st_ino)
    return true;
  return a != "-" && b != "-" && target_of(a) == target_of(b);
}

std::filesystem::path target_of(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the system's limit
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  std::filesystem::path target = std::filesystem::weakly_canonical(whole, error);
  if (error) return whole.lexically_normal();
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(target, error); ++i) {
    const std::filesystem::path next =
        target.parent_path() / std::filesystem::read_symlink(target, error);
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(next, error);
    target = error ? next.lexically_normal() : resolved;
  }
  return target;
}

}  // namespace fredsim
