# SPDX-License-Identifier: Apache-2.0
"""libraries_test.py: docs/reference/libraries.md is what the headers say, and has every header that an installation has."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import libraries  # noqa: E402

PAGE = (CHECKOUT / "docs/reference/libraries.md").read_text(encoding="utf-8")
HEADER = """// SPDX-License-Identifier: Apache-2.0
// Loads of links. More of it:
//   a list
#pragma once

namespace fredsim {

class Unknown;
class Load final : public Base {
  int member(int value);
};
enum class Kind : std::uint8_t { kOne };
struct Row {
};
inline constexpr int kMax = 4;
using Rows = std::vector<Row>;
std::vector<Row> rows_of(const Load& load);
Load& operator+=(Load& load, const Row& row);

}  // namespace fredsim
"""


class Libraries(unittest.TestCase):
    maxDiff = 2000

    def test_is_that_of_the_sources(self):
        self.assertEqual(PAGE, libraries.page(CHECKOUT / "sc_models"), "stale; renew it: scripts/reference.sh")

    def test_has_every_installed_header(self):
        sources = CHECKOUT / "sc_models"
        there = sorted(name for file in sources.rglob("*.h") if "detail" not in file.parts and not (name := file.relative_to(sources).as_posix()).startswith("cli/"))
        listed = re.findall(r"^\| `([\w/]+\.h)` \|", PAGE, re.M)
        self.assertEqual(there, sorted(name for name in listed if not name.startswith("cli/")))
        self.assertIn("cli/program_options.h", listed)

    def test_names_what_a_header_declares(self):
        self.assertEqual(["Load", "Kind", "Row", "kMax", "Rows", "rows_of"], libraries.declared(HEADER.splitlines()))

    def test_takes_the_first_sentence(self):
        self.assertEqual("Loads of links", libraries.first_sentence(libraries.contract(HEADER.splitlines())))

    def test_leaves_out_private_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("plan/plan.h", "plan/detail/walk.h", "plan/chain/chain.h"):
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(HEADER, encoding="utf-8")
            found = [file.name for file in libraries.headers(Path(folder) / "plan")]
        self.assertEqual(["chain.h", "plan.h"], found)


unittest.main()
