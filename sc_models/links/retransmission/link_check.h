// SPDX-License-Identifier: Apache-2.0
// Detection of bit errors by a link's receiver, with the check of rtl/common/link_check.sv: since
// the check is linear, it fails exactly if the errors alone, as a polynomial, leave a remainder. No
// check is computed from data.
//
// Positions: the order on the wire, the data's bits first, from bit 0, then the bits of the check.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace fredsim {

class LinkCheck {
 public:
  // A check of `check_bits` bits, at most 32, over `data_bits` bits of data.
  LinkCheck(std::uint32_t data_bits, std::uint32_t check_bits, std::uint32_t polynomial)
      : data_bits_(data_bits), check_bits_(check_bits) {
    const std::uint32_t high = 1U << (check_bits - 1);
    std::uint32_t power = 1;
    for (std::uint32_t i = 0; i < data_bits + check_bits; ++i) {
      powers_.push_back(power);
      power = (power & high) != 0 ? (power & ~high) << 1 ^ polynomial : power << 1;
    }
  }
  std::uint32_t data_bits() const { return data_bits_; }
  std::uint32_t bits() const { return data_bits_ + check_bits_; }
  // Remainder of an error at a position. The remainder of several errors is their sum without
  // carry; the check fails if it is not zero.
  std::uint32_t remainder(std::uint32_t position) const {
    assert(position < bits());
    return powers_[position < data_bits_ ? check_bits_ + position : position - data_bits_];
  }

 private:
  std::uint32_t data_bits_, check_bits_;
  std::vector<std::uint32_t> powers_;  // powers of x
};

}  // namespace fredsim
