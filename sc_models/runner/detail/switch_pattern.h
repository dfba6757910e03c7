// SPDX-License-Identifier: Apache-2.0
// Shell-style patterns for switch names in options.
#pragma once

#include <span>
#include <string>

#include "topology/topology.h"

namespace fredsim {

// Throws BadInput naming the option if the pattern matches no switch of any of the machines.
void check_switch_pattern(const char* option, const std::string& pattern,
                          std::span<const Topology* const> topologies);

// True if an instance of the machine, switch or endpoint, matches.
bool matches_instance(const std::string& pattern, const Topology& topology);
// Throws BadInput if the pattern matches no instance of any of the machines.
void check_instance_pattern(const char* option, const std::string& pattern,
                            std::span<const Topology* const> topologies);

}  // namespace fredsim
