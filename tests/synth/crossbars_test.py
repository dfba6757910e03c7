# SPDX-License-Identifier: Apache-2.0
"""crossbars_test.py FOLDER: energy of a flit in interconnects that choose: each small, its gates held against the RTL."""

import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import cells, crossbars, energy, gates  # noqa: E402
from fredsim_tools.synth.flow import Flow  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402
from fredsim_tools.synth.traffic import FLITS, STILL, Situation  # noqa: E402
from fredsim_tools.synth.yosys import ToolError  # noqa: E402

FOLDER = Path(sys.argv.pop())
LIMIT = 240
LANES = 1


class Measured(unittest.TestCase):
    """A netlist with another output than the RTL at any edge is a ToolError."""

    @classmethod
    def setUpClass(cls):
        cls.flow = Flow(Sources(CHECKOUT), FOLDER, 2, LIMIT, (20, 4))

    def energy(self, network):
        [(module, wanted)] = energy.parts_needed(network).items()
        part, _ = self.flow.part(module, network.parameters(module, LANES))
        self.flow.synthesise([part])
        measured = energy._of_part(self.flow, network, LANES, part, wanted)
        return energy.compose(network, LANES, {module: (wanted, measured)})

    def test_voq_crossbar(self):
        found = self.energy(crossbars.VoqCrossbar(2))
        self.assertEqual(found.glitch_pj.keys(), {"unicast"})
        self.assertGreater(found.settled_pj["unicast"], 0)
        self.assertGreaterEqual(found.glitch_pj["unicast"], found.settled_pj["unicast"])

    def test_mesh_router(self):
        found = self.energy(crossbars.MeshRouter(3, (8, 2, 4)))
        self.assertGreater(found.settled_pj["unicast"], 0)

    def test_aggregator(self):
        """An addition takes more than the path past the adders, and its operands go through a memory."""
        found = self.energy(crossbars.Aggregator(2, 1, 0))
        self.assertEqual(found.memories, {"unicast": 0, "reduction": 1, "distribution": 0})
        self.assertGreater(found.glitch_pj["reduction"], found.glitch_pj["unicast"])
        for kind, settled in found.settled_pj.items():
            self.assertGreater(settled, 0, kind)
            self.assertGreaterEqual(found.glitch_pj[kind], settled)


class Calculated(unittest.TestCase):
    def test_selecting(self):
        """Every output is driven by its own input, and receives all."""
        for network in (crossbars.VoqCrossbar(3), crossbars.MeshRouter(3, (8, 2, 4))):
            self.assertEqual(network.situations("unicast"), {Situation(network.module, (o,), (FLITS,) * 3): 1 for o in range(3)})

    def test_rate_of_an_aggregator(self):
        """Adders by additions, one flit per cycle at most."""
        for ports, adders, flits in ((4, 1, 4 / 3), (4, 3, 4), (4, 4, 4), (12, 4, 12 * 4 / 11)):
            network = crossbars.Aggregator(ports, adders, 0)
            self.assertAlmostEqual(network.flits("reduction"), flits)
            self.assertEqual(network.flits("unicast"), ports)

    def test_row(self):
        """Row of 4 ports, by hand: valid, VC 0, then flows of 3 bits, inputs first."""
        network = crossbars.Aggregator(4, 1, 0)
        self.assertEqual(network._row("unicast"), 1 | (0o4321 | 0o4321 << 12) << 3)
        self.assertEqual(network._row("reduction"), 1 | (0o1111 | 0o0001 << 12) << 3)
        self.assertEqual(network._row("distribution"), 1 | (0o0001 | 0o1111 << 12) << 3)

    def test_stimulus_of_an_aggregator(self):
        """Flits enter two edges after their fires, at the given rate."""
        class Part:
            ports = {name: ("input", 1) for name in ("clk_i", "rst_ni", "change_i", "row_i", "fire_in_i", "fire_out_i", "in_valid_i",
                                                     "in_flit_i", "unicast_i", "bist_i")}  # fmt: skip

        network = crossbars.Aggregator(4, 1, 0)
        [wanted] = energy.parts_needed(network).values()
        stimulus = network.stimulus(Part, wanted, LANES)
        fires = [row["fire_in_i"] for row in stimulus.rows]
        enters = [row["in_valid_i"] for row in stimulus.rows]
        self.assertEqual([0, 0, *fires[:-2]], enters)
        for situation, (first, edges) in zip(wanted, stimulus.windows, strict=True):
            [kind] = situation.codes
            flits = sum(enters[edge].bit_count() for edge in range(first, first + edges))
            per_edge = {"unicast": 4, "reduction": 4 / 3, "distribution": 1}[kind]  # a distribution's leave at four outputs
            self.assertEqual(flits, per_edge * edges, kind)
            self.assertEqual(situation.inputs.count(STILL), 3 if kind == "distribution" else 0)

    def test_memory(self):
        """Only a memory of one write port and one synchronous read port has a model."""
        parameters = {"WIDTH": "100", "SIZE": "1000", "ABITS": "11", "RD_PORTS": "1", "WR_PORTS": "1", "RD_CLK_ENABLE": "1"}
        memory = cells.Memory("ram", parameters)
        memory.cell = "ram_box"
        self.assertIn("reg [3:0] words [0:7]", gates.memory_model(memory))
        asynchronous = cells.Memory("ram", parameters | {"RD_CLK_ENABLE": "0"})
        with self.assertRaisesRegex(ToolError, "memory ram: found 1 read and 1 write ports; allowed: one of each, synchronous"):
            gates.memory_model(asynchronous)


unittest.main()
