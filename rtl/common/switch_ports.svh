// SPDX-License-Identifier: Apache-2.0
// Pins that every switch has, in front of those of a memory test: clock, reset, links, registers, state. P, FLIT_W, VCS and
// REG_ADDR_W are the module's. The error code, error_o, is left to the module, whose list may end with it.
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [P-1:0]          in_valid_i,
  input  logic [P*FLIT_W-1:0]   in_flit_i,
  output logic [VCS*P-1:0]      in_credit_o,
  output logic [P-1:0]          out_valid_o,
  output logic [P*FLIT_W-1:0]   out_flit_o,
  input  logic [P-1:0]          out_ready_i,
  input  logic [VCS*P-1:0]      out_credit_i,
  input  logic                  reg_valid_i,
  input  logic                  reg_write_i,
  input  logic [REG_ADDR_W-1:0] reg_addr_i,
  input  logic [31:0]           reg_wdata_i,
  output logic [31:0]           reg_rdata_o,
  output logic                  idle_o,
