# SPDX-License-Identifier: Apache-2.0
# Run at every build: cmake -DSOURCE=checkout -DOUTPUT=commit.cpp -P commit.cmake writes commit() (results/version.h),
# and leaves the file as it is where the commit is the same. `git archive` fills in the next line (.gitattributes).
set(commit "$Format:%h$")
if(commit MATCHES "Format:")
  set(commit unknown)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)  # somebody may be at work with git
  # Empty at the top of a repository, which may not be ours: a copy of the sources inside another one has no commit.
  execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE prefix RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --exclude *
                    OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
      set(commit ${found})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "results/version.h"

namespace fredsim {

std::string_view commit() { return "@commit@"; }

}  // namespace fredsim
]] @ONLY)
