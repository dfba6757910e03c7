// SPDX-License-Identifier: Apache-2.0
// The folder in which libraries of switch RTL are kept, for all programs of a user.
//
// Files: FOLDER/rtl/MODEL-KEY.so is a library, complete as soon as it has that name. While it is built there are MODEL-KEY.lock, which
//   its builder holds (flock), and the folder MODEL-KEY.building; neither stays, but where the builder was killed: the next one
//   removes them. MODEL-KEY.log is the output of a build that failed. Everything may be deleted at any time.
// Errors: BadInput naming the file, the system's reason and what is allowed, when the folder cannot be written.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "switch/on_demand/rtl_size.h"

namespace fredsim {

// $FREDSIM_CACHE, else $XDG_CACHE_HOME/fredsim, else ~/.cache/fredsim; absolute. BadInput: none of the three is set.
std::filesystem::path cache_folder();

struct CachedLibrary {
  std::filesystem::path file, lock, building, log;
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

// For files of a cache that cannot be made or written; `error` as errno has it.
[[noreturn]] void refuse_cache(const std::filesystem::path& path, int error);

}  // namespace fredsim
