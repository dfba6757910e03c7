# SPDX-License-Identifier: Apache-2.0
"""Machines: files, dictionaries or text, changed by key, and the fabrics that they define."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _fredsim
from .arrays import numpy, structured
from .errors import BadInput, own_errors
from .options import Files, text_of
from .plan import Plan
from .program import program

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Link", "Machine", "MachineLike", "Node"]


@dataclass(frozen=True)
class Node:
    """An NPU, an I/O controller or a switch of the fabric."""

    index: int
    name: str
    kind: str
    """npu, io or switch"""
    ports: int
    switch_kind: str
    """of switches, as switch.kind has it; else empty"""
    level: int
    """0: an endpoint, 1: a switch joined to NPUs, …"""
    slice: int
    """of a FRED tree; -1: none"""
    failed: bool


@dataclass(frozen=True)
class Link:
    """A link in one direction."""

    index: int
    name: str
    source: Node
    source_port: int
    target: Node
    target_port: int
    bytes_per_second: int
    flits_per_cycle: float
    latency_cycles: int
    on_die: bool
    """between a mesh NPU and its own router: no wafer link"""


class Machine:
    """A machine, checked: every key has a value, and the fabric is built.

    A key is a path, `switch.input_buffer`; entries of a list are numbered from 1, `fabric.levels.2.uplinks`. The file is read here, and again by every
    command that runs the machine.

    BadInput: the machine file or a setting is invalid; the message names file and line, or the setting."""

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any], settings: Mapping[str, object] | None = None, *,
                 faults: Sequence[str] = (), text: str | None = None) -> None:  # fmt: skip
        """source: the path of a machine file, the name of a machine that comes with fredsim (`fred_small`), or a dictionary such as to_dict() gives.

        settings: values by key, over the values of the file. faults: failed components, as --fault takes them, `npu:3`.
        text: of the machine file, in place of the file; source names it in messages."""
        if isinstance(source, Mapping):
            text = json.dumps(source, ensure_ascii=False, indent=1)
            self._path = f"{source.get('name', 'machine')}.yaml"
        else:
            self._path = os.fspath(source) if text is not None else machine_path(os.fspath(source))
        self._text = text
        self._settings: dict[str, str] = {key: setting_text(key, value) for key, value in (settings or {}).items()}
        self._faults = list(faults)
        self._config = self._load()

    @classmethod
    def from_text(cls, text: str, name: str = "machine.yaml") -> Machine:
        """Machine from the text of a machine file. name: for messages."""
        return cls(name, text=text)

    def _load(self) -> _fredsim.MachineConfig:
        with own_errors():
            return _fredsim.load_machine(self._path, [f"{key}={value}" for key, value in self._settings.items()], self._faults, self._text)

    def with_(self, **settings: object) -> Machine:
        """A copy with other values: `machine.with_(**{"switch.kind": "fred"})`."""
        other = copy.copy(self)
        other._settings = {key: value for key, value in self._settings.items() if key not in settings}
        other._settings |= {key: setting_text(key, value) for key, value in settings.items()}
        other._config = other._load()
        return other

    def with_faults(self, *faults: str) -> Machine:
        """A copy with these components as additional failures."""
        other = copy.copy(self)
        other._faults = [*self._faults, *faults]
        other._config = other._load()
        return other

    def __getitem__(self, key: str) -> Any:
        """The value of a key, defaults included. KeyError: a machine such as this one has no such key."""
        keys = self._config.keys()
        if key in keys:
            return keys[key]
        below = {path.removeprefix(f"{key}."): value for path, value in keys.items() if path.startswith(f"{key}.")}
        if below:
            return nested(below)
        raise KeyError(key)

    def __setitem__(self, key: str, value: object) -> None:
        """Sets a value; an invalid one raises BadInput and leaves the machine unchanged."""
        changed = self.with_(**{key: value})
        self._settings, self._config = changed._settings, changed._config

    def __contains__(self, key: str) -> bool:
        return any(path == key or path.startswith(f"{key}.") for path in self._config.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self._config.keys())

    def keys(self) -> list[str]:
        """All keys of the machine."""
        return list(self._config.keys())

    def to_dict(self) -> dict[str, Any]:
        """The whole machine as a machine file has it, defaults and settings included; failed components are in `faults`."""
        values = nested(self._config.keys())
        assert isinstance(values, dict)
        return values

    @property
    def name(self) -> str:
        return self._config.name

    @property
    def path(self) -> str:
        """Path of the machine file; for a dictionary or text the name that represents it."""
        return self._path

    @property
    def settings(self) -> dict[str, str]:
        """Values set over the file, as text."""
        return dict(self._settings)

    @property
    def clock_hz(self) -> int:
        return self._config.clock_hz

    @property
    def notes(self) -> list[str]:
        """Remarks on the machine, such as rounded values."""
        return self._config.notes

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes of the fabric."""
        columns = self._config.nodes()
        return tuple(
            Node(index, name, kind, int(ports), switch_kind, int(level), int(part), failed)
            for index, (name, kind, ports, switch_kind, level, part, failed) in enumerate(
                zip(columns["name"], columns["kind"], columns["ports"], columns["switch_kind"], columns["level"], columns["slice"], columns["failed"])
            )
        )

    @property
    def npus(self) -> tuple[Node, ...]:
        """NPUs by rank."""
        nodes = self.nodes
        return tuple(nodes[index] for index in self._config.npus)

    @property
    def io_controllers(self) -> tuple[Node, ...]:
        nodes = self.nodes
        return tuple(nodes[index] for index in self._config.io_controllers)

    @property
    def links(self) -> tuple[Link, ...]:
        """All links, each direction for itself, in the order of results and arrays."""
        nodes = self.nodes
        columns = self._config.links()
        return tuple(
            Link(index, name, nodes[source], int(source_port), nodes[target], int(target_port), int(rate), float(flits), int(latency), on_die)
            for index, (name, source, source_port, target, target_port, rate, flits, latency, on_die) in enumerate(
                zip(columns["name"], columns["source"], columns["source_port"], columns["target"], columns["target_port"], columns["bytes_per_second"],
                    columns["flits_per_cycle"], columns["latency_cycles"], columns["on_die"])  # fmt: skip
            )
        )

    @property
    def link_array(self) -> NDArray[numpy.void]:
        """The links as a structured array with the fields of Link; source and target are indices of nodes."""
        return structured(dict(self._config.links()))

    @property
    def node_array(self) -> NDArray[numpy.void]:
        """The nodes as a structured array with the fields of Node."""
        return structured(dict(self._config.nodes()))

    def describe(self) -> str:
        """Description of the machine, the text of `fredsim info`."""
        return self._config.describe()

    def plan(self, collective: str = "all_reduce", size: int | str = "1MiB", *, group: Sequence[int | str] | None = None, algorithm: str = "auto",
             root: int = 0, priority: str = "dp") -> Plan:  # fmt: skip
        """Plan of a collective, without a simulation. group: NPUs and, as `io2`, I/O controllers by rank; None: all NPUs. root: a rank.

        BadInput: the fabric or the group does not support the algorithm."""
        with own_errors():
            planned = _fredsim.plan(self._config, collective, str(size), None if group is None else list(group), algorithm, root, priority)
        return Plan(planned)

    def __repr__(self) -> str:
        settings = "".join(f", {key}={value}" for key, value in self._settings.items())
        return f"<Machine {self.name} ({self._path}{settings}): {len(self._config.npus)} NPUs, {self._config.kind}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in self._config.keys().items())
        return f"<table>{rows}</table>"

    def words(self, files: Files) -> tuple[str, list[str]]:
        """The machine on a command line: its word, and the options for its faults."""
        path = self._path if self._text is None else files.write(Path(self._path).name, self._text)
        settings = ",".join(f"{key}={value}" for key, value in self._settings.items())
        options = [word for fault in self._faults for word in ("--fault", fault)]
        return f"{path}@{settings}" if settings else path, options


