// SPDX-License-Identifier: Apache-2.0
// The cache folder of libraries of switch RTL, for all programs of a user.
//
// Files: FOLDER/rtl/MODEL-KEY.so is a library, complete as soon as it has that name, and
//   MODEL-KEY.sha256 its digest, which sha256sum reads: a library that differs from its digest, or
//   has none, is not loaded. During a build there are MODEL-KEY.lock, which its builder holds
//   (flock), and the folder MODEL-KEY.building; neither stays, unless the builder was killed: the
//   next one removes them. MODEL-KEY.log is the output of a failed build. Everything may be deleted
//   at any time.
// Trust: programs load the libraries, so that folders and files must be the user's or root's, and
//   writable by their owner alone.
// Errors: BadInput with the file, the system's reason and what is allowed, when the folder cannot
//   be written; or with the file or folder that others may write and how to change it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "switch/on_demand/rtl_size.h"

namespace fredsim {

// $FREDSIM_CACHE, else $XDG_CACHE_HOME/fredsim, else ~/.cache/fredsim; absolute. BadInput if none
// of the three is set.
std::filesystem::path cache_folder();

struct CachedLibrary {
  std::filesystem::path file, digest, lock, building, log;
};
CachedLibrary cached_library(const std::filesystem::path& cache, const RtlSize& size,
                             const std::string& key);

// The right to build a library. Inherited by the builder's children: it is free when the last of
// them has ended, however the builder ended.
class BuildLock {
 public:
  // Null if another process has it. Makes the parent folder.
  static std::unique_ptr<BuildLock> take(const CachedLibrary& library);
  ~BuildLock();  // removes the build folder, too
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  BuildLock(CachedLibrary library, int descriptor);

  CachedLibrary library_;
  int descriptor_;
};

// Refuses an existing cache that others may write.
void check_trusted(const std::filesystem::path& cache);

// Returns true for a library that matches its digest. Refuses one that others may write.
bool is_intact(const CachedLibrary& library);

// Moves a library, complete on the disk, to its place in the cache, after its digest.
void keep_library(const std::filesystem::path& built, const CachedLibrary& library);

// Throws for a file of a cache that cannot be made or written; `error`: errno.
[[noreturn]] void refuse_cache(const std::filesystem::path& path, int error);

}  // namespace fredsim
