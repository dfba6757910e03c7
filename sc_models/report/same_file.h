// SPDX-License-Identifier: Apache-2.0
// Test if two paths, however spelt, name one file, existing or not yet made.
//
// "-" is standard output. Devices that keep no data (/dev/null) are never shared.
#pragma once

#include <filesystem>
#include <string>

namespace fredsim {

// Returns true, for example, for "./x" and "x", absolute or not, through symbolic and hard links.
bool is_same_file(const std::string& a, const std::string& b);

// The file that would be written under `path`: absolute, through links even to a missing file.
std::filesystem::path target_of(const std::string& path);

}  // namespace fredsim
