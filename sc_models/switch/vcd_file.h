// SPDX-License-Identifier: Apache-2.0
// A waveform of an FST file as VCD, IEEE 1800 §21.7, for programs that read nothing else. It is
// about ten times as large.
#pragma once

#include <string>

namespace fredsim {

// Returns true if a path asks for VCD by its extension, .vcd.
bool is_vcd(const std::string& path);
// Path of the FST file that is recorded for a VCD file, and removed once that is written.
std::string recorded_fst(const std::string& path);

// Writes all of `fst`, a complete file, to `vcd`, over an existing file. RunFailed if one of them
// cannot be read or written.
void write_vcd(const std::string& fst, const std::string& vcd);

}  // namespace fredsim
