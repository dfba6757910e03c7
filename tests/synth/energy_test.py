# SPDX-License-Identifier: Apache-2.0
"""energy_test.py FOLDER: energy of a flit, on the smallest µSwitch: its figures, and that a wrong netlist is found."""

import json
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import energy, gates, paper, report, traffic  # noqa: E402
from fredsim_tools.synth.flow import Flow  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402
from fredsim_tools.synth.traffic import FLITS, HEARD, IN0, IN1, NONE, STILL, SUM, Situation  # noqa: E402
from fredsim_tools.synth.yosys import ToolError  # noqa: E402

FOLDER = Path(sys.argv.pop())
LIMIT = 240
FIGURES = Path(__file__).with_name("energy.json")
TOLERANCE = 0.1  # abc's result moves a little with every change of its input


class Measured(unittest.TestCase):
    """An RD-µSwitch of one lane."""

    @classmethod
    def setUpClass(cls):
        sources = Sources(CHECKOUT)
        flow = Flow(sources, FOLDER, 2, LIMIT, (20, 4))
        cls.part, _ = flow.part("fred_rd_uswitch", dict(FORMAT=0, LANES=1))
        flow.synthesise([cls.part])
        network = traffic.Fred(3, 3, 0)
        cls.wanted = energy.parts_needed(network)["fred_rd_uswitch"]
        cls.stimulus = network.stimulus(cls.part, cls.wanted, 1)
        cls.netlists = flow.netlists(cls.part)
        cls.found = energy.measure(cls.part, cls.netlists, [], sources, cls.stimulus, FOLDER / "energy", LIMIT)

    def test_figures(self):
        """Content of energy.json; energy_test.py --write FOLDER writes the measured values there."""
        found = {"clock_pj": self.found.clock_pj}
        for situation, settled, glitches in zip(self.wanted, self.found.settled_pj, self.found.glitch_pj, strict=True):
            found[f"{situation.codes} {' '.join(situation.inputs)}"] = [round(settled, 2), round(glitches, 2)]
        if WRITE:
            FIGURES.write_text(json.dumps(found, indent=1) + "\n")
        known = json.loads(FIGURES.read_text())
        self.assertEqual(known.keys(), found.keys())
        self.assertAlmostEqual(found.pop("clock_pj"), known["clock_pj"], delta=TOLERANCE * known["clock_pj"])
        for name, values in found.items():
            for value, was in zip(values, known[name], strict=True):
                self.assertAlmostEqual(value, was, delta=TOLERANCE * was, msg=name)

    def test_clock(self):
        """Gates are open where flits are taken, and nowhere else: of an output that takes one at every edge, all registers, of one that takes
        none, no register. The clock that is never gated is less than that of half the registers."""
        bits = traffic.flit_bits(1)
        self.assertEqual(self.found.gated, 2 * bits)
        for situation, loading in zip(self.wanted, self.found.loading_pj, strict=True):
            outputs = sum(seen for seen in (all(situation.inputs[place] == FLITS for place in {NONE: (), IN0: (0,), IN1: (1,), SUM: (0, 1)}[code])
                                            and code != NONE for code in situation.codes))  # fmt: skip
            self.assertAlmostEqual(loading, outputs * bits * self.found.bit_pj, delta=0.02 * bits * self.found.bit_pj, msg=situation)
        self.assertLess(self.found.clock_pj, bits * self.found.bit_pj / 2)

    def test_glitches(self):
        """They only add, and a sum has many."""
        for settled, glitches in zip(self.found.settled_pj, self.found.glitch_pj, strict=True):
            self.assertGreaterEqual(glitches, settled)
        which = self.wanted.index(Situation("fred_rd_uswitch", (SUM, NONE), (FLITS, FLITS)))
        self.assertGreater(self.found.glitch_pj[which], 1.3 * self.found.settled_pj[which])

    def test_wrong_gate(self):
        """A netlist with another gate somewhere on the way to an output."""
        flat = FOLDER / "energy" / "flat" / "flat.v"
        wrong = FOLDER / "wrong.v"
        head, middle, tail = flat.read_text().rpartition("  NAND2X1 ")
        self.assertTrue(middle)
        wrong.write_text(f"{head}  NOR2X1 {tail}")
        rtl = (FOLDER / "energy" / "rtl" / "outputs.txt").read_text().splitlines()
        for file, fails in ((flat, False), (wrong, True)):
            outputs, _ = gates.gate_toggles(self.part, file, [], self.stimulus, False, FOLDER / "again", LIMIT)
            if fails:
                with self.assertRaisesRegex(ToolError, r"differs from the RTL at edge \d+: out_\w+_o\[\d+\] is [01x], not [01]"):
                    gates.compare(self.part, rtl, outputs)
            else:
                gates.compare(self.part, rtl, outputs)


