# SPDX-License-Identifier: Apache-2.0
"""includes_test.py: an include that runs up is found, no other; the libraries of this checkout have none."""

import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.includes import TABLE, includes_up, libraries, sources  # noqa: E402

ORDER = ["base", "plan", "runner"]


class Includes(unittest.TestCase):
    def test_checkout(self):
        order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
        texts = sources(CHECKOUT)
        # Empty lists would pass.
        self.assertIn("base", order)
        self.assertIn("sc_models/plan/plan.h", texts)
        self.assertEqual(includes_up(order, texts), [])

    def test_each_library_has_one_row(self):
        order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
        folders = sorted(path.parent.name for path in CHECKOUT.glob("sc_models/*/CMakeLists.txt"))
        self.assertEqual(sorted(order), folders)

    def test_up(self):
        for line in ('#include "runner/work_jobs.h"', '  #  include "runner/detail/work_jobs.h"', '#include "../runner/work_jobs.h"'):
            with self.subTest(line=line):
                self.assertEqual(includes_up(ORDER, {"sc_models/plan/plan.h": f"// Plans.\n{line}\n"}),
                                 [f"sc_models/plan/plan.h:2: found 'runner' in plan; allowed: libraries above it in {TABLE} (base)"])  # fmt: skip

    def test_down_and_own(self):
        text = '#include "base/flit.h"\n#include "plan/plan.h"\n#include "plan.h"\n#include <runner/x.h>\n// #include "runner/x.h"\n#include "fmt/x.h"\n'
        self.assertEqual(includes_up(ORDER, {"sc_models/plan/plan.cpp": text}), [])

    def test_library_without_a_row(self):
        self.assertEqual(includes_up(ORDER, {"sc_models/attic/old.h": ""}),
                         [f"sc_models/attic/old.h: found the library 'attic'; allowed: one with a row in {TABLE}"])  # fmt: skip

    def test_rows(self):
        self.assertEqual(libraries("| library | |\n|---|---|\n| `base` | words |\n| `plan` | as `base` |\n"), ["base", "plan"])


if __name__ == "__main__":
    unittest.main()
