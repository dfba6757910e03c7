# SPDX-License-Identifier: Apache-2.0
"""tables_test.py FOLDER: tables that are put into pages; places for all tables of the studies that are written into theirs."""

import re
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.study.command import PAGES  # noqa: E402
from fredsim_tools.tables import lines_of, put_into  # noqa: E402

FOLDER = Path(sys.argv.pop())


class Tables(unittest.TestCase):
    def test_replaces_the_table_behind_its_mark_alone(self):
        page = FOLDER / "page.md"
        one, other = lines_of(["a", "b"], [[1, None], [2, 3]], "---"), lines_of(["c"], [[4]], "---")
        self.assertEqual(one, ["| a | b |", "|---|---|", "| 1 | – |", "| 2 | 3 |"])
        text = "before\n\n<!-- table one -->\n\n{}\n\nbetween\n\n<!-- table two -->\n\n{}\n\nbehind\n"
        page.write_text(text.format("| x |\n|---|\n| y |", "\n".join(other)))
        self.assertTrue(put_into(page, "one", one))
        self.assertEqual(page.read_text(), text.format("\n".join(one), "\n".join(other)))
        self.assertTrue(put_into(page, "two", one))
        self.assertEqual(page.read_text(), text.format("\n".join(one), "\n".join(one)))
        before = page.read_text()
        self.assertFalse(put_into(page, "three", one))
        self.assertEqual(page.read_text(), before)

    def test_pages_have_a_place_for_each_table(self):
        for page in PAGES:
            lines = (CHECKOUT / f"docs/studies/{page}.md").read_text().splitlines()
            marks = [i for i, line in enumerate(lines) if re.fullmatch("<!-- table [a-z ]+ -->", line)]
            self.assertGreater(len(marks), 3)
            for i in marks:
                self.assertEqual(lines[i + 1], "", page)
                self.assertTrue(lines[i + 2].startswith("| "), f"{page}: {lines[i]}")


if __name__ == "__main__":
    unittest.main()
