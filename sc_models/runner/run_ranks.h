// SPDX-License-Identifier: Apache-2.0
// Processes that run one command line together (cli/rank_session.h).
#pragma once

#include <string_view>

#include "ranks/ranks.h"

namespace fredsim {

// Ranks of the session; null: one process.
Ranks* run_ranks();
// A note on standard error, of the messages of all ranks so far and how long they have waited for
// them; none from one process, or with --quiet. All ranks call it.
void note_ranks(bool quiet);
// An option that looks at the whole fabric: BadInput where it is given with several processes.
void refuse_on_ranks(std::string_view option, bool is_given);

// The session alone: its ranks, null at its end.
void set_run_ranks(Ranks* ranks);

}  // namespace fredsim
