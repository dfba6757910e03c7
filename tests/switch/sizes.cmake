# SPDX-License-Identifier: Apache-2.0
# Switch sizes that only tests and testbenches run, one Verilated class each: entries as in
# sc_models/switch/sizes.cmake, whose list is built besides.
set(test_switches
  "fred P=4"
  "fred P=4 custom_switch testbenches/tb_custom_switch/custom_switch.f"
  "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9"
  "fred P=3 M=2 LANES=256"
  "fred P=8 PHASES_IN_USE=2" "fred P=4 ADDER_STAGES=2"
  "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9 PHASES_IN_USE=2"
  "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9 ADDER_STAGES=2"
  "reducing_crossbar P=4"
  "reducing_crossbar P=5 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9"
  "aggregator P=4"
  "aggregator P=5 ADDERS=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9"
  "voq_crossbar P=4"
  "voq_crossbar P=5 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 PACKET_FLITS=6 ITERATIONS=1"
  "fred P=4 ROUTE_ADDR_W=11" "voq_crossbar P=4 ROUTE_ADDR_W=15"
  "fred P=4 VC_ORDER=45" "fred P=3 M=2 VC_ORDER=198"
  "mesh_reducing"
  "mesh_reducing NUM_LOCAL=1 NUM_IO=0 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9")
