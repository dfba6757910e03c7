# SPDX-License-Identifier: Apache-2.0
"""floorplan_test.py: sketches of switches whose modules have areas that are made up: blocks fill the square, wires are half perimeters."""

import random
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import cells, floorplan  # noqa: E402
from fredsim_tools.synth.flow import Row, Top  # noqa: E402

FOLDER = Path(sys.argv.pop())
SEED = 7


def switch(kind, parameters, ports, modules, paths=()):
    rows = [Row(module, count, {}, kge=kge, path_fo4=fo4) for module, (count, kge, fo4) in modules.items()]
    return Top(kind, parameters, ports, 256, rows, list(paths), [], 0.0)


def units(ports, dice):
    return {"phased_input_unit": (ports, dice.uniform(5, 50), 25), "phased_output_unit": (ports, dice.uniform(5, 50), 34),
            "phased_control": (1, dice.uniform(5, 50), 39), "switch_counters": (1, dice.uniform(5, 50), 37)}  # fmt: skip


def uswitches(ports, middle):
    """Numbers of R-µSwitches, multiplexers and demultiplexers in a Fred_m(P)."""
    if ports == 2:
        return 1, 0, 0
    below = uswitches((ports + 1) // 2, middle)
    odd = ports % 2
    own = ports // 2, 2 * (ports // 2) + odd, odd
    return tuple(mine + middle * inner for mine, inner in zip(own, below, strict=True))


def fred(ports, middle, dice):
    r, mux, demux = uswitches(ports, middle)
    modules = {"fred_r_uswitch": (r, dice.uniform(1, 20), 76), "fp_add_align": (4 * r, 0.9, 38), "fp_add_round": (4 * r, 0.6, 35)}
    if mux:
        modules["fred_port_mux"] = (mux, dice.uniform(1, 5), 13)
    if demux:
        modules["fred_port_demux"] = (demux, dice.uniform(1, 5), 10)
    return switch("fred_switch", {"P": ports, "M": middle}, ports, units(ports, dice) | modules,
                  [(80.0, "i_switch.i_control.phase_q", "gen_port.i_input.read"), (76.0, "i_network.i_r_uswitch.a", "i_network.b")])  # fmt: skip


class Floorplan(unittest.TestCase):
    def check(self, top):
        """Blocks have the area of the rows, lie in the square and do not overlap."""
        plan = floorplan.plan(top)
        area = sum(row.count * row.kge * 1000 * cells.GATE_UM2 * (0.0093 + 0.0101) / 2 for row in top.rows)
        self.assertAlmostEqual(plan.side_mm**2 * 1e6 / area, 1, places=9)
        self.assertAlmostEqual(sum(block.width * block.height for block in plan.blocks) / plan.side_mm**2, 1, places=9)
        for block in plan.blocks:
            self.assertAlmostEqual(block.width * block.height * 1e6 / block.um2, 1, places=6)
        for number, one in enumerate(plan.blocks):
            self.assertLessEqual(one.x + one.width, plan.side_mm * (1 + 1e-9))
            self.assertLessEqual(one.y + one.height, plan.side_mm * (1 + 1e-9))
            for other in plan.blocks[:number]:
                across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
                up = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
                self.assertLess(min(across, up), 1e-9, f"{one} {other}")
        for wires in plan.wires:
            self.assertLessEqual(wires.mean_mm, wires.longest_mm * (1 + 1e-9))
            self.assertLess(wires.longest_mm, 2 * plan.side_mm)
        return plan

    def test_random_freds(self):
        dice = random.Random(SEED)
        for ports in range(2, 13):
            for middle in (2, 3, 4):
                with self.subTest(ports=ports, middle=middle, seed=SEED):
                    plan = self.check(fred(ports, middle, dice))
                    placed = sum(block.module == "fred_r_uswitch" for block in plan.blocks)
                    self.assertEqual(placed, uswitches(ports, middle)[0])

    def test_other_kinds(self):
        dice = random.Random(SEED)
        for ports in (2, 3, 5, 8, 12):
            with self.subTest(ports=ports):
                tree = {"reducing_crossbar": (1, 30, 20), "reducing_crossbar_node": (ports * (ports - 1), 3, 72)}
                plan = self.check(switch("reducing_crossbar", {"P": ports}, ports, units(ports, dice) | tree))
                self.assertEqual(sum(block.module == "reducing_crossbar_node" for block in plan.blocks), ports * (ports - 1))
                pool = {"aggregator": (1, 30, 40), "aggregator_adder": (4, 9, 72), "fp_add": (16, 1.6, 70)}
                self.check(switch("aggregator", {"P": ports}, ports, units(ports, dice) | pool))
                self.check(switch("voq_crossbar", {"P": ports}, ports, units(ports, dice) | {"voq_crossbar_mux": (ports, 4, 10)}))
                self.check(switch("mesh_router", {}, ports, {"mesh_input": (ports, 15, 34), "mesh_output": (ports, 4, 23),
                                                             "mesh_allocator": (1, 4, 36)}))  # fmt: skip

    def test_half_perimeter(self):
        net = floorplan.Net(floorplan.Block("a", 1, 0, 0, 2, 2), [floorplan.Block("b", 1, 4, 0, 2, 2), floorplan.Block("b", 1, 2, 6, 2, 2)])
        self.assertEqual(net.mm(), 4 + 6)

    def test_paths_with_wires(self):
        """A wire adds its delay to the path of its end; a decision has the longest path that leaves the data path."""
        plan = floorplan.plan(fred(4, 3, random.Random(SEED)))
        found = {(wires.source, wires.sink): wires for wires in plan.wires}
        inner = found["fred_r_uswitch", "fred_r_uswitch"]
        self.assertAlmostEqual(inner.fo4, 76 + inner.longest_mm * 100 / 8.4)
        decision = found["control", "phased_input_unit"]
        self.assertAlmostEqual(decision.fo4, 80 + decision.longest_mm * 100 / 8.4)
        self.assertEqual(plan.path_fo4, max(wires.fo4 for wires in plan.wires))
        self.assertAlmostEqual(plan.as_json()["clock_ghz"][0], 1000 / 8.4 / 1.42 / plan.path_fo4, delta=0.001)

    def test_no_switch(self):
        self.assertIsNone(floorplan.plan(switch("fred_paths", {}, None, {"fred_paths": (1, 3, 20)})))

    def test_picture(self):
        """Equal plans give equal files, with a legend of all kinds of blocks."""
        plan = floorplan.plan(fred(4, 3, random.Random(SEED)))
        texts = []
        for name in ("one", "two"):
            plan.draw("fred_switch P=4 M=3", FOLDER / f"{name}.svg")
            texts.append((FOLDER / f"{name}.svg").read_text())
        self.assertEqual(*texts)
        for module in {block.module for block in plan.blocks}:
            self.assertIn(module, texts[0])


unittest.main()
