// SPDX-License-Identifier: Apache-2.0
// Progress of switch RTL that is built on demand: what, and about how long.
//
// On a terminal a line that is rewritten in place and wiped out at the end; in a log a line when it
// begins, for every size that is there, and while other processes are waited for. Libraries that
// were damaged have a line of their own, which stays.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>

#include "report/progress.h"
#include "switch/on_demand/rtl_builder.h"

namespace fredsim {

class RtlBuildLine {
 public:
  // `program` opens the lines of a log.
  RtlBuildLine(std::FILE* stream, ProgressStyle style, std::string program)
      : stream_(stream), style_(style), program_(std::move(program)) {}
  ~RtlBuildLine();
  RtlBuildLine(const RtlBuildLine&) = delete;
  RtlBuildLine& operator=(const RtlBuildLine&) = delete;

  void update(const RtlBuildProgress& progress);

 private:
  void print(const std::string& text);
  void tell_damaged(const RtlBuildProgress& progress);

  std::FILE* stream_;
  ProgressStyle style_;
  std::string program_;
  bool has_begun_ = false;
  bool waits_ = false;
  bool has_told_damaged_ = false;
  std::size_t done_ = 0;
  bool is_shown_ = false;  // a line to wipe out
};

// "0:42", rounded up to five seconds and more: no estimate is better.
std::string about(double seconds);

// Options for require_built() with a line for standard error, unless `quiet`; `line` outlives them.
RtlBuildOptions rtl_build_options(RtlBuild build, const std::atomic<bool>* stop, bool quiet,
                                  RtlBuildLine& line);

}  // namespace fredsim
