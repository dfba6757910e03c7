// SPDX-License-Identifier: Apache-2.0
// Members of a group by machine-independent numbers: an NPU by its own number, 0 and up, I/O
// controller k by io_member(k), below 0. Text for people and files: "3" and "io3".
#pragma once

#include <span>
#include <string>

namespace fredsim {

inline constexpr int kMaxIoControllers = 1 << 16;  // maximum of a machine: addresses have 16 bits

constexpr int io_member(int controller) { return -1 - controller; }
constexpr bool is_io_member(int member) { return member < 0; }
constexpr int io_of_member(int member) { return -1 - member; }

std::string member_name(int member);
std::string member_names(std::span<const int> members);  // "0,1,io3"

}  // namespace fredsim
