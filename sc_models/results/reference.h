// The reference page of the results JSON, in Markdown, made from its tables (results/fields/all.h).
#pragma once

#include <string>

namespace fredsim {

std::string results_reference();

}  // namespace fredsim
