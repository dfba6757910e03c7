# SPDX-License-Identifier: Apache-2.0
"""Files with mutants, and the tests that concern each: the cheapest ones that could find one first."""

import fnmatch
from collections.abc import Sequence
from pathlib import Path

Test = tuple[str, ...]  # a program of the build, and its words

PHASED: Test = ("lockstep_phased", "500000")
MESH: Test = ("lockstep_mesh", "100000")
VOQ: Test = ("lockstep_voq", "500000")
TOP: Test = ("test_switch_top",)
CELLS: Test = ("test_common_cells",)
ONLINE: Test = ("test_fred_online", "--gtest_filter=-*Throughput*")

# Pattern of files -> tests; the first pattern that fits a file counts.
ROWS: dict[str, tuple[Test, ...]] = {
    "rtl/aggregator/*": (("test_aggregator",), PHASED),
    "rtl/common/apb_slave.sv": (("test_apb_slave",), TOP),
    "rtl/common/async_fifo.sv": (("test_crossing",), CELLS, TOP),
    "rtl/common/bist_*.sv": (("test_bist",), ("test_aggregator",), TOP),
    "rtl/common/credit_counter.sv": (("test_cells",), CELLS, PHASED),
    "rtl/common/credit_crossing.sv": (("test_crossing",), CELLS, TOP),
    "rtl/common/flit_ram.sv": (CELLS, MESH),
    "rtl/common/clock_gate.sv": (("test_fred_modules",),),
    "rtl/common/fp_add*.sv": (("test_reducing_crossbar",), ("test_fred_modules",), PHASED),
    "rtl/common/gated_*.sv": (("test_fred_modules",), ("test_reducing_crossbar",), PHASED),
    "rtl/common/link_*.sv": (CELLS, TOP),
    "rtl/common/packet_order.sv": (CELLS,),
    "rtl/common/reset_sync.sv": (("test_crossing",), CELLS, TOP),
    "rtl/common/route_select.sv": (("test_mesh_modules",), ("test_mesh_reducing",), MESH, PHASED),
    "rtl/common/rr_arbiter.sv": (("test_rr_arbiter",), ("test_cells",), CELLS, PHASED),
    "rtl/common/switch_counters.sv": (CELLS, PHASED),
    "rtl/common/synchroniser.sv": (("test_crossing",), CELLS, TOP),
    "rtl/common/vc_allocator.sv": (CELLS, ONLINE, MESH),
    "rtl/common/vc_*.sv": (("test_cells",), CELLS, ("test_mesh_modules",), MESH),
    "rtl/fred/fred_online_*.sv": (ONLINE, PHASED),
    "rtl/fred/fred_register_map.sv": (("test_fred_modules",), TOP),
    "rtl/fred/fred_switch_top.sv": (TOP,),
    "rtl/fred/*": (("test_fred_modules",), PHASED, TOP),
    "rtl/mesh/*": (("test_mesh_modules",), MESH),
    "rtl/mesh_reducing/*": (("test_mesh_reducing",), PHASED),
    "rtl/phased/phased_matcher.sv": (ONLINE, PHASED),
    "rtl/phased/phased_route_ram.sv": (ONLINE, PHASED, VOQ),
    "rtl/phased/*": (("test_phased_modules",), PHASED, TOP),
    "rtl/reducing_crossbar/*": (("test_reducing_crossbar",), PHASED),
    "rtl/voq_crossbar/voq_scheduler.sv": (VOQ, ("test_voq_scheduler",)),
    "rtl/voq_crossbar/*": (("test_voq_modules",), ("test_voq_buffer",), VOQ, ("test_voq_scheduler",)),
    "sc_models/switch/aggregator/adder_pool.cpp": (("test_twin_parts",), PHASED),
    "sc_models/switch/fred/fred_online_paths.cpp": (ONLINE, PHASED),
    "sc_models/switch/fred/fred_row.cpp": (("test_twin_parts",), PHASED),
    "sc_models/switch/mesh/mesh_registers.cpp": (MESH,),
    "sc_models/switch/mesh/mesh_twin*": (MESH,),
    "sc_models/switch/phased/phased_matcher.cpp": (ONLINE, PHASED),
    "sc_models/switch/phased/phased_*": (("test_twin_parts",), PHASED),
    "sc_models/switch/voq_crossbar/voq_scheduler.cpp": (("test_voq_scheduler_twin",), VOQ),
    "sc_models/switch/voq_crossbar/voq_crossbar_twin.cpp": (VOQ,),
    "sc_models/switch/route_table.cpp": (("test_twin_parts",), VOQ, PHASED),
    "sc_models/links/link.*": (("test_fabric",),),
    "sc_models/links/retransmission/*": (("test_fabric", "--gtest_filter=*Link*"), ("test_fabric",)),
}
# Sizes of switches that are built for them.
SIZES = ("fred P=4", "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9",
         "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9 PHASES_IN_USE=2",
         "fred P=5 M=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9 ADDER_STAGES=2",
         "reducing_crossbar P=5 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9",
         "aggregator P=5 ADDERS=2 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9",
         "voq_crossbar P=4", "voq_crossbar P=5 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 PACKET_FLITS=6 ITERATIONS=1",
         "mesh_reducing NUM_LOCAL=1 NUM_IO=0 LANES=3 VC_DEPTH=12 CTRL_DEPTH=1 OUT_DEPTH=9 FORMAT=1 PACKET_FLITS=6 YIELD=2 QUANTUM=9",
         "mesh")  # fmt: skip
# No twins: descriptions of a kind, views of it, code that reads the state of Verilated classes, and
# declarations.
NO_TWIN = ("*_kind.*", "*_waves.*", "*_peek.h", "*_shape.*", "*_state.cpp", "*_scheme.cpp", "*/retransmission.h", "*.cmake", "*.vlt", "*_pkg.sv", "*.svh", "*.f")


def tests_of(file: str) -> tuple[Test, ...]:
    """Empty: the file has no mutants."""
    if any(fnmatch.fnmatch(file, pattern) for pattern in NO_TWIN):
        return ()
    return next((tests for pattern, tests in ROWS.items() if fnmatch.fnmatch(file, pattern)), ())


def files(checkout: Path) -> list[str]:
    """Files with mutants: every RTL module, every twin."""
    names = sorted(str(path.relative_to(checkout)) for folder in ("rtl", "sc_models/switch", "sc_models/links")
                   for path in (checkout / folder).rglob("*") if path.suffix in (".sv", ".cpp", ".h"))  # fmt: skip
    return [name for name in names if tests_of(name)]


def programs(tests: Sequence[Test]) -> list[str]:
    return sorted({test[0] for test in tests})
