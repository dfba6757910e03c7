// SPDX-License-Identifier: Apache-2.0
// Test if two paths, however spelt, name one file: one that is there, or one that would be made.
//
// "-" is standard output. Devices that keep nothing of what is written (/dev/null) are never shared.
#pragma once

#include <filesystem>
#include <string>

namespace fredsim {

// "./x" and "x", absolute or not, through symbolic and hard links.
bool is_same_file(const std::string& a, const std::string& b);

// The file that would be written under `path`: absolute, through links that may lead to nothing yet.
std::filesystem::path target_of(const std::string& path);

}  // namespace fredsim
