// SPDX-License-Identifier: Apache-2.0
// Files of aggregator, relative to this folder: read with -F.
-F ../phased/phased_switch.f
aggregator_pkg.sv
aggregator_table.sv
aggregator_scheduler.sv
aggregator_operands.sv
aggregator_adder.sv
aggregator_interconnect.sv
aggregator.sv
