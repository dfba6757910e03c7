# SPDX-License-Identifier: Apache-2.0
"""Plans of collectives: senders, data and links, before anything is simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from . import _fredsim
from .arrays import numpy, structured

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlannedPart", "Plan"]


@dataclass(frozen=True)
class PlannedPart:
    """One collective on one group."""

    collective: str
    algorithm: str
    members: tuple[int, ...]
    """nodes by rank, as indices of Machine.nodes"""
    size_bytes: int
    priority: str
    bound_ns: float
    """lower bound of its time from the busiest link; not simulated"""


class Plan:
    """Plan of a collective: trees along which packets go. All of it is derived, nothing is simulated.

    Arrays over links have the order of Machine.links. Acknowledgements are not in them."""

    def __init__(self, plan: _fredsim.Plan) -> None:
        self._plan = plan

    @cached_property
    def parts(self) -> tuple[PlannedPart, ...]:
        columns = self._plan.parts()
        return tuple(
            PlannedPart(collective, algorithm, tuple(members), int(size), priority, float(bound))
            for collective, algorithm, members, size, priority, bound in zip(
                columns["collective"], columns["algorithm"], columns["members"], columns["size_bytes"], columns["priority"], columns["bound_ns"]
            )
        )

    @property
    def algorithm(self) -> str:
        """Name of the algorithm in results; the choice of `auto`."""
        return "+".join(dict.fromkeys(part.algorithm for part in self.parts))

    @property
    def notes(self) -> list[str]:
        """Decisions that deviate from the request."""
        return self._plan.notes

    @property
    def bound_ns(self) -> float:
        """Lower bound of the time from the busiest link; not simulated."""
        return self._plan.bound_ns

    @cached_property
    def trees(self) -> NDArray[numpy.void]:
        """Ranges of the data that go the same way: part, step, first_flit, flits, size_bytes, in_switch."""
        return structured(self._plan.trees())

    @cached_property
    def sends(self) -> NDArray[numpy.void]:
        """A row per tree and link that it crosses: tree, link, flits, bytes (of payload)."""
        return structured(self._plan.sends())

    @cached_property
    def link_flits(self) -> NDArray[numpy.int64]:
        """Flits that cross each link."""
        return numpy.asarray(self._plan.link_flits()).astype(numpy.int64)

    @cached_property
    def link_bytes(self) -> NDArray[numpy.int64]:
        """Payload that crosses each link."""
        total = numpy.zeros(len(self.link_flits), dtype=numpy.int64)
        numpy.add.at(total, self.sends["link"], self.sends["bytes"].astype(numpy.int64))
        return total

    def __repr__(self) -> str:
        first = self.parts[0]
        return f"<Plan {first.collective} of {first.size_bytes} bytes by {self.algorithm}, {len(first.members)} ranks: at least {self.bound_ns:g} ns>"
