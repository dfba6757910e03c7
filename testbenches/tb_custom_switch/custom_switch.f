// SPDX-License-Identifier: Apache-2.0
// Files of custom_switch, relative to this list; the top module last.
-F ../../rtl/fred/fred_switch.f
custom_switch.sv
