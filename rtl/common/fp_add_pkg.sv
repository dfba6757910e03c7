// SPDX-License-Identifier: Apache-2.0
// Widths for the halves of fp_add: exponent of a lane, and the word from fp_add_align to
// fp_add_round.
//
// Use: always qualified (fp_add_pkg::X), as noc_pkg.
package fp_add_pkg;

  // Exponent width of a lane, by format.
  function automatic int unsigned exp_w(input int unsigned format);
    exp_w = (format == noc_pkg::FORMAT_BF16) ? 8 : 5;
  endfunction

  // Fields: subtraction, sign, exponent; then the sum: carry, hidden bit, mantissa, guard, round,
  // sticky. Exponent and mantissa are the 15 bits of a lane without its sign, in either format.
  localparam int unsigned PART_W = 2 + 15 + 5;

endpackage
