// Scalar FP16 and BF16 addition, bit for bit that of rtl/fp_add.sv.
//
// Round to nearest even, subnormals kept, infinities; every NaN result is the format's canonical
// quiet NaN (FP16 0x7E00, BF16 0x7FC0). +0 + -0 = +0; -0 + -0 = -0. Never throws.
#pragma once

#include <cstdint>
#include <string_view>

namespace fredsim {

enum class FpFormat : std::uint8_t { kFp16 = 0, kBf16 = 1 };

std::uint16_t fp_add(FpFormat format, std::uint16_t a, std::uint16_t b);
std::string_view to_string(FpFormat format);

}  // namespace fredsim
