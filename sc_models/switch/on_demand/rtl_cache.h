// SPDX-License-Identifier: Apache-2.0
// The folder in which libraries of switch RTL are kept, for all programs of a user.
//
// Files: FOLDER/rtl/MODEL-KEY.so is a library, complete as soon as it has that name, and MODEL-KEY.sha256 its digest, which sha256sum
//   reads: a library that differs from its digest, or has none, is not loaded. While it is built there are MODEL-KEY.lock, which
//   its builder holds (flock), and the folder MODEL-KEY.building; neither stays, but where the builder was killed: the next one
//   removes them. MODEL-KEY.log is the output of a build that failed. Everything may be deleted at any time.
// Trust: programs load the libraries, so that folders and files must be the user's or root's, and writable by their owner alone.
// Errors: BadInput naming the file, the system's reason and what is allowed, when the folder cannot be written; naming what others
//   may write and how to change it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "switch/on_demand/rtl_size.h"

namespace fredsim {

// $FREDSIM_CACHE, else $XDG_CACHE_HOME/fredsim, else ~/.cache/fredsim; absolute. BadInput: none of the three is set.
std::filesystem::path cache_folder();

struct CachedLibrary {
  std::filesystem::path file, digest, lock, building, log;
};
CachedLibrary cached_library(const std::filesystem::path& cache, const RtlSize& size,
                             const std::string& key);

// The right to build a library. Inherited by the builder's children: it is free when the last of them has ended, however the
// builder did.
class BuildLock {
 public:
  // Null: another process has it. Makes the folder that it is in.
  static std::unique_ptr<BuildLock> take(const CachedLibrary& library);
  ~BuildLock();  // removes what was built in, too
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  BuildLock(CachedLibrary library, int descriptor);

  CachedLibrary library_;
  int descriptor_;
};

// Refuses a cache, as far as it is there, that others may write.
void check_trusted(const std::filesystem::path& cache);

// True for a library that is as its digest says. Refuses one that others may write.
bool is_intact(const CachedLibrary& library);

// Moves a library, complete on the disk, to its place in the cache; with its digest, which is there first.
void keep_library(const std::filesystem::path& built, const CachedLibrary& library);

// For files of a cache that cannot be made or written; `error` as errno has it.
[[noreturn]] void refuse_cache(const std::filesystem::path& path, int error);

}  // namespace fredsim
