# SPDX-License-Identifier: Apache-2.0
"""one_definition_test.py: types of one name in one program are found, and no others."""

import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.one_definition import clashes  # noqa: E402

TASK = "namespace fredsim {\nstruct Task {\n};\n}  // namespace fredsim\n"


class Clashes(unittest.TestCase):
    def test_two_of_a_name(self):
        for other in ("class Task {", "class Task final : public Work {", "template <typename T> struct Task {", "enum class Task : int {"):
            with self.subTest(other=other):
                text = TASK.replace("struct Task {", other)
                self.assertEqual(clashes({"sc_models/a/a.h": TASK, "tests/b/b.cpp": text}),
                                 ["tests/b/b.cpp:2: found a second fredsim::Task; allowed: one, that of sc_models/a/a.h:2"])  # fmt: skip

    def test_what_is_no_second_one(self):
        for other in ("struct Task;", "  struct Task {", "struct Tasks {", "struct Graph::Task {"):
            with self.subTest(other=other):
                self.assertEqual(clashes({"sc_models/a/a.h": TASK, "sc_models/b/b.h": TASK.replace("struct Task {", other)}), [])
        for namespace in ("namespace tb {", "namespace {", "namespace fredsim::inner {"):
            with self.subTest(namespace=namespace):
                self.assertEqual(clashes({"sc_models/a/a.h": TASK, "sc_models/b/b.h": TASK.replace("namespace fredsim {", namespace)}), [])

    def test_programs_of_their_own(self):
        self.assertEqual(clashes({"testbenches/a/a.h": TASK, "tests/b/b.h": TASK}), [])
        self.assertEqual(len(clashes({"tests/b/a.h": TASK, "tests/b/b.h": TASK})), 1)
        self.assertEqual(len(clashes({"tests/support/a.h": TASK, "tests/b/b.h": TASK})), 1)


if __name__ == "__main__":
    unittest.main()
