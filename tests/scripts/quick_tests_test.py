# SPDX-License-Identifier: Apache-2.0
"""quick_tests_test.py: the tests that a change concerns, by made-up targets."""

import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import quick_tests  # noqa: E402
from fredsim_tools.quick_tests import Target  # noqa: E402

TARGETS = {
    "b": Target("fredsim_base", "sc_models/base", False, {"sc_models/base/random.cpp"}, set()),
    "p": Target("fredsim_plan", "sc_models/plan", False, {"sc_models/plan/plan.cpp"}, {"b"}),
    "e": Target("fredsim_engine", "sc_models/engine", False, set(), {"p"}),
    "test_b": Target("test_base", "tests/base", True, {"tests/base/random_test.cpp"}, {"b"}),
    "test_p": Target("test_plan", "tests/plan", True, {"tests/plan/plan_test.cpp", "tests/support/sample.cpp"}, {"p"}),
    "test_e": Target("test_engine", "tests/engine", True, {"tests/engine/run_test.cpp"}, {"e"}),
}
TESTS = [{"name": "scripts.tables", "command": ["python3", "-B", "/x/tests/scripts/tables_test.py"]}, {"name": "plan.A.B", "command": ["test_plan"]}]
UNIT = {"base", "plan"}


class Plans(unittest.TestCase):
    def plan(self, *files):
        plan = quick_tests.plan_of(files, TARGETS, TESTS, UNIT)
        return plan.dev, plan.rtl, plan.tests

    def test_a_library_concerns_its_suite_and_units_of_what_uses_it(self):
        self.assertEqual(self.plan("sc_models/base/random.h"), ({"base", "plan"}, set(), set()))
        self.assertEqual(self.plan("sc_models/plan/deep/below/x.h"), ({"plan"}, set(), set()))

    def test_suites_of_a_folder_count_whatever_their_label(self):
        self.assertEqual(self.plan("sc_models/engine/run.cpp"), ({"engine"}, set(), set()))

    def test_files_of_tests(self):
        self.assertEqual(self.plan("tests/plan/plan_test.cpp"), ({"plan"}, set(), set()))
        self.assertEqual(self.plan("tests/support/sample.h"), ({"plan"}, set(), set()))

    def test_scripts_and_pages(self):
        self.assertEqual(self.plan("scripts/fredsim_tools/tables.py"), (set(), set(), {"scripts.tables"}))
        self.assertEqual(self.plan("tests/scripts/tables_test.py"), (set(), set(), {"scripts.tables"}))
        self.assertEqual(self.plan("docs/index.md"), (set(), set(), {"pages.links"}))

    def test_rtl(self):
        self.assertEqual(self.plan("rtl/voq_crossbar/voq_round.sv")[1], {"voq_modules", "voq_buffer", "voq_scheduler"})
        self.assertGreater(len(self.plan("rtl/common/switch_ports.svh")[1]), 3)

    def test_nothing(self):
        self.assertEqual(self.plan(), (set(), set(), set()))
        self.assertEqual(self.plan("LICENSE"), (set(), set(), set()))


class Labels(unittest.TestCase):
    def test_units_are_read(self):
        self.assertTrue({"base", "collective"} <= quick_tests.unit_suites())


unittest.main()
