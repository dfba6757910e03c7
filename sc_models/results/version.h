// SPDX-License-Identifier: Apache-2.0
// Version of this fredsim.
//
// The commit is the checkout's when the program was built (results/commit.cmake): "5da5371", with
// "-dirty" where a file that git knows was changed; "unknown" outside a checkout, without git or in
// an archive not made by git.
#pragma once

#include <string>
#include <string_view>

#include "results/origin.h"

namespace fredsim {

std::string_view version();  // "0.3.0"
std::string_view commit();

// "fredsim 0.3.0 (commit 5da5371)"
std::string version_text();

// Origin of the results that this program makes. `command` must outlive it.
Origin origin_of(std::string_view command);

}  // namespace fredsim
