# SPDX-License-Identifier: Apache-2.0
"""mutate_test.py FOLDER. scripts/fredsim_tools/mutate: sites of RTL and C++, one text with all mutants, a campaign that is stopped and goes on.

Verilator and g++ build a module and a function with all of their mutants; each process is the mutant that its environment names.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fredsim_tools.mutate import campaign, command, concerns, cpp, plan, schemata, survivors, verilog  # noqa: E402
from fredsim_tools.mutate.tree import Tree  # noqa: E402

os.chdir(sys.argv.pop())
RTL = """// SPDX-License-Identifier: Apache-2.0
module saturating #(
  parameter int unsigned MOST = 3
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       up_i,
  output logic [2:0] count_o
);
  localparam int unsigned UNUSED = MOST + 1;
  logic more;
  assign more = up_i && count_o < 3'(MOST);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_o <= '0;
    else if (more) count_o <= count_o + 3'd1;
  end
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) in_range: assert (count_o <= 3'(MOST));
  end
endmodule
"""
BENCH = """#include <Vsaturating.h>
int main() {
  Vsaturating m;
  const auto edge = [&] { m.clk_i = 0; m.eval(); m.clk_i = 1; m.eval(); };
  m.rst_ni = 0; m.up_i = 1; edge(); edge();
  if (m.count_o != 0) return 1;
  m.rst_ni = 1; m.up_i = 0; edge();
  if (m.count_o != 0) return 1;
  m.up_i = 1;
  for (int i = 1; i < 6; ++i) { edge(); if (m.count_o != (i < 3 ? i : 3)) return 1; }
  m.rst_ni = 0; edge();
  return m.count_o != 0;
}
"""
CPP = """// SPDX-License-Identifier: Apache-2.0
constexpr int kMost = 3;
int total = 0;
int steps(int n, bool fast) {
  // a > b in a comment
  if (n > kMost && !fast) return kMost;
  for (int i = 0; i < n; ++i) {
    total += 1;
    if (total == 100) break;
  }
  return n - 1;
}
"""
CPP_MAIN = """
int main() {
  if (steps(5, false) != 3 || total != 0) return 1;
  if (steps(5, true) != 4 || total != 5) return 1;
  return steps(3, false) != 2 || total != 8;
}
"""


def survivors_of(program: list[str], count: int) -> list[int]:
    """Numbers of the mutants whose program ends with 0, or goes on for too long."""
    alive = []
    for number in range(1, count + 1):
        if subprocess.run(program, env={**os.environ, schemata.VARIABLE: str(number)}, timeout=30).returncode == 0:
            alive.append(number)
    return alive


class Sites(unittest.TestCase):
    def test_rtl(self) -> None:
        changes = {(site.original, site.mutated) for site in verilog.sites(RTL)}
        for change in (("up_i && count_o < 3'(MOST)", "up_i || count_o < 3'(MOST)"), ("up_i && count_o < 3'(MOST)", "up_i && count_o <= 3'(MOST)"),
                       ("'0", "'1"), ("more", "1'b0"), ("!rst_ni", "rst_ni"), ("count_o + 3'd1", "count_o - 3'd1"), ("count_o + 3'd1", "count_o")):
            self.assertIn(change, changes)
        # Nothing that is elaborated, and no assertion.
        self.assertFalse([change for change in changes if "MOST + 1" in change[0] or "<= 3'(MOST)" in change[0]])

    def test_cpp(self) -> None:
        changes = {(site.original, site.mutated) for site in cpp.sites(CPP)}
        for change in (("n > kMost && !fast", "n >= kMost && !fast"), ("n > kMost && !fast", "n > kMost && fast"), ("i < n", "i <= n"), ("1", "0"),
                       ("total == 100", "total == 101"), ("n - 1", "n + 1"), ("n > kMost && !fast", "true")):
            self.assertIn(change, changes)
        self.assertFalse([change for change in changes if "a > b" in change[0] or change[0] == "3"])

    def test_lines_stay(self) -> None:
        for file, text in (("a.sv", RTL), ("a.cpp", CPP)):
            chosen = plan.chosen(file, text, 1000, 1)
            made = schemata.instrumented(file, text, list(enumerate(chosen, 1)))
            self.assertEqual(made.count("\n"), text.count("\n"))
            for mutant in chosen:
                self.assertIn(mutant.site.mutated, made.split("\n")[mutant.site.line - 1])

    def test_choice(self) -> None:
        some = [one.key for one in plan.chosen("a.sv", RTL, 6, 7)]
        self.assertEqual(some, [one.key for one in plan.chosen("a.sv", RTL, 6, 7)])
        self.assertEqual(some[:3], [one.key for one in plan.chosen("a.sv", RTL, 3, 7)])
        self.assertNotEqual(some, [one.key for one in plan.chosen("a.sv", RTL, 6, 8)])
        self.assertNotIn(some[0], [one.key for one in plan.chosen("a.sv", RTL, 6, 7, {some[0]})])
        # Numbers stay when sites are added.
        numbers = command._numbers(Path("numbers.json"), plan.chosen("a.sv", RTL, 3, 7))
        more = command._numbers(Path("numbers.json"), plan.chosen("a.sv", RTL, 6, 7)[::-1])
        self.assertEqual([number for number, _ in numbers], [1, 2, 3])
        self.assertEqual([(number, mutant.key) for number, mutant in more if number < 4][::-1], [(number, mutant.key) for number, mutant in numbers])
        self.assertEqual(sorted(number for number, _ in more), [1, 2, 3, 4, 5, 6])
        self.assertGreaterEqual(len({one.site.operator for one in plan.chosen("a.sv", RTL, 5, 7)}), 5)


class Built(unittest.TestCase):
    """All mutants in one build."""

    def test_rtl(self) -> None:
        chosen = plan.chosen("saturating.sv", RTL, 1000, 1)
        Path("rtl").mkdir()
        Path("rtl/saturating.sv").write_text(schemata.with_package(schemata.instrumented("saturating.sv", RTL, list(enumerate(chosen, 1)))))
        Path("rtl/bench.cpp").write_text(BENCH)
        subprocess.run(["verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-CFLAGS", "-O0", "--top-module", "saturating", "saturating.sv", "bench.cpp"],
                       cwd="rtl", check=True, capture_output=True)  # fmt: skip
        program = ["rtl/obj_dir/Vsaturating"]
        self.assertEqual(subprocess.run(program).returncode, 0)
        alive = [chosen[number - 1].site for number in survivors_of(program, len(chosen))]
        self.assertGreaterEqual(len(chosen), 12)
        self.assertEqual([site.mutated for site in alive], [])

    def test_cpp(self) -> None:
        chosen = plan.chosen("steps.cpp", CPP, 1000, 1)
        Path("cpp/base").mkdir(parents=True)
        Path("cpp/base/mutant_id.h").write_text(schemata.HEADER)
        Path("cpp/steps.cpp").write_text(schemata.instrumented("steps.cpp", CPP, list(enumerate(chosen, 1))) + CPP_MAIN)
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Werror", "-Icpp", "-o", "cpp/steps", "cpp/steps.cpp"], check=True)
        self.assertEqual(subprocess.run(["cpp/steps"]).returncode, 0)
        alive = {chosen[number - 1].site.mutated for number in survivors_of(["cpp/steps"], len(chosen))}
        # Nothing here counts to 100.
        self.assertLessEqual(alive, {"total == 101", "false", "total != 100", "true", "!(total == 100)"})
        self.assertIn("total == 101", alive)

    def test_blame(self) -> None:
        tree = Tree(Path("checkout"), Path("folder"))
        for place in (tree.root / "rtl", Path("checkout/rtl")):
            place.mkdir(parents=True)
            (place / "saturating.sv").write_text(RTL)
        tree.root = tree.root.resolve()
        numbered = list(enumerate(plan.chosen("rtl/saturating.sv", RTL, 1000, 1), 1))
        line = 1 + RTL[: RTL.index("assign more")].count("\n")
        for said in (f"%Error: rtl/saturating.sv:{line}:3: no such thing", f"%Error-WIDTH: saturating.sv:{line}:3: no such thing",
                     f"{tree.root}/rtl/saturating.sv:{line}:3: error: no such thing"):
            blamed = tree.blamed(said, numbered)
            self.assertTrue(blamed)
            self.assertTrue(all("up_i" in key for key in blamed))
        self.assertEqual(tree.blamed(f"%Warning: rtl/saturating.sv:{line}:3: odd", numbered), set())


class Campaign(unittest.TestCase):
    """Tests are scripts here."""

    def setUp(self) -> None:
        Path("bin").mkdir(exist_ok=True)
        for name, text in (("fails_for_1", 'test "$FREDSIM_MUTANT" != 1'), ("hangs_for_2", 'if test "$FREDSIM_MUTANT" = 2; then while :; do :; done; fi'),
                           ("passes", "exit 0"), ("aborts_for_3", 'if test "$FREDSIM_MUTANT" = 3; then kill -ABRT $$; fi')):  # fmt: skip
            Path("bin", name).write_text(f"#!/bin/sh\n{text}\n")
            Path("bin", name).chmod(0o755)
        self.tests = (("passes",), ("fails_for_1",), ("hangs_for_2",), ("aborts_for_3",))
        self.mutants = plan.chosen("a.sv", RTL, 5, 1)
        for patched in (mock.patch.object(campaign, "tests_of", lambda file: self.tests), mock.patch.object(campaign, "EXTRA_SECONDS", 1)):
            patched.start()
            self.addCleanup(patched.stop)

    def outcomes(self, todo: list[int], file: str) -> campaign.Results:
        results = campaign.Results(Path(file))
        seconds, failing = campaign.baseline(self.tests, Path("bin").resolve(), Path.cwd(), 1)
        self.assertEqual(failing, [])
        numbered = [(number, self.mutants[number - 1]) for number in todo if self.mutants[number - 1].key not in results.by_key]
        campaign.run_all(numbered, Path("bin").resolve(), Path.cwd(), seconds, results, 1, lambda text: None)
        return results

    def test_kills_and_resumes(self) -> None:
        self.outcomes([1, 4], "results.jsonl")
        self.assertEqual(len(Path("results.jsonl").read_text().splitlines()), 2)
        results = self.outcomes([1, 2, 3, 4], "results.jsonl")
        self.assertEqual(len(Path("results.jsonl").read_text().splitlines()), 4)  # completed mutants are not run again
        found = {number: (results.by_key[self.mutants[number - 1].key].killer, results.by_key[self.mutants[number - 1].key].how) for number in (1, 2, 3, 4)}
        self.assertEqual(found, {1: ("fails_for_1", "exit code 1"), 2: ("hangs_for_2", "time"), 3: ("aborts_for_3", "signal 6"), 4: ("", "")})
        self.assertEqual(campaign.Results(Path("results.jsonl")).by_key, results.by_key)

    def test_a_test_that_fails_without_a_mutant_is_told(self) -> None:
        Path("bin", "broken").write_text("#!/bin/sh\nexit 3\n")
        Path("bin", "broken").chmod(0o755)
        self.assertEqual(campaign.baseline([("broken",)], Path("bin").resolve(), Path.cwd(), 1)[1], ["broken: exit code 3"])


class Checkout(unittest.TestCase):
    """Sources of this checkout."""

    def test_every_module_has_tests(self) -> None:
        listed = concerns.files(command.CHECKOUT)
        modules = {str(path.relative_to(command.CHECKOUT)) for path in command.CHECKOUT.glob("rtl/*/*.sv") if not path.name.endswith("_pkg.sv")}
        self.assertEqual(modules - set(listed), set())
        self.assertTrue(any(file.startswith("sc_models/links/") for file in listed))

    def test_known_survivors(self) -> None:
        file = command.CHECKOUT / survivors.FILE
        rows = json.loads(file.read_text())
        self.assertEqual(len(survivors.read(command.CHECKOUT)), len(rows))
        for row in rows:
            self.assertTrue(row["reason"], row)
            self.assertTrue((command.CHECKOUT / row["file"]).exists(), row["file"])


if __name__ == "__main__":
    unittest.main()
