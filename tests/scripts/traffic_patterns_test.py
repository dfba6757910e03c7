#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""traffic_patterns_test.py PROGRAM: patterns of `scripts/reproduce traffic_patterns` beside fredsim's, by the links that carry their packets; the
rates at which links are full beside formulas; and its table, with a script in place of BookSim2."""

import contextlib
import io
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import traffic_patterns  # noqa: E402
from fredsim_tools.traffic_patterns import PATTERNS, capacity, remote_share, without_own  # noqa: E402

PROGRAM = sys.argv.pop()
PERMUTATIONS = ("transpose", "bit_complement", "tornado", "shuffle", "bit_reverse")

# Latency of 10 cycles, and of 100 from a rate of 0.3 on; packets of a node to itself take 1000.
STAND_IN = """#!/usr/bin/python3 -B
import sys
keys = dict(line.rstrip(";\\n").split("=", 1) for line in open(sys.argv[1]))
nodes = int(keys["k"]) ** 2
slow = float(keys["injection_rate"]) > 0.3
pairs = [1000 if a == b else 100 if slow else 10 for a in range(nodes) for b in range(nodes)]
with open(keys["stats_out"], "w") as file:
    file.write(f"pair_sent(1,:) = [ {' '.join('1' for _ in pairs)} ];\\npair_plat(1,:) = [ {' '.join(map(str, pairs))} ];\\n")
sys.exit(255)
"""


def links_of(*words):
    """Links that carry flits on a mesh of 4 x 4."""
    command = [PROGRAM, "traffic", "configs/mesh.yaml", "--set", "npu.count=16", "--set", "fabric.width=4", "--set", "io.count=0", "--rate", "0.1",
               "--warmup", "100", "--cycles", "2000", "--quiet", "--json", "-", *words]  # fmt: skip
    run = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=CHECKOUT).stdout)["runs"][0]
    return {(link["from"], link["to"]) for link in run["links"] if link["flits"] and link["from"][0] == link["to"][0] == "r"}


class Patterns(unittest.TestCase):
    def test_permutations_take_the_links_of_fredsims_own(self):
        for name in PERMUTATIONS:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                rates = Path(folder) / "rates.csv"
                matrix = without_own(PATTERNS[name].matrix(4))
                rates.write_text("".join(",".join(map(str, row)) + "\n" for row in matrix))
                self.assertEqual(links_of("--pattern", str(rates)), links_of("--pattern", name))

    def test_rows_are_probabilities(self):
        for name, pattern in PATTERNS.items():
            for side in pattern.sides if pattern.matrix else ():
                for row in pattern.matrix(side):
                    self.assertAlmostEqual(sum(row), 1, msg=name)

    def test_busiest_links_are_full_at_the_rates_of_formulas(self):
        for side in (4, 8):
            nodes = side * side
            for name, rate in {"uniform": 4 * (nodes - 1) / (nodes * side), "transpose": 1 / (side - 1), "bit_complement": 2 / side}.items():
                self.assertAlmostEqual(capacity(PATTERNS[name].matrix(side), side), rate, msg=name)
        self.assertAlmostEqual(remote_share(PATTERNS["asymmetric"].matrix(4)), 0.5)
        self.assertAlmostEqual(capacity(PATTERNS["hotspot"].matrix(4), 4), 1 / 15)


class Table(unittest.TestCase):
    def test_has_the_knees_of_both(self):
        with tempfile.TemporaryDirectory() as folder:
            booksim = Path(folder) / "booksim"
            booksim.write_text(STAND_IN)
            booksim.chmod(0o755)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                words = [str(booksim), "--program", PROGRAM, "--sides", "4", "--patterns", "bit_complement", "--keep", f"{folder}/kept"]
                self.assertEqual(traffic_patterns.main(words), 0)
            booksim.unlink()
            with contextlib.redirect_stdout(io.StringIO()) as again, contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(traffic_patterns.main([*words[:1], "--program", "/bin/false", *words[3:]]), 0)
            self.assertEqual(again.getvalue(), printed.getvalue())
            cells = printed.getvalue().splitlines()[2].split(" | ")
            self.assertEqual(cells[1:3], ["`bit_complement`", "0.500"])
            self.assertTrue(math.isclose(float(cells[4]), 0.3, abs_tol=0.01), cells)
            self.assertTrue(0.3 < float(cells[3]) < 0.5, cells)


if __name__ == "__main__":
    unittest.main()
