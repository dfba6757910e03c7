# SPDX-License-Identifier: Apache-2.0
"""Processor time of tests, each in a process of its own as ctest runs it: `python3 -m fredsim_tools.test_times FOLDER [-L LABEL]`.

It prints what the tests of each label (tests/labels.cmake) take together, and the longest ones. Time that a test's children take counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def tests_of(build: Path, label: str) -> list[dict[str, Any]]:
    """Tests as ctest lists them; tests that are not built have no command."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1", *(["-L", f"^{label}$"] if label else [])], check=True,
                           capture_output=True, text=True).stdout  # fmt: skip
    return [test for test in json.loads(shown[shown.index("{") :])["tests"] if "command" in test]


def properties(test: dict[str, Any]) -> dict[str, Any]:
    return {entry["name"]: entry["value"] for entry in test.get("properties", [])}


def seconds_of(test: dict[str, Any]) -> float:
    """User and system time."""
    given = properties(test)
    environment = dict(pair.split("=", 1) for pair in given.get("ENVIRONMENT", []))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(test["command"], cwd=given.get("WORKING_DIRECTORY"), env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="fredsim_tools.test_times", description="Processor time of tests.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="build folder")
    parser.add_argument("-L", "--label", default="", help="unit, system, rtl or slow (default: all)")
    parser.add_argument("--longest", metavar="N", type=int, default=20, help="tests to name (default: 20)")
    options = parser.parse_args(words)
    labels: dict[str, list[float]] = defaultdict(list)
    times: list[tuple[float, str]] = []
    for test in tests_of(options.folder, options.label):
        seconds = seconds_of(test)
        labels["; ".join(properties(test).get("LABELS", []))].append(seconds)
        times.append((seconds, test["name"]))
    for label, taken in sorted(labels.items()):
        print(f"{label}: {len(taken)} tests, {sum(taken):.1f} s of processor time")
    for seconds, name in sorted(times, reverse=True)[: options.longest]:
        print(f"{seconds:8.2f} s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
