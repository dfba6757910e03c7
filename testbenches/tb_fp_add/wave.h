// SPDX-License-Identifier: Apache-2.0
// Waveform of `tb_fp_add --wave FILE.fst`: one FP16 adder, a pair of operands per ns, every sum
// checked.
//
// First pairs that each show one thing, in groups: exact sums, rounding, carry and overflow,
// cancellation, subnormals, infinities and NaN, operand isolation; then random pairs with exponents
// close together.
#pragma once

#include <string>

namespace tb {

std::string record_wave(const std::string& file);  // returns a description of its content

}  // namespace tb
