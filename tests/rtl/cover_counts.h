// How often the cover points of a Verilated model were reached; the model is made with --coverage-user.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "verilated.h"

namespace fredsim {

// By "file label", all instances together.
using CoverCounts = std::map<std::string, std::uint64_t>;

// Adds what the models of a context have counted since they were made.
void add_cover_counts(VerilatedContext& context, CoverCounts& counts);

}  // namespace fredsim
