// SPDX-License-Identifier: Apache-2.0
// Test bus of the memories: from bist_controller to every bist_ram, carried down the hierarchy as
// one vector.
//
// Use: always qualified (bist_pkg::X).
package bist_pkg;

  localparam int unsigned ENABLE_BIT = 0;  // the test owns the memories; all other bits are valid
                                           // only with it
  localparam int unsigned WRITE_BIT = 1;   // write, or read and compare, the addressed word
  localparam int unsigned READ_BIT = 2;
  localparam int unsigned VALUE_BIT = 3;      // value of all bits of the word,
  localparam int unsigned ALTERNATE_BIT = 4;  // inverted in the odd bits
  localparam int unsigned ADDR_LSB = 5;
  localparam int unsigned ADDR_W = 16;
  localparam int unsigned BUS_W = ADDR_LSB + ADDR_W;

endpackage
