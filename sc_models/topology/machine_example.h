// SPDX-License-Identifier: Apache-2.0
// Example machines of a kind of topology, for `fredsim new`: keys and values from which a machine
// file is written (config/new_machine.h).
//
// Values are as a machine file has them, with their units. Errors: none; a number of NPUs that the
// kind cannot have gives no keys.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/setting.h"

namespace fredsim {

struct MachineExample {
  int npus = 0;         // default number
  std::string numbers;  // allowed ones: "width x height, 1 to 64 each"
  // Keys of a machine with `npus` NPUs that runs, except name and fabric.type; entries of lists are
  // numbered from 1: "fabric.nodes.1.name". None: no such machine exists.
  std::function<std::vector<Setting>(int npus)> keys;
};

// Example of a network described by another file, `fabric.file`: exactly `npus` NPUs. `others`:
// further keys.
MachineExample example_of_file(const std::string& file, int npus,
                               const std::vector<Setting>& others = {});

// Largest divisor of `number` (> 0) up to `most` (> 0).
int largest_divisor(int number, int most);
// Two numbers whose product is `number`, as near each other as can be, the larger one first.
struct SidePair {
  int longer = 0, shorter = 0;
};
SidePair nearest_sides(int number);

}  // namespace fredsim
