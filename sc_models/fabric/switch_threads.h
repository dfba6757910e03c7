// Steps switches of one clock edge side by side: for those whose step is long, Verilated RTL.
//
// Threads start with the object and end with it. Each begins at its own share of the switches and then takes what is
//   left of the others', so that a switch's state stays in the cache of one core while all have something to do.
// Errors: what steps throw; of several, that of the first switch, once all have been stepped.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

#include "fabric/window_threads.h"

namespace fredsim {

class SwitchThreads {
 public:
  // `threads`: 2 or more, the caller's among them; for `most` switches.
  SwitchThreads(int threads, std::size_t most);

  // step(i) for each i below `switches`, by any thread; returns when all are done.
  void run(std::size_t switches, const std::function<void(std::size_t)>& step);

 private:
  std::size_t threads_;
  WindowThreads team_;
  std::vector<std::atomic<bool>> taken_;
  std::vector<std::exception_ptr> failures_;  // by switch
};

}  // namespace fredsim
