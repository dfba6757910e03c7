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
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/sha256.h"
#include "base/shell.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = 24;
constexpr int kRemovals = 100;

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return text == nullptr ? "" : text;
}

constexpr auto kOthersWrite = fs::perms::group_write | fs::perms::others_write;

// Checks a folder or file that programs load libraries from.
void check_owner(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return;  // opening it fails with the reason
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    throw BadInput(fmt::format(
        "cache of switch RTL: found '{}' of user {}, and programs load libraries from it; allowed: "
        "FREDSIM_CACHE=FOLDER with a folder of your own, or --rtl-build never",
        path.string(), status.st_uid));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  throw BadInput(fmt::format(
      "cache of switch RTL: found '{}', which others than its owner may write (mode {:04o}), and "
      "programs load libraries from it; allowed: chmod go-w {}, or FREDSIM_CACHE=FOLDER elsewhere, "
      "or --rtl-build never",
      path.string(), status.st_mode & 07777U, shell_quoted(path.string())));
}

// Makes a folder that only its owner can write, whatever the umask.
void make_own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return;
  refuse_cache(folder, errno);
}

void make_folders(const fs::path& rtl) {
  const fs::path cache = rtl.parent_path();
  std::error_code failed;
  fs::create_directories(cache.parent_path(), failed);
  if (failed) refuse_cache(cache.parent_path(), failed.value());
  make_own_folder(cache);
  make_own_folder(rtl);
  if (!fs::is_directory(rtl, failed)) refuse_cache(rtl, ENOTDIR);
}

// Syncs the file, so that no name has half a file after a power cut.
void put_on_disk(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0) refuse_cache(file, error);
}

void move_to(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::permissions(from, kOthersWrite, fs::perm_options::remove, failed);
  if (failed) refuse_cache(from, failed.value());
  put_on_disk(from);
  fs::rename(from, to, failed);
  if (failed) refuse_cache(to, failed.value());
}

// A line of sha256sum.
std::string digest_line(const std::string& library, const fs::path& file) {
  return fmt::format("{}  {}\n", sha256(library), file.filename().string());
}

// Returns true if the open file still has that name: its holder may have removed it in between.
bool is_at(int descriptor, const fs::path& path) {
  struct stat open = {};
  struct stat named = {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

fs::path cache_folder() {
  if (const auto own = variable("FREDSIM_CACHE"); !own.empty()) return fs::absolute(own);
  // The XDG base directory specification says to ignore a relative path.
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
          .digest = path + ".sha256",
          .lock = path + ".lock",
          .building = path + ".building",
          .log = path + ".log"};
}

void check_trusted(const fs::path& cache) {
  check_owner(cache);
  check_owner(cache / "rtl");
}

bool is_intact(const CachedLibrary& library) {
  check_owner(library.file);
  check_owner(library.digest);
  const std::optional<std::string> digest = file_text(library.digest.string());
  if (!digest) return false;
  const std::optional<std::string> text = file_text(library.file.string());
  return text && *digest == digest_line(*text, library.file);
}

void keep_library(const fs::path& built, const CachedLibrary& library) {
  const std::optional<std::string> text = file_text(built.string());
  if (!text) refuse_cache(built, errno);
  const fs::path digest = built.string() + ".sha256";
  std::ofstream file(digest, std::ios::binary);
  file << digest_line(*text, library.file);
  file.close();
  if (!file) refuse_cache(digest, errno == 0 ? EIO : errno);
  move_to(digest, library.digest);
  move_to(built, library.file);
}

std::unique_ptr<BuildLock> BuildLock::take(const CachedLibrary& library) {
  const fs::path rtl = library.lock.parent_path();
  make_folders(rtl);
  check_trusted(rtl.parent_path());
  for (;;) {
    // Inherited by children (no O_CLOEXEC).
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
  // A program that was just ended may still leave a file there.
  for (int tries = 0; tries < kRemovals; ++tries) {
    fs::remove_all(library_.building, failed);
    if (!failed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fs::remove(library_.lock, failed);  // before the lock is free
  ::close(descriptor_);
}

}  // namespace fredsim
