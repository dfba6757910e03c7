# SPDX-License-Identifier: Apache-2.0
"""Fixed facts of this fredsim: collectives, algorithms, kinds of switches and topologies."""

from __future__ import annotations

from dataclasses import dataclass

from . import _fredsim
from .errors import own_errors

__all__ = ["Parameter", "SwitchKind", "algorithms", "collectives", "switch_kinds", "topology_kinds"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a switch's RTL."""

    name: str
    meaning: str
    default: int
    min: int
    max: int


@dataclass(frozen=True)
class SwitchKind:
    """A kind of switches, as switch.kind of a machine names it."""

    name: str
    rtl_top: str
    parameters: tuple[Parameter, ...]


def collectives() -> list[str]:
    """Names of collectives."""
    return _fredsim.collectives()


def algorithms(collective: str | None = None) -> list[str]:
    """Names of algorithms, the choices auto and paper first; with `collective`: the algorithms that support it."""
    with own_errors():
        return _fredsim.algorithms(collective)


def switch_kinds() -> tuple[SwitchKind, ...]:
    """The kinds of switches."""
    return tuple(SwitchKind(name, top, tuple(Parameter(*one) for one in parameters)) for name, top, parameters in _fredsim.switch_kinds())


def topology_kinds() -> list[str]:
    """The kinds of fabrics, as fabric.type of a machine names them."""
    return _fredsim.topology_kinds()
