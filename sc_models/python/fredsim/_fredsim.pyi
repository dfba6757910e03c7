# SPDX-License-Identifier: Apache-2.0
"""Machines, plans, fixed facts and answers to questions; use the package around it."""

from array import array
from typing import Any, TypedDict

MachineKey = str | int | bool | list[str]

class BadInput(ValueError): ...

class Nodes(TypedDict):
    name: list[str]
    kind: list[str]
    ports: array[int]
    switch_kind: list[str]
    level: array[int]
    slice: array[int]
    failed: list[bool]

class Links(TypedDict):
    name: list[str]
    source: array[int]
    source_port: array[int]
    target: array[int]
    target_port: array[int]
    bytes_per_second: array[int]
    flits_per_cycle: array[float]
    latency_cycles: array[int]
    on_die: list[bool]

class Parts(TypedDict):
    collective: list[str]
    algorithm: list[str]
    members: list[list[int]]
    size_bytes: array[int]
    priority: list[str]
    bound_ns: array[float]

class MachineConfig:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def clock_hz(self) -> int: ...
    @property
    def npus(self) -> list[int]: ...
    @property
    def io_controllers(self) -> list[int]: ...
    @property
    def notes(self) -> list[str]: ...
    def keys(self) -> dict[str, MachineKey]: ...
    def nodes(self) -> Nodes: ...
    def links(self) -> Links: ...
    def describe(self) -> str: ...

class Plan:
    @property
    def notes(self) -> list[str]: ...
    @property
    def bound_ns(self) -> float: ...
    def parts(self) -> Parts: ...
    def trees(self) -> dict[str, Any]: ...
    def sends(self) -> dict[str, Any]: ...
    def link_flits(self) -> array[int]: ...

class TraceNode:
    """Node of an execution trace. None: a field that it does not have."""

    id: int
    name: str
    type: str
    """COMP_NODE, COMM_COLL_NODE, …"""
    after: list[int]
    """ids of the nodes that it waits for"""
    callers: list[int]
    """its control dependencies, as the file has them"""
    duration_ps: int
    start_ps: int
    on_cpu: bool
    stream: int | None
    """stream of a GPU, or thread of a CPU"""
    device: int | None
    operations: int
    tensor_bytes: int
    collective: str | None
    """ALL_REDUCE, …"""
    bytes: int | None
    """of a communication"""
    peer: int | None
    """other end of a send or receive; root of a collective"""
    tag: int
    priority: int
    group: str
    """process group; empty: all ranks"""
    dimensions: list[bool]

class TraceReader:
    def __init__(self, path: str, data_alone: bool) -> None: ...
    @property
    def texts(self) -> dict[str, str]: ...
    @property
    def groups(self) -> dict[str, list[int]]: ...
    def next(self) -> TraceNode | None: ...

class Answering:
    def __init__(self, words: list[str], program: str, in_process: bool, out: int, err: int, kept: list[int]) -> None: ...
    def wait(self, seconds: float) -> int | None: ...
    def interrupt(self) -> None: ...
    def kill(self) -> None: ...

def load_machine(path: str, settings: list[str], faults: list[str], text: str | None) -> MachineConfig: ...
def machine_path(word: str, program: str) -> str: ...
def plan(
    machine: MachineConfig, collective: str, size: str, group: list[int | str] | None, algorithm: str, root: int, priority: str
) -> Plan: ...
def collectives() -> list[str]: ...
def algorithms(collective: str | None) -> list[str]: ...
def switch_kinds() -> list[tuple[str, str, list[tuple[str, str, int, int, int]]]]: ...
def topology_kinds() -> list[str]: ...
def version() -> str: ...
def commit() -> str: ...
