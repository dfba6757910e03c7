# SPDX-License-Identifier: Apache-2.0
"""clock_gates_test.py FOLDER: registers behind clock gates (FREDSIM_CLOCK_GATES, as synthesis reads the RTL) against registers with an
enable, as simulators have them. yosys proves both to be the same at every step of a clock that may rise and fall at any, in every register of
a name of its own and in every output."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth.clock_gates import DEFINE, GATE  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402

FOLDER = Path(sys.argv.pop())
PARITY = CHECKOUT / "tests/formal/parity_add.sv"  # an adder that is no adder: both forms have the same
HIDE = "rename -hide w:* w:*_q %d w:*_q[* %d"
READ = ("chformal -remove", "proc", "flatten", HIDE, "memory_map", "opt -full", "clk2fflogic", "opt -full", "opt_clean")
PROVE = ("read_rtlil enabled.il", "read_rtlil gated.il", "equiv_make enabled gated both", "hierarchy -top both", "equiv_struct",
         "equiv_simple -seq 3", "equiv_induct -seq 4", "equiv_status")  # fmt: skip


def yosys(name, script):
    """Runs it; returns its log."""
    (FOLDER / f"{name}.ys").write_text("\n".join([*script, ""]))
    return subprocess.run(["yosys", "-Q", "-T", f"{name}.ys"], cwd=FOLDER, check=True, capture_output=True, text=True).stdout


def unproven(module, change=lambda text: text, **parameters):
    """Names without indices of what differs; and how many clock gates there are. change: of the text of the gated form."""
    sources = Sources(CHECKOUT)
    for name, option in (("enabled", ""), ("gated", f"-D{DEFINE}")):
        files = []
        for item in dict.fromkeys([*sources.below(module), GATE]):
            files.append(FOLDER / f"{name}_{item}.sv")
            text = PARITY.read_text() if item == "fp_add" else sources.text(item)
            files[-1].write_text(change(text) if option else text)
        chparams = [f"chparam -set {key} {value} {module}" for key, value in parameters.items()]
        reads = [f"read_verilog {'' if file.stem.endswith('_pkg') else '-defer'} -sv {option} {file}" for file in files]
        log = yosys(name, [*reads, *chparams, f"hierarchy -check -top {module}", f"stat -top {module}", *READ, f"rename -top {name}", f"write_rtlil {name}.il"])  # fmt: skip
        gates = len(re.findall(rf"^ +{GATE} +\d+$", log, re.MULTILINE))
    log = yosys("prove", PROVE)
    names = re.findall(r"Unproven \$equiv \S+: \\(\S+)_gold ", log)
    assert re.search(r"Found [1-9]\d* \$equiv cells in both", log)
    return {re.sub(r"\[\d+\]", "", name).rpartition(".")[2] for name in names}, gates


class Same(unittest.TestCase):
    def same(self, module, **parameters):
        found, gates = unproven(module, **parameters)
        self.assertGreater(gates, 0)
        self.assertEqual(found, set())

    def test_registers(self):
        self.same("gated_registers", WIDTH=5, GROUP=2)

    def test_choice(self):
        self.same("gated_choice", WIDTH=3)

    def test_uswitch(self):
        self.same("fred_r_uswitch", LANES=1, OUTPUTS=3)

    def test_interconnect(self):
        self.same("fred_interconnect", P=2, M=2, LANES=1)

    def test_reducing_crossbar(self):
        self.same("reducing_crossbar_node", LANES=1)
        self.same("reducing_crossbar_interconnect", P=2, LANES=1)

    def test_crossbars(self):
        self.same("voq_crossbar_mux", P=2, FLIT_W=96)
        self.same("mesh_output", P=2, VC_DEPTH=4, CTRL_DEPTH=2, PACKET_FLITS=2)


class Different(unittest.TestCase):
    def test_a_latch_that_is_open_while_the_clock_is_high(self):
        found, _ = unproven("gated_registers", lambda text: text.replace("if (!clk_i) open_q", "if (clk_i) open_q"), WIDTH=5, GROUP=2)
        self.assertTrue(found)

    def test_a_crossbar_node_that_takes_the_other_flit(self):
        found, _ = unproven("reducing_crossbar_node", lambda text: text.replace("add, left_valid_i, right_valid_i", "add, right_valid_i, left_valid_i"), LANES=1)
        self.assertEqual(found, {"out_flit_o"})

    def test_a_gate_without_a_latch(self):
        found, _ = unproven("gated_registers", lambda text: text.replace("clk_i && open_q", "clk_i && en_i"), WIDTH=5, GROUP=2)
        self.assertTrue(found)


unittest.main()
