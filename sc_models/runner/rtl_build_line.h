// SPDX-License-Identifier: Apache-2.0
// Progress line of switch RTL that is built on demand: the switch and the estimated time.
//
// On a terminal, one line is rewritten in place and erased at the end. In a log, a line is written
// at the beginning, for every size that is complete, and while the program waits for other
// processes. Damaged libraries have a line of their own, which stays.
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
  // `program` is the prefix of lines in a log.
  RtlBuildLine(std::FILE* stream, ProgressStyle style, std::string program)
      : stream_(stream), style_(style), program_(std::move(program)) {}
  ~RtlBuildLine();
  RtlBuildLine(const RtlBuildLine&) = delete;
  RtlBuildLine& operator=(const RtlBuildLine&) = delete;

  void update(const RtlBuildProgress& progress);

 private:
  void print(const std::string& text);
  void report_damaged(const RtlBuildProgress& progress);

  std::FILE* stream_;
  ProgressStyle style_;
  std::string program_;
  bool has_begun_ = false;
  bool waits_ = false;
  bool has_reported_damaged_ = false;
  std::size_t done_ = 0;
  bool is_shown_ = false;  // a line must be erased
};

// "0:42", rounded up to five seconds or more: no estimate is better.
std::string about(double seconds);

// Options for require_built() with a progress line on standard error, unless `quiet`; `line`
// outlives them.
RtlBuildOptions rtl_build_options(RtlBuild build, const std::atomic<bool>* stop, bool quiet,
                                  RtlBuildLine& line);

}  // namespace fredsim
