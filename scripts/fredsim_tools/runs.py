# SPDX-License-Identifier: Apache-2.0
"""Runs of fredsim, their results as JSON, and how a script ends when one fails."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

Json = dict[str, Any]

IN_TIME = ("compute", "memory", "bubble")  # parts of an iteration; all else is exposed communication


def exposed_ns(run: Json) -> float:
    """Exposed communication of a mean NPU: it neither computes nor waits for data that is not in flight yet (bubble)."""
    return sum(ns for part, ns in run["breakdown_ns"].items() if part not in IN_TIME)


class Runs:
    """Commands of a script, which it announces before it runs them."""

    def __init__(self, script: str, program: str, announced: IO[str] = sys.stderr) -> None:
        self.script, self.program, self.announced = script, program, announced

    def fail(self, text: str) -> NoReturn:
        """Ends the program with exit code 1."""
        sys.exit(f"{self.script}: {text}")

    def execute(self, *command: str, prefix: Sequence[str] = ()) -> str:
        """Standard output; prefix: words before the command that are not announced."""
        print("==", *command, file=self.announced, flush=True)
        done = subprocess.run([*prefix, *command], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            self.fail(f"{' '.join(command)}: exit code {done.returncode}")
        return done.stdout

    def fredsim(self, *arguments: str) -> Json:
        return json.loads(self.execute(self.program, *arguments, "--quiet", "--json", "-"))

    def to_file(self, file: Path, *arguments: str) -> list[Json]:
        """The runs, which are kept in the file."""
        return self.to_file_within(0, file, *arguments) or []

    def to_file_within(self, limit: int, file: Path, *arguments: str) -> list[Json] | None:
        """Likewise; None: more than a limit in seconds of processor time, 0 for none, and no file."""
        command = [self.program, *arguments]
        print("==", *command, file=self.announced, flush=True)
        command += ["--quiet", "--json", str(file)]
        limited = ["prlimit", f"--cpu={limit}:{limit + 5}"] if limit else []
        done = subprocess.run([*limited, *command], stdout=subprocess.DEVNULL)
        if limit and done.returncode == -signal.SIGXCPU:
            file.unlink(missing_ok=True)
            return None
        if done.returncode:
            self.fail(f"{' '.join(command)}: exit code {done.returncode}")
        return json.loads(file.read_text())["runs"]

    def help(self, command: str) -> str:
        done = subprocess.run([self.program, "help", command], capture_output=True, text=True)
        if done.returncode:
            self.fail(f"{self.program} help {command}: exit code {done.returncode}")
        return done.stdout

    def attempt(self, *arguments: str) -> Json | None:
        """Its only run, not announced; None: refused, exit code 2."""
        command = [self.program, *arguments, "--quiet", "--json", "-"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 2:
            return None
        if done.returncode:
            self.fail(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)["runs"][0]


def peak_kib(runs: Runs, *command: str) -> int:
    """Peak memory of a command. Run by a process of its own, whose only child it is."""
    return int(runs.execute(*command, prefix=[sys.executable, "-S", "-c", _PEAK]))


_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
