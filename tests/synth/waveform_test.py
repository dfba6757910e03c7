# SPDX-License-Identifier: Apache-2.0
"""waveform_test.py FOLDER: pins of an interconnect's parts out of a waveform, and waveforms that cannot be meant."""

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import waveform  # noqa: E402
from fredsim_tools.synth.yosys import ToolError  # noqa: E402

FOLDER = Path(sys.argv.pop())
PORTS = {"clk_i": ("input", 1), "in_valid_i": ("input", 2), "in_flit_i": ("input", 4), "out_flit_o": ("output", 2), "out_valid_o": ("output", 1)}
HEAD = """$scope module wave $end
$var wire 32 c cycle [31:0] $end
$upscope $end
$scope module {top} $end
$scope module i_interconnect $end
$var wire 1 k clk_i $end
$var wire 2 v in_valid_i [1:0] $end
$var wire 1 o out_valid_o $end
$scope module i_rd_uswitch $end
$var wire 1 k clk_i $end
$var wire 2 v in_valid_i [1:0] $end
$var wire {bits} f in_flit_i [3:0] $end
$var wire 2 g out_flit_o [1:0] $end
$var wire 1 o out_valid_o $end
$scope module i_r_uswitch $end
$var wire 1 o out_valid_o $end
$upscope $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
"""
VALUES = """#0
b0 c
b00 v
bx f
0o
#667
b1 c
b11 v
b1010 f
#1333
b10 c
b00 v
1o
#1334
b10 c
"""


class Waveform(unittest.TestCase):
    def read(self, head, values, instance=None):
        lines = iter((head + values).splitlines())
        real, waveform.vcd_lines = waveform.vcd_lines, lambda _file: lines
        try:
            return waveform.read(Path("run.fst"), instance, lambda _module: PORTS)
        finally:
            waveform.vcd_lines = real

    def refusal(self, *arguments):
        with self.assertRaises(ToolError) as found:
            self.read(*arguments)
        return str(found.exception)

    def test_every_cycle(self):
        found = self.read(HEAD.format(top="l1_0.s0", bits=4), VALUES)
        part = ("i_rd_uswitch", "fred_rd_uswitch")
        self.assertEqual((found.instance, found.flits_in, found.flits_out), ("l1_0.s0", 2, 1))
        self.assertEqual(found.rows, {part: [{"in_valid_i": 0, "in_flit_i": 0}, {"in_valid_i": 3, "in_flit_i": 10},
                                             {"in_valid_i": 0, "in_flit_i": 10}]})  # fmt: skip
        self.assertEqual(found.valid, {part: [0, 0, 1]})
        stimulus = waveform.stimulus(found.rows[part])
        self.assertEqual((len(stimulus.rows), stimulus.windows), (5, [(3, 3)]))

    def test_wrong_waveforms(self):
        head = HEAD.format(top="a", bits=4)
        self.assertIn("found the instance b; allowed: a", self.refusal(head, VALUES, "b"))
        self.assertIn("allowed: none, there is no switch", self.refusal("$enddefinitions $end\n", VALUES))
        self.assertIn("found 8 bit of in_flit_i; allowed: 4 bit", self.refusal(HEAD.format(top="a", bits=8), VALUES))
        self.assertIn("no pin of in_valid_i", self.refusal(head.replace(" v in_valid_i", " v other"), VALUES))
        self.assertIn("no number of the cycle", self.refusal(head.replace(" c cycle", " c other"), VALUES))
        self.assertIn("found cycle 3 after 1 cycles; allowed: all of them", self.refusal(head, VALUES.replace("b1 c", "b11 c")))

    def test_of_another_rtl(self):
        part = SimpleNamespace(ports=PORTS)
        rtl = ["000", "000", "000", "001"]  # out_flit_o and out_valid_o, after every edge
        waveform.check(part, "i", rtl, [0, 0, 1])
        with self.assertRaisesRegex(ToolError, "i: at edge 2 the waveform has out_valid_o = 0, the RTL 1"):
            waveform.check(part, "i", rtl, [0, 0, 0])


unittest.main()
