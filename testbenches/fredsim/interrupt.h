// Ctrl-C: the first SIGINT or SIGTERM asks the command to end in order, the second ends the program at
// once (exit code 130 both; OutputFile keeps files whole).
#pragma once

#include <atomic>

namespace fredsim {

// From the first call on, the signals set the flag. A signal that the program was started with ignored
// (`nohup`, background jobs of scripts) stays ignored.
const std::atomic<bool>& interrupt_flag();

}  // namespace fredsim
