# SPDX-License-Identifier: Apache-2.0
"""Measures what the paper asserts and does not measure, and prints Markdown tables.

Each question is a function of a module beside this. Every number comes out of a run of fredsim or tb_rounding; these commands go to
standard error, the tables to standard output. Times are simulated and the same on every machine, only the memory is the machine's.

Exit code 1 when a command fails, when a table has no rows or an empty cell, when the implementations of the switches differ in a cycle, or when
memory grows with the size of a collective.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import checkout
from ..runs import Runs
from . import collectives, experts, faults, inference, links, memory, preemption, rounding
from .points import Points
from .study import Study

QUESTIONS: dict[str, Callable[[Study], None]] = {
    "latency": collectives.latency,
    "buffers": collectives.buffers,
    "serial": collectives.serial,
    "preemption": preemption.measure,
    "rounding": rounding.measure,
    "memory": memory.measure,
    "links": links.measure,
    "faults": faults.measure,
    "inference": inference.measure,
    "experts": experts.measure,
}


PAGES = ("inference", "experts")  # docs/studies has a page of this name, with a place for each table


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/study.sh", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=f"{', '.join(QUESTIONS)} (default: all)")
    parser.add_argument("--smoke", action="store_true", help="few and small sizes, for tests")
    parser.add_argument("--write", action="store_true", help="puts the tables of `inference` and `experts` into their pages, too")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="pictures of `links` and `faults` there, as PNG and SVG")
    parser.add_argument("--results", type=Path, metavar="FOLDER", default=Path("build/studies/paper"),
                        help="of the points, as fredsim sweep keeps them: those that are there are not run again (default: build/studies/paper)")  # fmt: skip
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--rounding", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    unknown = [name for name in options.questions if name not in QUESTIONS]
    if unknown:
        parser.error(f"question '{unknown[0]}' found, allowed: {', '.join(QUESTIONS)}")
    checkout.enter()
    programs = checkout.programs({"fredsim": options.program, "tb_rounding": options.rounding}, "study.sh",
                                 ["python3-matplotlib"] if options.plot else [])  # fmt: skip
    runs = Runs("study.sh", programs["fredsim"])
    study = Study(runs, Points(runs, options.results), programs["tb_rounding"], options.smoke, options.plot)
    for name in options.questions or QUESTIONS:
        print(f"### {name}\n")
        study.page = Path(f"docs/studies/{name}.md") if options.write and name in PAGES else None
        QUESTIONS[name](study)
    return 0
