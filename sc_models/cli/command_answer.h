// SPDX-License-Identifier: Apache-2.0
// Run of a command that asks a question: opens its files, answers, prints, writes --json.
//
// --json is not written if an interruption left nothing to write.
// Errors: as run(); Interrupted, at the end, if the results are not complete.
#pragma once

#include <functional>
#include <optional>

#include "cli/command.h"
#include "results/version.h"
#include "runner/run.h"
#include "runner/run_options.h"
#include "runner/run_ranks.h"

namespace fredsim {

// `print`: prints what the observer has not; none: nothing.
template <typename Request>
void answer_command(Request& request, const Invocation& invocation, RunObserver& observer,
                    const std::function<void(const Results&)>& print = {}) {
  const std::optional<OutputFile> json = open_output("--json", request.json_file);
  request.progress_log = open_progress(request.progress_file);
  const Results results = run(request, observer, invocation.files);
  note_ranks(request.quiet);
  if (print) print(results);
  if (json && has_results(results))
    json->write(results_text(results, origin_of(invocation.command_line)));
  check_complete(results);
}

}  // namespace fredsim
