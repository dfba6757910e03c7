// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/rtl_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = 24;
constexpr int kRemovals = 100;

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return text == nullptr ? "" : text;
}

// True if the open file is the one of that name: whoever held it may have removed it in between.
bool is_at(int descriptor, const fs::path& path) {
  struct stat open = {};
  struct stat named = {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

fs::path cache_folder() {
  if (const auto own = variable("FREDSIM_CACHE"); !own.empty()) return fs::absolute(own);
  // A relative path is to be ignored, as the XDG base directory specification has it.
  if (const auto all = variable("XDG_CACHE_HOME"); all.starts_with('/'))
    return fs::path(all) / "fredsim";
  if (const auto home = variable("HOME"); !home.empty())
    return fs::absolute(home) / ".cache/fredsim";
  throw BadInput(
      "cache of switch RTL: found neither FREDSIM_CACHE nor XDG_CACHE_HOME nor HOME in the "
      "environment; allowed: FREDSIM_CACHE=FOLDER, or --rtl-build never");
}

void refuse_cache(const fs::path& path, int error) {
  throw BadInput(
      fmt::format("cache of switch RTL: '{}' cannot be written: {}; allowed: FREDSIM_CACHE=FOLDER "
                  "with a folder that can, or --rtl-build never",
                  path.string(), std::generic_category().message(error)));
}

CachedLibrary cached_library(const fs::path& cache, const RtlSize& size, const std::string& key) {
  const std::string path =
      (cache / "rtl" / fmt::format("{}-{}", size.model.substr(1), key.substr(0, kKeyDigits)))
          .string();
  return {.file = path + ".so",
          .lock = path + ".lock",
          .building = path + ".building",
          .log = path + ".log"};
}

std::unique_ptr<BuildLock> BuildLock::take(const CachedLibrary& library) {
  std::error_code failed;
  fs::create_directories(library.lock.parent_path(), failed);
  if (failed) refuse_cache(library.lock.parent_path(), failed.value());
  for (;;) {
    // Not closed in children (no O_CLOEXEC).
    const int descriptor = ::open(library.lock.c_str(), O_RDWR | O_CREAT, 0666);
    if (descriptor < 0) refuse_cache(library.lock, errno);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(descriptor);
      if (error == EWOULDBLOCK) return nullptr;
      refuse_cache(library.lock, error);  // a file system without locks
    }
    if (is_at(descriptor, library.lock))
      return std::unique_ptr<BuildLock>(
          new BuildLock(library, descriptor));  // its constructor is private
    ::close(descriptor);
  }
}

BuildLock::BuildLock(CachedLibrary library, int descriptor)
    : library_(std::move(library)), descriptor_(descriptor) {}

BuildLock::~BuildLock() {
  std::error_code failed;
  // A program that was just ended may still be leaving a file there.
  for (int tries = 0; tries < kRemovals; ++tries) {
    fs::remove_all(library_.building, failed);
    if (!failed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fs::remove(library_.lock, failed);  // before it is free
  ::close(descriptor_);
}

}  // namespace fredsim
