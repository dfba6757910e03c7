# SPDX-License-Identifier: Apache-2.0
"""beside_booksim_test.py PROGRAM: fredsim's cheap points of docs/studies/beside_booksim.md, measured again; and what is read of BookSim2, whose
place a script takes here."""

import contextlib
import io
import math
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import beside_booksim, checkout  # noqa: E402
from fredsim_tools.booksim import THEIR_WORD, BookSim, Fredsim, Kept, Load, Point, capacity, mean_hops  # noqa: E402
from fredsim_tools.runs import Runs  # noqa: E402

PROGRAM = sys.argv.pop()

# Writes the statistics of a network in which a packet takes 10 cycles and one for its own source 1000, and a node accepts its own number; where
# the rate is above 0.5 it gives up. Exit codes are BookSim2's.
STAND_IN = """#!/usr/bin/python3 -B
import sys
keys = dict(line.rstrip(";\\n").split("=") for line in open(sys.argv[1]))
nodes = int(keys["k"]) ** 2
with open(sys.argv[1] + ".count", "a") as file:
    file.write("run\\n")
pairs = [(a, b) for a in range(nodes) for b in range(nodes)]
vectors = {"accepted_flits": range(nodes), "pair_sent": [2] * len(pairs), "pair_plat": [1000 if a == b else 10 for a, b in pairs]}
with open(keys["stats_out"], "w") as file:
    for name, values in vectors.items():
        file.write(f"{name}(1,:) = [ {' '.join(map(str, values))} ];\\n")
if float(keys["injection_rate"]) > 0.5:
    print("Average latency for class 0 exceeded 1000 cycles. Aborting simulation.")
    sys.exit(0)
sys.exit(255)
"""


def destination(side, pattern, node):
    x, y = node % side, node // side
    return x * side + y if pattern == "transpose" else side * side - 1 - node


def hops(side, a, b):
    """Links of X-Y routing, as pairs of nodes."""
    x, y = a % side, a // side
    while x != b % side:
        step = 1 if b % side > x else -1
        yield (y * side + x, y * side + x + step)
        x += step
    while y != b // side:
        step = 1 if b // side > y else -1
        yield (y * side + x, (y + step) * side + x)
        y += step


def cells(mark, pattern, side=4):
    """The row of a page's table."""
    lines = (CHECKOUT / beside_booksim.PAGE).read_text(encoding="utf-8").splitlines()
    lines = lines[lines.index(f"<!-- table {mark} -->") + 2 :]
    head = [cell.strip() for cell in lines[0].strip("|").split("|")]
    row = next(line for line in lines if line.startswith(f"| {side} × {side} | `{pattern}` |"))
    return dict(zip(head, (cell.strip() for cell in row.strip("|").split("|"))))


class Page(unittest.TestCase):
    def setUp(self):
        checkout.enter()
        self.ours = Fredsim(Runs("test", PROGRAM, io.StringIO()), Kept(None))

    def test_single_packets(self):
        for pattern in beside_booksim.PATTERNS:
            self.assertEqual(f"{beside_booksim.single(self.ours, 4, pattern):.1f}", cells("single packets", pattern)["fredsim"])

    def test_knee(self):
        found = beside_booksim.knee(self.ours, 4, "bit_complement")
        self.assertEqual(f"{found:.3f}", cells("knees", "bit_complement")["fredsim"])


class Formulas(unittest.TestCase):
    def test_of_paths_counted_one_by_one(self):
        for side in (4, 5, 8):
            for pattern in beside_booksim.PATTERNS:
                loads, lengths, senders = Counter(), [], [node for node in range(side**2) if Load(side, pattern, 0).sends(node)]
                for a in senders:
                    others = [b for b in range(side**2) if b != a] if pattern == "uniform" else [destination(side, pattern, a)]
                    for b in others:
                        path = list(hops(side, a, b))
                        lengths.append(len(path))
                        loads.update(dict.fromkeys(path, 1 / len(others)))
                if pattern != "bit_complement" or side % 2 == 0:  # the middle of an odd side sends to itself
                    self.assertAlmostEqual(mean_hops(side, pattern), sum(lengths) / len(lengths))
                if side % 2 == 0 or pattern == "transpose":
                    self.assertAlmostEqual(capacity(side, pattern), 1 / max(loads.values()), msg=f"{side} {pattern}")

    def test_knee_of_a_known_latency(self):
        class Steep:
            def point(self, load):
                return Point(10 if load.rate < 0.3 else 31 if load.rate < 0.5 else math.inf, load.rate)

        self.assertAlmostEqual(beside_booksim.knee(Steep(), 4, "bit_complement"), 0.3, delta=beside_booksim.CLOSE * capacity(4, "bit_complement"))


class TheirSide(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = self.folder / "booksim"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        self.announced = io.StringIO()

    def booksim(self, kept=None, **settings):
        return BookSim(str(self.program), Runs("test", PROGRAM, self.announced), kept or Kept(None), **settings)

    def test_what_nodes_send_to_themselves_does_not_count(self):
        point = self.booksim().point(Load(4, "uniform", 0.15))
        self.assertEqual(point, Point(10, 7.5 * 15 / 16))
        self.assertIn("injection_rate=0.160000", self.announced.getvalue())
        self.assertEqual(self.booksim().point(Load(4, "transpose", 0.15)).accepted, (sum(range(16)) - 0 - 5 - 10 - 15) / 12)

    def test_patterns_have_their_words(self):
        for pattern, word in THEIR_WORD.items():
            self.booksim().point(Load(4, pattern, 0.15))
            self.assertIn(f" traffic={word} ", self.announced.getvalue())

    def test_unstable(self):
        self.assertEqual(self.booksim().point(Load(4, "bit_complement", 0.6)).latency, math.inf)

    def test_points_are_kept(self):
        file = self.folder / "kept"
        loads = [Load(4, "transpose", rate) for rate in (0.2, 0.6)]
        first = [self.booksim(Kept(file)).point(load) for load in loads]
        self.program.unlink()
        self.assertEqual([self.booksim(Kept(file)).point(load) for load in loads], first)

    def test_a_program_that_is_another(self):
        for other in ("/bin/true", "/bin/false"):
            self.program = other
            with self.assertRaisesRegex(SystemExit, "no statistics"):
                self.booksim().point(Load(4, "uniform", 0.1))

    def test_statistics_of_another_form(self):
        self.program.write_text(STAND_IN.replace("pair_plat", "pair_latency"))
        with self.assertRaisesRegex(SystemExit, "no pair_plat in its statistics"):
            self.booksim().point(Load(4, "uniform", 0.1))

    def test_tables_of_the_command(self):
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(beside_booksim.main([str(self.program), "--smoke", "--program", PROGRAM, "--tables", "single packets"]), 0)
        ours = cells("single packets", "uniform")["fredsim"]
        self.assertIn(f"| 4 × 4 | `uniform` | 2.67 | {ours} | 10.0 | 10.0 | 10.0 |", printed.getvalue())


unittest.main()
