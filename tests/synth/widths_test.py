# SPDX-License-Identifier: Apache-2.0
"""widths_test.py FOLDER: area at lanes that are not synthesised. Every part of every top at its smallest size, at lanes on the line
through two others, against what is synthesised with so many."""

import json
import sys
import unittest
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import flow  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402
from fredsim_tools.synth.yosys import ToolError  # noqa: E402

FOLDER = Path(sys.argv.pop())
LIMIT = 240
LINE, AT = (2, 4), 6
TOPS = [
    ("fred_switch", {"P": 2, "M": 2}), ("fred_interconnect", {"P": 3, "M": 2}), ("mesh_router", {"NUM_LOCAL": 1, "NUM_IO": 0}),
    ("reducing_crossbar", {"P": 2}), ("mesh_reducing", {"NUM_LOCAL": 1, "NUM_IO": 0}), ("aggregator", {"P": 2, "ADDERS": 1}),
    ("voq_crossbar", {"P": 2}), ("fred_interconnect", {"P": 5, "M": 2, "ADDER_STAGES": 2}),
]  # fmt: skip
TOLERANCE = 0.03  # tolerance per part; abc's result moves a little with every change of its input
SMALL_KGE = 0.1


def grows(part):
    return bool(flow.WIDTHS & part.given.keys())


class Areas(flow.Flow):
    """Without paths, and without the gates of parts that do not grow with the lanes, which are the same part at any number: they are pins in the parts around
    them."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pins = {}

    def _paths(self, parts):
        return defaultdict(list)

    @staticmethod
    def _key(module, parameters):
        return module, *sorted(parameters.items())

    def _run(self, part, step):
        if grows(part):
            super()._run(part, step)
        if step != part.prepare:
            return
        if not grows(part):
            part.ports = self.pins[self._key(part.module, part.given)]
            return
        modules = json.loads((part.folder / "prepared.json").read_text())["modules"]
        this = next(module for module in modules.values() if "top" in module["attributes"])
        for instance, module, parameters in part.children:
            ports = modules[this["cells"][instance]["type"]]["ports"]
            self.pins[self._key(module, parameters)] = {name: (port["direction"], len(port["bits"])) for name, port in ports.items()}

    def _own(self, part):
        return super()._own(part) if grows(part) else [0.0, 0.0, 0.0]


class Extrapolated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lanes, flow.LANES = flow.LANES, LINE
        cls.flow = Areas(Sources(CHECKOUT), FOLDER / "parts", 2, LIMIT, (20, 4))

    @classmethod
    def tearDownClass(cls):
        flow.LANES = cls.lanes

    def rows(self, module, parameters):
        """Module and parameters that do not depend on the lanes -> its row."""
        [top] = self.flow.tops([(module, parameters)], with_energy=False)
        self.assertEqual(top.lacks, [])
        return {(row.module, *sorted((k, v) for k, v in row.parameters.items() if k not in flow.WIDTHS)): row for row in top.rows}

    def test_all_tops(self):
        sources = self.flow.sources
        missing = {part for part in sources.parts if flow.WIDTHS & set(sources.parameters(part))}
        for module, parameters in TOPS:
            on_line = self.rows(module, dict(parameters, LANES=AT))
            flow.LANES = (AT, LINE[0])  # AT itself is synthesised
            built = self.rows(module, dict(parameters, LANES=AT))
            flow.LANES = LINE
            self.assertEqual(on_line.keys(), built.keys())
            missing -= {part for part, *_ in on_line}
            for place, row in on_line.items():
                with self.subTest(top=module, part=place):
                    self.assertEqual(row.count, built[place].count)
                    for mine, its in zip(row.memories, built[place].memories, strict=True):
                        self.assertEqual((mine["words"], mine["width"]), (its["words"], its["width"]))
                    self.assertAlmostEqual(row.kge, built[place].kge, delta=TOLERANCE * built[place].kge + SMALL_KGE)
        self.assertEqual(missing, set(), "parts that grow with the lanes and are in no top here")


class Refused(unittest.TestCase):
    """A part that grows with the lanes by a parameter that the flow does not know to."""

    def test_an_unknown_width(self):
        def below(**parameters):
            part = SimpleNamespace(module="mux", parameters=parameters, given={}, unfinished=None)
            return {flow.Flow._place(part): (part, 1)}

        tops = [SimpleNamespace(module="top", parameters={"LANES": lanes}) for lanes in (4, 32)]
        with self.assertRaisesRegex(ToolError, "top: found mux with P=2, WORD_W=160 at 4 lanes only; allowed: .* FLIT_W, LANES"):
            flow.Flow._check_alike([below(P=2, WORD_W=160), below(P=2, WORD_W=608)], tops)
        flow.Flow._check_alike([below(P=2, FLIT_W=160), below(P=2, FLIT_W=608)], tops)


unittest.main()
