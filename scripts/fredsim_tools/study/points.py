# SPDX-License-Identifier: Apache-2.0
"""Points of the study: `fredsim sweep` runs them into one folder, where existing points are not run again."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from ..runs import Json, Runs

REFUSED = 2  # exit code of a point


class Points:
    """folder: of the results."""

    def __init__(self, runs: Runs, folder: Path) -> None:
        self.runs, self.folder = runs, folder

    def run(self, command: str, *arguments: str) -> list[Json]:
        """Runs of the points that a command line stands for: machines, then options. By machine, then by size."""
        found = []
        for one in self.of(study_of(command, arguments)):
            if one is None:
                self.runs.fail(f"{command} {' '.join(arguments)}: exit code {REFUSED}")
            found += one
        return found

    def of(self, study: str) -> list[list[Json] | None]:
        """Runs of each point of a study, a YAML text; None: it was refused."""
        print(f"== {self.runs.program} sweep, a study of:\n{study}", file=self.runs.announced, end="", flush=True)
        with tempfile.TemporaryDirectory(prefix="fredsim-study-") as name:
            file = Path(name) / "study.yaml"
            file.write_text(study, encoding="utf-8")
            command = [self.runs.program, "sweep", str(file), "--results", str(self.folder), "--jobs", str(os.cpu_count()), "--quiet"]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1) or not (self.folder / "table.jsonl").exists():
            self.runs.fail(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        rows = map(json.loads, (self.folder / "table.jsonl").read_text(encoding="utf-8").splitlines())
        return [self._runs_of(row) for row in rows]

    def _runs_of(self, row: Json) -> list[Json] | None:
        result = json.loads((self.folder / "points" / f"{row['point']}.json").read_text(encoding="utf-8"))
        if row["status"] == "done":
            return result["runs"]
        if result["failed"]["exit_code"] != REFUSED:
            self.runs.fail(f"{row['machine']}, {row['settings']}, {row['options']}: {row['message']}")
        return None


def study_of(command: str, arguments: Sequence[str]) -> str:
    """A study of the words of a command line: `compare` is a run of each machine."""
    machines = list(takewhile(lambda word: not word.startswith("-"), arguments))
    settings: dict[str, str] = {}
    options: dict[str, list[str]] = {}
    steps: dict[str, str] = {}
    for name, value in pairs(arguments[len(machines) :]):
        if name == "--set":
            key, _, text = value.partition("=")
            settings[key] = text
        elif name in ("-b", "-e", "-f"):
            steps[name] = value
        else:
            options[name.removeprefix("--")] = [value]
    if steps:
        options["size"] = list(map(str, sizes(bytes_of(steps["-b"]), bytes_of(steps["-e"]), int(steps["-f"]))))
    return study_text("train" if command == "train" else "run", machines, {key: [value] for key, value in settings.items()}, options)


def study_text(command: str, machines: Sequence[str], settings: dict[str, list[str]], options: dict[str, list[str]]) -> str:
    """Values of settings are YAML, as for --set; values of options are text."""
    lines = [f"machines: {json.dumps(list(machines))}"]
    if settings:
        lines += ["settings:", *(f"  {json.dumps(key)}: [{', '.join(values)}]" for key, values in settings.items())]
    lines += [f"{command}:", *(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in options.items())]
    return "\n".join([*lines, ""])


def pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(words) % 2:
        raise ValueError(f"options with a value each are allowed: {' '.join(words)}")
    return zip(words[::2], words[1::2])


def bytes_of(text: str) -> int:
    for unit, factor in (("KiB", 1 << 10), ("MiB", 1 << 20)):
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    return int(text)


def sizes(first: int, last: int, factor: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= factor
