# SPDX-License-Identifier: Apache-2.0
"""pages_test.py: figures of the pages against each other, against figures.json and against the model of areas. docs/studies/synthesis.md
rounds paths to whole FO4; docs/studies/switch_kinds.md has the largest switches again."""

import json
import re
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import cells, technology  # noqa: E402

SYNTHESIS = (CHECKOUT / "docs/studies/synthesis.md").read_text()
STUDY = (CHECKOUT / "docs/studies/switch_kinds.md").read_text()
FIGURES = {name: figures for kind in json.loads(Path(__file__).with_name("figures.json").read_text()).values()
           for name, figures in kind.items()}  # fmt: skip
# Rows of the study -> rows of synthesis.md. The latter has one aggregator of 12 ports for all
# numbers of adders.
SAME = {
    "Fred_2": "fred_switch:P=12,M=2", "Fred_3": "fred_switch:P=12,M=3", "Fred_4": "fred_switch:P=12,M=4",
    "reducing crossbar": "reducing_crossbar:P=12", "4 adders": "aggregator:P=12", "VOQ crossbar": "voq_crossbar:P=12",
    "mesh, 4 local ports and 2 for I/O": "mesh_router:NUM_LOCAL=4,NUM_IO=2",
    "mesh, reducing, the same": "mesh_reducing:NUM_LOCAL=4,NUM_IO=2",
}  # fmt: skip
NAMES = {"µSwitch": "fred_r_uswitch", "output unit": "phased_output_unit", "input unit": "phased_input_unit",
         "control unit": "phased_control", "adder node": "reducing_crossbar_node", "counters": "switch_counters"}  # fmt: skip


def table(text, head):
    """Rows of the table whose first line starts with `head`, as lists of cells."""
    lines = text[text.index(f"\n{head}") + 1:].splitlines()
    rows = lines[: next(i for i, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def number(text):
    return float(text.replace(" ", ""))


PATHS = {row[0].strip("`"): row[1:] for row in table(SYNTHESIS, "| top | longest path |")}
LARGEST = {row[0]: row[1:] for row in table(STUDY, "| 12 ports |")}


class Pages(unittest.TestCase):
    def test_paths_of_the_largest_switches(self):
        self.assertLessEqual(SAME.keys(), LARGEST.keys())
        for row, top in SAME.items():
            with self.subTest(row=row):
                self.assertAlmostEqual(number(PATHS[top][0]), number(LARGEST[row][5]), delta=0.501)

    def test_clocks(self):
        """Typical and at the slow corner by the path, and at the slow corner by the path with wires, which is longer."""
        for row, (*_, path, typical, slow, _, with_wires, own) in LARGEST.items():
            with self.subTest(row=row):
                self.assertGreater(number(with_wires), number(path))
                for fo4, clock, of in ((path, typical, cells.typical_clock_ghz), (path, slow, cells.clock_ghz), (with_wires, own, cells.clock_ghz)):
                    self.assertIn(number(clock), [int(100 * of(number(fo4) + end)[0]) / 100 for end in (-0.05, 0.05)])

    def test_paths_of_small_switches(self):
        """All of a top whose figures the tests know, and the parts that are named with it."""
        known = 0
        for top, (path, text) in PATHS.items():
            figures = FIGURES.get(f"{top},LANES=4")
            if figures is None:
                continue
            self.assertEqual(path, f"{figures['path_fo4']:.0f}", top)
            for name, fo4 in re.findall(r"(?:^|, )`?([\w µ]+?)`? (\d+)(?=[,;]|$)", text):
                part = FIGURES[f"{top},LANES=4 {NAMES.get(name, name)}"]
                self.assertEqual(fo4, f"{part['path_fo4']:.0f}", f"{top}, {name}")
                known += 1
        self.assertGreater(known, 5)

    def test_units_are_the_same_in_all_switches(self):
        unit = FIGURES["fred_switch:P=2,M=2,LANES=4 phased_output_unit"]["path_fo4"]
        for top, (_, text) in PATHS.items():
            for fo4 in re.findall(r"output unit (\d+)", text):
                self.assertEqual(fo4, f"{unit:.0f}", top)

    def test_areas(self):
        """Logic by its gates; the sum."""
        factor = sum(technology.DATA["scaling"]["area"]) / 2 * 1000 * cells.GATE_UM2 / 1e6
        for row, (kge, _, logic, memories, area, *_) in LARGEST.items():
            with self.subTest(row=row):
                self.assertEqual(logic, f"{number(kge) * factor:.1f}")
                self.assertAlmostEqual(number(area), number(logic) + number(memories), delta=0.11)


unittest.main()
