# SPDX-License-Identifier: Apache-2.0
"""The command, as a user types it, for tests that hold the package against it."""

import json
import os
import subprocess
from typing import Any

import fredsim as package

PROGRAM = os.fspath(package.program())
# Differ from run to run, or name how it was called.
OWN_KEYS = ("command", "wall_s", "sim_cycles_per_s")


def fredsim(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def results(*words: str) -> Any:
    done = fredsim(*words, "--quiet", "--json", "-")
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def message(*words: str) -> tuple[int, str]:
    """Exit code, and what it says without its name."""
    done = fredsim(*words)
    return done.returncode, done.stderr.removeprefix("fredsim: ").rstrip("\n")


def comparable(document: Any, without: tuple[str, ...] = ()) -> Any:
    """Results without the keys that differ from run to run."""
    left_out = OWN_KEYS + without
    kept = {key: value for key, value in document.items() if key not in left_out}
    if "runs" in kept:
        kept["runs"] = [{key: value for key, value in run.items() if key not in left_out} for run in document["runs"]]
    return kept
