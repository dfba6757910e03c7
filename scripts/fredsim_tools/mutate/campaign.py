# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of each mutant, and keeps what became of it in a file to which a second call adds.

A test kills a mutant when it fails, is stopped by a signal, or takes more processor time than it may: five times what it takes without a mutant, and
ten seconds. A mutant that no test kills has survived.
"""

import json
import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from . import schemata
from .concerns import Test, tests_of
from .site import Mutant

MEMORY = 8 << 30  # bytes of address space that a test may have
FREE_SECONDS = 600  # processor time without a mutant
EXTRA_SECONDS, TIMES = 10, 5  # more than that by a mutant is a hang
WALL_TIMES = 20  # waiting for nothing takes no processor time


@dataclass(frozen=True)
class Outcome:
    """killer: the test's words; empty: it survived. how: exit code, signal, or time."""

    key: str
    killer: str
    how: str
    seconds: float


class Results:
    """A line of JSON per outcome; the last one of a key counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.by_key: dict[str, Outcome] = {}
        if file.exists():
            for line in file.read_text().splitlines():
                outcome = Outcome(**json.loads(line))
                self.by_key[outcome.key] = outcome

    def add(self, outcome: Outcome) -> None:
        self.by_key[outcome.key] = outcome
        with self.file.open("a") as stream:
            stream.write(json.dumps(asdict(outcome)) + "\n")


@dataclass(frozen=True)
class Ran:
    how: str  # empty: it passed
    seconds: float  # processor time


def run(test: Test, build: Path, tree: Path, number: int, limit: float) -> Ran:
    def limits() -> None:
        seconds = int(limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {**os.environ, schemata.VARIABLE: str(number), "GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1"}
    with subprocess.Popen([str(build / test[0]), *test[1:]], cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, preexec_fn=limits) as process:  # fmt: skip
        deadline = time.monotonic() + WALL_TIMES * limit
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode == 0:
        return Ran("", seconds)
    if process.returncode < 0:
        return Ran("time" if seconds >= limit else f"signal {-process.returncode}", seconds)
    return Ran(f"exit code {process.returncode}", seconds)


def baseline(tests: Sequence[Test], build: Path, tree: Path, jobs: int) -> tuple[dict[Test, float], list[str]]:
    """Processor time of each test without a mutant; and the tests that fail."""
    with ThreadPoolExecutor(jobs) as pool:
        ran = list(pool.map(lambda test: run(test, build, tree, 0, FREE_SECONDS), tests))
    failing = [f"{' '.join(test)}: {one.how}" for test, one in zip(tests, ran, strict=True) if one.how]
    return {test: one.seconds for test, one in zip(tests, ran, strict=True)}, failing


def outcome(mutant: Mutant, number: int, build: Path, tree: Path, seconds: dict[Test, float]) -> Outcome:
    spent = 0.0
    for test in tests_of(mutant.file):
        ran = run(test, build, tree, number, TIMES * seconds[test] + EXTRA_SECONDS)
        spent += ran.seconds
        if ran.how:
            return Outcome(mutant.key, " ".join(test), ran.how, round(spent, 2))
    return Outcome(mutant.key, "", "", round(spent, 2))


def run_all(todo: Sequence[tuple[int, Mutant]], build: Path, tree: Path, seconds: dict[Test, float], results: Results, jobs: int,
            say: Callable[[str], None]) -> None:  # fmt: skip
    """Adds an outcome per mutant. After an interruption completed outcomes stay."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures = [pool.submit(outcome, mutant, number, build, tree, seconds) for number, mutant in todo]
            for done, future in enumerate(futures, 1):
                one = future.result()
                results.add(one)
                say(f"{done}/{len(todo)} {one.killer and 'killed' or 'SURVIVED'} {one.seconds:6.1f} s  {one.key}  {one.killer} {one.how}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
