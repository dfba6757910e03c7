// SPDX-License-Identifier: Apache-2.0
// Ranks of the processes that run one command line together (cli/rank_session.h).
#pragma once

#include <string_view>

#include "ranks/ranks.h"

namespace fredsim {

// Ranks of the session; null: one process.
Ranks* run_ranks();
// Prints a note to standard error: messages of all ranks so far, and the max time that a rank has
// waited for messages. Prints nothing with one process or with --quiet. All ranks call it.
void note_ranks(bool quiet);
// Throws BadInput if an option that needs the whole fabric is given with several processes.
void refuse_on_ranks(std::string_view option, bool is_given);

// Sets the ranks; null at the end of the session. Called by the session alone.
void set_run_ranks(Ranks* ranks);

}  // namespace fredsim