class Calculated(unittest.TestCase):
    def test_network(self):
        """Fred_3(3), all to one port."""
        found, outputs = traffic.network(3, 3, "reduction", [FLITS] * 3)
        self.assertEqual(outputs, [FLITS, STILL, STILL])
        self.assertEqual(found[0], Situation("fred_r_uswitch", (SUM, NONE, NONE), (FLITS, FLITS)))
        self.assertEqual(found[1], Situation("fred_port_demux", (1,), (FLITS,)))
        self.assertEqual(found[2], Situation("fred_rd_uswitch", (SUM, NONE), (FLITS, FLITS)))
        self.assertEqual(found[3], Situation("fred_rd_uswitch", (NONE, NONE), (STILL, HEARD)))
        self.assertEqual(found[5], Situation("fred_port_mux", (1,), (FLITS, STILL, STILL)))

    def test_every_flit_arrives(self):
        for ports in range(2, 33):
            for middle in (2, 3, 4):
                for kind, senders, receivers in (("unicast", ports, ports), ("reduction", ports, 1), ("distribution", 1, ports)):
                    shown = [FLITS] * senders + [STILL] * (ports - senders)
                    found, outputs = traffic.network(ports, middle, kind, shown)
                    self.assertEqual(outputs, [FLITS] * receivers + [STILL] * (ports - receivers), (ports, middle, kind))
                    sums = sum(SUM in situation.codes and set(situation.inputs) == {FLITS} for situation in found
                               if "mux" not in situation.module)  # fmt: skip
                    self.assertEqual(sums, ports - 1 if kind == "reduction" else 0)

    def test_crossbar(self):
        """Trees of three ports: a node of the inputs 0 and 1, a second one that adds input 2."""

        def nodes(*pairs):
            return {Situation("reducing_crossbar_node", (), pair): number for pair, number in pairs}

        crossbar = traffic.Crossbar(3, 0)
        self.assertEqual(crossbar.situations("unicast"), nodes(((FLITS, STILL), 3), ((STILL, FLITS), 2), ((STILL, STILL), 1)))  # fmt: skip
        self.assertEqual(crossbar.situations("reduction"), nodes(((FLITS, FLITS), 2), ((STILL, STILL), 4)))
        self.assertEqual(crossbar.situations("distribution"), nodes(((FLITS, STILL), 6)))
        for ports in range(2, 33):
            for kind in traffic.KINDS:
                found = traffic.Crossbar(ports, 0).situations(kind)
                self.assertEqual(sum(found.values()), ports * (ports - 1))
                self.assertEqual(found[Situation("reducing_crossbar_node", (), (FLITS, FLITS))], (ports - 1) * (kind == "reduction"))

    def test_line(self):
        first, second = (energy.Energy(lanes, 3 + lanes, {"unicast": 4 * lanes}, {"unicast": 2 * lanes}, {"unicast": 5.0}, 6 * lanes) for lanes in (4, 8))
        self.assertEqual(energy.at_lanes(first, second, 256), energy.Energy(256, 259, {"unicast": 1024}, {"unicast": 512}, {"unicast": 5.0}, 1536))

    def test_json(self):
        """Keys that other programs read; scaled by hand."""
        found = report.energy_json(None, energy.Energy(4, 1000, {"unicast": 100}, {"unicast": 200}, {"unicast": 300}, 400, {"unicast": 1}))
        self.assertEqual(found["clock_pj_14_to_16nm"], [2.0, 2.5])
        self.assertEqual((found["load_pj_180nm"], found["load_pj_14_to_16nm"]), (400, [0.8, 1.0]))
        self.assertEqual(found["flit_pj"], {"unicast": {
            "settled_180nm": 200, "glitches_180nm": 300, "settled_14_to_16nm": [0.4, 0.5], "glitches_14_to_16nm": [0.6, 0.75],
            "loading_180nm": 100, "loading_14_to_16nm": [0.2, 0.25], "memories": 1}})  # fmt: skip
        bits = traffic.flit_bits(4)
        self.assertEqual((found["flit_bits"], found["memory_read_pj_22nm"], found["memory_write_pj_22nm"]),
                         (bits, round(0.018 * bits, 2), round(0.026 * bits, 2)))  # fmt: skip
        self.assertAlmostEqual(found["memory_read_pj_22nm"] + found["memory_write_pj_22nm"], found["memory_pj_22nm"], delta=0.011)

    def test_compose(self):
        """Energy of a µSwitch alone, and of one that three are in."""
        pair = [Situation("fred_rd_uswitch", (IN0, IN1), (FLITS, FLITS))]
        found = energy.compose(traffic.Fred(2, 3, 0), 4, {"fred_rd_uswitch": (pair, energy.Measured(7.0, [6.0], [10.0], [30.0], 0.5, 64))})
        self.assertEqual((found.clock_pj, found.loading_pj["unicast"], found.settled_pj["unicast"], found.glitch_pj["unicast"]), (7, 3, 5, 15))
        self.assertEqual(found.load_pj, 0.5 * traffic.flit_bits(4))

    def test_toggles(self):
        """Toggles count in the second edge only, and for outputs only; an unchanged value is none."""
        vcd = ["$scope module bench $end", "$scope module i $end", r"$scope module \a.b[1] $end", "$var wire 1 ! Y $end",
               "$var wire 1 # A $end", "$upscope $end", "$upscope $end", "$enddefinitions $end", "0!\n", "#50000\n", "1!\n",
               "#150000\n", "0!\n", "#150010\n", "1!\n", "1#\n", "#150020\n", "1!\n",
               "#249999\n", "0!\n", "#250000\n", "1!\n"]  # fmt: skip
        self.assertEqual(gates.count(iter(vcd), [(2, 3)]), [{"i/a.b[1]": 3}])

    def test_paper(self):
        """Example by hand: 10 ports of 600 GB/s both ways over four edges of 107.4 GB/s/mm."""
        self.assertAlmostEqual(paper.perimeter_mm2(10), (12_000 / 429.6) ** 2)


WRITE = "--write" in sys.argv
sys.argv = [word for word in sys.argv if word != "--write"]
unittest.main()
