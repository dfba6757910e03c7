// SPDX-License-Identifier: Apache-2.0
// Files of link_retry_tx and link_retry_rx, relative to this folder: read with -F.
noc_pkg.sv
link_pkg.sv
flit_ram.sv
link_check.sv
link_retry_rx.sv
link_retry_tx.sv