def machine_path(word: str) -> str:
    """Path of a machine file, or of a machine that comes with fredsim, by its name."""
    if "/" in word or os.path.exists(word):
        return word
    path = os.fspath(program())
    with own_errors():
        return _fredsim.machine_path(word, path)


MachineLike = Machine | str | os.PathLike[str] | Mapping[str, Any]
"""A Machine, or what makes one; a path with settings may be `FILE@key=value,…`, as on the command line."""


def machine_words(machine: MachineLike, files: Files) -> tuple[str, list[str]]:
    """A machine on a command line. A path is left to the command."""
    if isinstance(machine, Machine):
        return machine.words(files)
    if isinstance(machine, Mapping):
        return Machine(machine).words(files)
    return os.fspath(machine), []


def setting_text(key: str, value: object) -> str:
    """A setting as typed: a text with commas, or what YAML takes for more than a text, in quotes."""
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        try:
            return json.dumps(value, ensure_ascii=False)
        except TypeError as error:
            raise BadInput(f"{key}: found {error}; allowed: numbers, texts, flags, and lists and dictionaries of them") from None
    text = text_of(key, value)
    return json.dumps(text, ensure_ascii=False) if isinstance(value, str) and any(c in text for c in ',"\'') and not text.startswith(("[", "{", '"', "'")) else text


def nested(keys: Mapping[str, Any]) -> dict[str, Any] | list[Any]:
    """Paths of keys as nested dictionaries; numbers from 1 as lists."""
    groups: dict[str, dict[str, Any]] = {}
    values: dict[str, Any] = {}
    for path, value in keys.items():
        key, _, rest = path.partition(".")
        if rest:
            values[key] = None  # its place
            groups.setdefault(key, {})[rest] = value
        else:
            values[key] = value
    for key, below in groups.items():
        values[key] = nested(below)
    return list(values.values()) if values and all(key.isdigit() for key in values) else values
