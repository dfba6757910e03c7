# SPDX-License-Identifier: Apache-2.0
"""study_points_test.py PROGRAM: the studies that scripts/study.sh makes of its commands, and their points, which are not run again."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.runs import Runs  # noqa: E402
from fredsim_tools.study import points  # noqa: E402

PROGRAM = sys.argv.pop()
MESH, FRED = "configs/mesh_2x2.yaml", "configs/fred_2x2.yaml"


class Texts(unittest.TestCase):
    def test_machines_options_and_settings(self):
        self.assertEqual(points.study_of("compare", [MESH, FRED, "--size", "4KiB", "--set", "switch.vc_order=[mp, pp, dp, control]", "--group", "0,1"]),
                         f'machines: ["{MESH}", "{FRED}"]\nsettings:\n  "switch.vc_order": [[mp, pp, dp, control]]\nrun:\n  "size": ["4KiB"]\n  "group": ["0,1"]\n')  # fmt: skip

    def test_sizes(self):
        self.assertIn('"size": ["1", "512"]', points.study_of("run", [MESH, "-b", "1", "-e", "4KiB", "-f", "512"]))
        self.assertIn('"size": ["1048576", "2097152"]', points.study_of("run", [MESH, "-b", "1MiB", "-e", "3MiB", "-f", "2"]))

    def test_an_option_has_a_value(self):
        with self.assertRaisesRegex(ValueError, "--sp"):
            points.study_of("train", [MESH, "--sp"])


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.points = points.Points(Runs("study.sh", PROGRAM, io.StringIO()), self.folder / "results")

    def test_runs_by_machine_then_by_size_and_each_point_once(self):
        arguments = ("compare", MESH, FRED, "-b", "1KiB", "-e", "4KiB", "-f", "4")
        found = self.points.run(*arguments)
        self.assertEqual([(run["fabric"], run["size_bytes"]) for run in found], [("mesh_2x2", 1024), ("mesh_2x2", 4096), ("fred_2x2", 1024), ("fred_2x2", 4096)])
        written = {file: file.stat().st_mtime_ns for file in (self.folder / "results" / "points").iterdir()}
        self.points.run("run", MESH, "--size", "64")
        self.assertEqual(self.points.run(*arguments), found)
        self.assertEqual({file: file.stat().st_mtime_ns for file in written}, written)

    def test_what_is_refused_and_what_fails(self):
        lists = {"faults": ["[]", '["link:none"]']}
        whole, refused = self.points.of(points.study_text("run", [MESH], lists, {"size": ["64"]}))
        self.assertEqual((whole[0]["payload"], refused), ("exact", None))
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaisesRegex(SystemExit, "time-out after 5 cycles"):
            self.points.of(points.study_text("run", [MESH], {}, {"size": ["64"], "timeout-cycles": ["5"]}))
        with self.assertRaisesRegex(SystemExit, "exit code 2"):
            self.points.of(points.study_text("run", ["configs/none.yaml"], {}, {}))


unittest.main()
