# SPDX-License-Identifier: Apache-2.0
"""The kinds of switches, as their kind.cmake describe them (sc_models/switch/verilator/switch_kind.cmake has the meaning of each field).

CMake writes them to build/kinds.json. Where that is missing or older than a kind.cmake, CMake is run in script mode to write it, which needs no
compiler and no build folder.
"""

import functools
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .checkout import CHECKOUT

DESCRIBED = "sc_models/switch"
WRITER = f"{DESCRIBED}/verilator/kinds_json.cmake"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kind's RTL top."""

    default: int
    least: int
    most: int
    meaning: str


@dataclass(frozen=True)
class Kind:
    name: str
    top: str
    ports: str  # a sum of parameters and numbers
    parameters: Mapping[str, Parameter]
    files: tuple[str, ...]  # lists, the first of `top`; relative to the checkout
    parts: frozenset[str]  # modules that are synthesised on their own,
    deep: frozenset[str]  # parts with long chains of logic,
    line: frozenset[str]  # and with an area on a line through two numbers of lanes
    wires: frozenset[str]  # tops that are mostly wires
    energy: str  # module whose energy is measured
    addition: str | None  # likewise at the size at which an addition is measured; None: no adders

    def tops(self) -> list[str]:
        return [Path(name).stem for name in self.files]

    def ports_of(self, values: Mapping[str, int]) -> int:
        """Ports of a switch with these parameters."""
        return sum(int(word) if word.isdigit() else values[word] for word in map(str.strip, self.ports.split("+")))

    def module(self, parameters: Mapping[str, int]) -> str:
        """The top with some parameters, as scripts/synth.sh takes it."""
        return f"{self.top}:{','.join(f'{name}={value}' for name, value in parameters.items())}"


@functools.cache
def load(checkout: Path = CHECKOUT) -> Mapping[str, Kind]:
    """Name -> kind. Errors: OSError where there is no table and none can be written."""
    file = checkout / "build" / "kinds.json"
    described = max(path.stat().st_mtime for path in (checkout / DESCRIBED).rglob("*.cmake"))
    if not file.exists() or file.stat().st_mtime < described:
        _write(checkout, file)
    return {row["name"]: _kind(row) for row in json.loads(file.read_text())["kinds"]}


def _write(checkout: Path, file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    new = file.with_name(f".kinds.{os.getpid()}.json")
    try:
        done = subprocess.run(["cmake", f"-DFREDSIM_KINDS_JSON={new}", "-P", str(checkout / WRITER)], capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"{file}: CMake does not write it: {done.stderr.strip()}")
        new.replace(file)
    except FileNotFoundError:
        raise OSError(f"{file}: no such file, and no CMake to write it; `cmake --preset release` does") from None
    finally:
        new.unlink(missing_ok=True)


def _kind(row: dict[str, Any]) -> Kind:
    parameters = {one["name"]: Parameter(one["default"], one["min"], one["max"], one["meaning"]) for one in row["parameters"]}
    synthesis, energy = row["synthesis"], row["energy"]
    return Kind(name=row["name"], top=row["top"], ports=row["ports"], parameters=parameters, files=tuple(synthesis["files"]),
                parts=frozenset(synthesis["parts"]), deep=frozenset(synthesis["deep"]), line=frozenset(synthesis["line"]),
                wires=frozenset(synthesis["wires"]), energy=energy["module"], addition=energy["addition"])  # fmt: skip
