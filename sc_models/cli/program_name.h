// SPDX-License-Identifier: Apache-2.0
// Name of this program in messages, help texts and results: fredsim, or the name that its main() gave
// fredsim_main().
//
// A signal handler may call it.
#pragma once

namespace fredsim {

const char* program_name();

}  // namespace fredsim
