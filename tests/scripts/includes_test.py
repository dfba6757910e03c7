# SPDX-License-Identifier: Apache-2.0
"""includes_test.py: an include that runs up and a large knot of includes are found, no other; the libraries of this checkout have none."""

import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.includes import TABLE, includes_up, knots, large_knots, libraries, libraries_of, private_includes, sources  # noqa: E402

ORDER = ["base", "plan", "runner"]


class Includes(unittest.TestCase):
    def test_checkout(self):
        order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
        texts = sources(CHECKOUT)
        # Empty lists would pass.
        self.assertIn("base", order)
        self.assertIn("sc_models/plan/plan.h", texts)
        self.assertIn("testbenches/fredsim/main.cpp", texts)
        self.assertEqual(includes_up(order, libraries_of(texts)), [])
        self.assertEqual(large_knots(libraries_of(texts)), [])
        self.assertEqual(private_includes(texts), [])

    def test_knot(self):
        ring = {f"sc_models/plan/{a}": f'#include "plan/{b}.h"\n' for a, b in (("a.cpp", "b"), ("b.h", "c"), ("c.cpp.in", "d"), ("d.cpp", "a"))}
        texts = ring | {"sc_models/plan/a.h": "", "sc_models/plan/c.h": "", "sc_models/plan/d.h": "", "sc_models/plan/e.cpp": '#include "plan/a.h"\n'}
        self.assertEqual(knots(texts), [["plan/a", "plan/b", "plan/c", "plan/d"]])
        self.assertEqual(large_knots(texts),
                         ["plan: found a knot of 4 pairs of header and source (plan/a, plan/b, plan/c, plan/d); allowed: 3"])  # fmt: skip
        self.assertEqual(knots(texts | {"sc_models/plan/d.cpp": ""}), [])

    def test_code_in_a_text_is_no_include(self):
        texts = {"sc_models/plan/a.cpp": 'text(R"x(\n#include "plan/b.h"\n)x");\n', "sc_models/plan/b.h": '#include "plan/a.h"\n', "sc_models/plan/a.h": ""}
        self.assertEqual(knots(texts), [])

    def test_each_library_has_one_row(self):
        order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
        folders = sorted(path.parent.name for path in CHECKOUT.glob("sc_models/*/CMakeLists.txt"))
        self.assertEqual(sorted(order), folders)

    def test_up(self):
        for line in ('#include "runner/work_jobs.h"', '  #  include "runner/detail/work_jobs.h"', '#include "../runner/work_jobs.h"'):
            with self.subTest(line=line):
                self.assertEqual(includes_up(ORDER, {"sc_models/plan/plan.h": f"// Plans.\n{line}\n"}),
                                 [f"sc_models/plan/plan.h:2: found 'runner' in plan; allowed: libraries above it in {TABLE} (base)"])  # fmt: skip

    def test_private(self):
        line = '#include "plan/detail/walk.h"\n'
        for name in ("sc_models/plan/walk.cpp", "sc_models/plan/detail/step.h", "sc_models/plan/chain/chain.cpp"):
            self.assertEqual(private_includes({name: line}), [])
        for name in ("sc_models/plan/plan.h", "sc_models/runner/run.cpp", "sc_models/runner/detail/run.h", "testbenches/tb_plan/tb.cpp"):
            with self.subTest(name=name):
                self.assertEqual(private_includes({name: f"// Walks.\n{line}"}),
                                 [f"{name}:2: found 'plan/detail/walk.h'; allowed: from sources and private headers of plan"])  # fmt: skip

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
