# SPDX-License-Identifier: Apache-2.0
"""kinds_test.py BUILD FOLDER: the table of the kinds of switches, kinds.json, and what scripts read of it."""

import os
import shutil
import sys
import unittest
from pathlib import Path
from unittest import mock

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import kinds  # noqa: E402
from fredsim_tools.microarchitectures import VARIANTS  # noqa: E402
from fredsim_tools.synth.energy import NETWORKS  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402

FOLDER = Path(sys.argv.pop())
BUILD = Path(sys.argv.pop())


def copy(name):
    """A checkout with kinds and without a build folder."""
    checkout = FOLDER / name
    for file in (CHECKOUT / kinds.DESCRIBED).rglob("*.cmake"):
        place = checkout / file.relative_to(CHECKOUT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    return checkout


class Table(unittest.TestCase):
    def test_without_a_build_folder(self):
        """Same result as with one."""
        checkout = copy("none")
        kinds.load(checkout)
        self.assertEqual((checkout / "build" / "kinds.json").read_text(), (BUILD / "kinds.json").read_text())
        self.assertEqual(os.listdir(checkout / "build"), ["kinds.json"])

    def test_an_old_one_is_written_again(self):
        checkout = copy("old")
        self.assertEqual(kinds.load(checkout)["fred"].parameters["M"].default, 3)
        file = checkout / kinds.DESCRIBED / "fred" / "kind.cmake"
        file.write_text(file.read_text().replace('"M | 3 |', '"M | 4 |'))
        os.utime(file, (2**33, 2**33))
        kinds.load.cache_clear()
        self.assertEqual(kinds.load(checkout)["fred"].parameters["M"].default, 4)

    def test_without_cmake(self):
        with mock.patch.dict(os.environ, {"PATH": ""}), self.assertRaisesRegex(OSError, "kinds.json: .*`cmake --preset release` does"):
            kinds.load(copy("no_cmake"))


class Kinds(unittest.TestCase):
    """Claims of a kind.cmake hold in the RTL."""

    def test_modules(self):
        sources = Sources(CHECKOUT)
        for kind in sources.kinds:
            with self.subTest(kind=kind.name):
                modules = set(sources.modules())
                self.assertEqual(kind.tops()[0], kind.top)
                self.assertLessEqual({*kind.tops(), *kind.parts, *kind.wires, kind.energy}, modules)
                self.assertLessEqual(kind.deep | kind.line, kind.parts)
                self.assertLessEqual(kind.parameters.keys(), set(sources.parameters(kind.top)))
                self.assertIn(kind.energy, NETWORKS)
                below = {name for top in kind.tops() for name in sources.below(top)}
                self.assertEqual(kind.parts - below, set(), "in none of its tops")

    def test_every_kind_is_compared(self):
        self.assertEqual({variant.kind for variant in VARIANTS}, set(kinds.load()))

    def test_ports(self):
        self.assertEqual(kinds.load()["mesh"].ports_of({"NUM_LOCAL": 4, "NUM_IO": 2}), 10)
        self.assertEqual(kinds.load()["fred"].ports_of({"P": 12, "M": 2}), 12)
        self.assertEqual(kinds.load()["fred"].module({"P": 12, "M": 2}), "fred_switch:P=12,M=2")


unittest.main()
