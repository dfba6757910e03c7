// SPDX-License-Identifier: Apache-2.0
// Files of fred_switch_top, relative to this folder: read with -F.
-F fred_switch.f
../common/synchroniser.sv
../common/reset_sync.sv
../common/async_fifo.sv
../common/credit_crossing.sv
../common/link_rx.sv
../common/link_tx.sv
../common/apb_slave.sv
../common/bist_controller.sv
fred_register_map.sv
fred_switch_top.sv
