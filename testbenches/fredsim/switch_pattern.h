// Shell-style patterns on switch names, as options take them.
#pragma once

#include <span>
#include <string>

#include "topology/topology.h"

namespace fredsim {

// BadInput naming the option where the pattern matches no switch of any of the machines.
void check_switch_pattern(const char* option, const std::string& pattern,
                          std::span<const Topology* const> topologies);

}  // namespace fredsim
