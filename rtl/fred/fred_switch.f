// SPDX-License-Identifier: Apache-2.0
// Files of fred_switch, relative to this folder: read with -F.
-F fred_interconnect.f
fred_paths.sv
fred_online_level.sv
fred_online_paths.sv
fred_exit.sv
fred_switch.sv
