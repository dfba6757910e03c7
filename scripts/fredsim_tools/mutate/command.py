# SPDX-License-Identifier: Apache-2.0
"""Mutants of every RTL module and of every twin, and whether the tests that concern each find them.

Builds a copy of the checkout in FOLDER with all mutants in it, once; a process is one of them by its environment. Outcomes are kept in FOLDER/results.jsonl:
a second call goes on where the first one was stopped, and runs only mutants that are new. Exit code 1: fewer than 95 % are killed, or a survivor has no
reason in tests/mutate/survivors.json.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..checkout import CHECKOUT, prepare
from . import campaign, concerns, plan, schemata, survivors
from .site import Mutant
from .tree import ROUNDS, BuildError, Tree

LEAST = 95  # percent of mutants killed, without equivalent ones
EXAMPLE = """example:
  nice -n 10 scripts/mutate.sh                  # all; goes on where it was stopped
  scripts/mutate.sh --only rtl/common/fp_add.sv --rtl 40
  scripts/mutate.sh --again                     # survivors once more, with tests that are new
"""


@dataclass
class Tally:
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0

    def percent(self) -> float:
        """Share of killed mutants, without equivalent ones."""
        return 100 * self.killed / max(1, self.mutants - self.equivalent)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(words: Sequence[str]) -> int:
    options = _options(words)
    folder = Path(options.folder).resolve() if options.folder else CHECKOUT / "build" / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    files = [file for file in concerns.files(CHECKOUT) if not options.only or any(Path(file).match(pattern) for pattern in options.only)]
    if not files:
        say(f"mutate.sh: --only: found {' '.join(options.only)}; allowed: patterns of files that have mutants (--list)")
        return 2
    left_out = folder / "not_compiled.json"
    chosen = plan.all_chosen(CHECKOUT, files, options.rtl, options.twins, options.seed, json.loads(left_out.read_text()) if left_out.exists() else [])
    if options.list:
        for mutant in chosen:
            print(f"{mutant.file}:{mutant.site.line}: {mutant.site.operator}: {mutant.site.original} => {mutant.site.mutated}")
        return 0

    tree = Tree(CHECKOUT, folder)
    tests = sorted({test for file in files for test in concerns.tests_of(file)})
    try:
        numbered = _built(tree, _numbers(folder / "numbers.json", chosen), concerns.programs(tests), left_out, options.jobs)
    except BuildError as error:
        say(f"mutate.sh: {error}")
        return 1
    if options.build:
        return 0
    results = campaign.Results(folder / "results.jsonl")
    todo = _in_turn([one for one in numbered if _is_open(results, one[1], options.again)])
    if todo:
        started = time.monotonic()
        needed = sorted({test for _, mutant in todo for test in concerns.tests_of(mutant.file)})
        say(f"{len(needed)} tests without a mutant")
        seconds, failing = campaign.baseline(needed, tree.build, tree.root, options.jobs)
        if failing:
            say(f"mutate.sh: fails without a mutant: {'; '.join(failing)}")
            return 1
        for test, spent in seconds.items():
            say(f"{spent:7.1f} s  {' '.join(test)}")
        campaign.run_all(todo, tree.build, tree.root, seconds, results, options.jobs, say)
        say(f"{len(todo)} mutants in {time.monotonic() - started:.0f} s")
    return _report([mutant for _, mutant in numbered], results)


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/mutate.sh", description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[], help="files with mutants: rtl/mesh/*, adder_pool.cpp; may be repeated")
    parser.add_argument("--rtl", metavar="N", type=int, default=4, help="mutants of an RTL module (default %(default)s)")
    parser.add_argument("--twins", metavar="N", type=int, default=8, help="mutants of a file of a twin (default %(default)s)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="which ones are chosen (default %(default)s)")
    parser.add_argument("--again", action="store_true", help="run survivors without a reason once more")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("--build", action="store_true", help="build the copy, run nothing")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="jobs of the build and tests at a time (default: processors)")
    parser.add_argument("--folder", metavar="FOLDER", help="copy of the checkout and results (default build/mutants)")
    return parser.parse_args(words)


def _in_turn(numbered: Sequence[tuple[int, Mutant]]) -> list[tuple[int, Mutant]]:
    """One of every file, then another one of every file: stopped at any time, all files had as many."""
    seen: dict[str, int] = {}
    turns = []
    for one in numbered:
        seen[one[1].file] = seen.get(one[1].file, 0) + 1
        turns.append((seen[one[1].file], one))
    return [one for _, one in sorted(turns, key=lambda pair: pair[0])]


def _is_open(results: campaign.Results, mutant: Mutant, again: bool) -> bool:
    outcome = results.by_key.get(mutant.key)
    return outcome is None or (again and not outcome.killer)


def _numbers(file: Path, chosen: Sequence[Mutant]) -> list[tuple[int, Mutant]]:
    """Numbers of the mutants, unchanged from an earlier call: a source that has not changed is not built again."""
    numbers: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    for mutant in chosen:
        numbers.setdefault(mutant.key, len(numbers) + 1)
    file.write_text(json.dumps(numbers, indent=1))
    return [(numbers[mutant.key], mutant) for mutant in chosen]


def _built(tree: Tree, numbered: list[tuple[int, Mutant]], programs: Sequence[str], left_out: Path, jobs: int) -> list[tuple[int, Mutant]]:
    """Builds the copy; the mutants that compile, with their numbers. Notes the keys of all other mutants."""
    prepare("mutate.sh", ["BUILD_PACKAGES", "TEST_BUILD_PACKAGES"])
    said = ""
    for turn in range(ROUNDS):
        tree.write(numbered)
        if not (tree.build / "build.ninja").exists():
            tree.configure()
        say(f"building {len(numbered)} mutants")
        said = tree.lint() if turn == 0 and any(schemata.is_rtl(one.file) for _, one in numbered) else ""
        wrong = tree.blamed(said, numbered)
        if not wrong:
            built, said = tree.make(programs, jobs)
            if built:
                return numbered
            wrong = tree.blamed(said, numbered)
        if not wrong:
            break
        for key in sorted(wrong):
            say(f"does not compile: {key}")
        known = json.loads(left_out.read_text()) if left_out.exists() else []
        left_out.write_text(json.dumps(sorted({*known, *wrong}), indent=1))
        numbered = [one for one in numbered if one[1].key not in wrong]
    raise BuildError(f"the copy does not build:\n{said[-6000:]}")


def _report(mutants: Sequence[Mutant], results: campaign.Results) -> int:
    known = survivors.read(CHECKOUT)
    rows: dict[str, Tally] = {}
    open_ones = []
    for mutant in mutants:
        if mutant.key not in results.by_key:
            continue
        killed = bool(results.by_key[mutant.key].killer)
        row = known.get(mutant.key)
        for name in (str(Path(mutant.file).parent), "RTL" if schemata.is_rtl(mutant.file) else "twins", "all"):
            tally = rows.setdefault(name, Tally())
            tally.mutants += 1
            tally.killed += killed
            tally.equivalent += not killed and row is not None and row.equivalent
        if not killed and row is None:
            open_ones.append(mutant)
        elif killed and row is not None:
            say(f"killed, though {survivors.FILE} lists it: {mutant.key}")
    print("| folder | mutants | killed | equivalent | killed of the others |\n|---|---|---|---|---|")
    totals = ("RTL", "twins", "all")
    for name in [*sorted(row for row in rows if row not in totals), *(row for row in totals if row in rows)]:
        tally = rows[name]
        print(f"| {name} | {tally.mutants} | {tally.killed} | {tally.equivalent} | {tally.percent():.1f} % |")
    if open_ones:
        print(f"\nSurvivors without a reason in {survivors.FILE}:\n{survivors.as_rows(open_ones)}")
    return 1 if open_ones or rows["all"].percent() < LEAST else 0
