# SPDX-License-Identifier: Apache-2.0
"""constants_test.py BUILD: RTL constants in scripts equal the constants in C++."""

import json
import random
import re
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import rtl  # noqa: E402
from fredsim_tools.synth import traffic  # noqa: E402

HEADERS = Path(sys.argv.pop()) / "rtl_packages" / "rtl"
SOURCES = {path.stem: path for path in CHECKOUT.glob("rtl/*/*_pkg.sv")}
PACKAGES = ("noc_pkg", "phased_pkg", "fred_pkg")  # packages that scripts use


class Constants(unittest.TestCase):
    def test_against_the_headers(self):
        """Constants as the build writes them, and without a build folder."""
        with tempfile.TemporaryDirectory() as folder:
            for package in PACKAGES:
                lines = re.findall(r"^inline constexpr std::uint32_t (\w+) = (\w+);$", (HEADERS / f"{package}.h").read_text(), re.MULTILINE)
                wanted = {name: int(value, 16) for name, value in lines}
                self.assertGreater(len(wanted), 5)
                self.assertEqual(json.loads((HEADERS / f"{package}.json").read_text()), wanted)
                file = Path(folder) / f"{package}.json"
                rtl._write(package, SOURCES, file)
                self.assertEqual(json.loads(file.read_text()), wanted)

    def test_a_package_that_verilator_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / "wrong_pkg.sv"
            wrong.write_text("package wrong_pkg;\n  localparam int unsigned X = ;\nendpackage\n")
            with self.assertRaisesRegex(OSError, "wrong_pkg.json: verilator: exit code 1: "):
                rtl._write("wrong_pkg", {"wrong_pkg": wrong}, Path(folder) / "wrong_pkg.json")

    def test_flit(self):
        """Second flit of a packet of one lane, by hand: packet, source, packet's number in its stream."""
        self.assertEqual([traffic.flit_bits(lanes) for lanes in (1, 2, 3, 256)], [128, 128, 160, 4192])
        values = random.Random(1)
        header = traffic.flit(5, 8 * 3 + 1, 1, False, values) & (1 << 96) - 1
        self.assertEqual(header, 3 | 5 << 48 | 3 << 74)


unittest.main()
