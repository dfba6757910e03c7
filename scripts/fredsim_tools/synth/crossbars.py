# SPDX-License-Identifier: Apache-2.0
"""Interconnects that choose: the crossbars of a VOQ crossbar and of a mesh router, and an aggregator's with its pool of adders; and
what their pins see, edge by edge. Networks as traffic.Fred is one."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..rtl import constants
from . import traffic
from .traffic import ALONE, FLITS, SETTLE, STILL, WINDOW, Pins, Row, Situation, Stimulus

ENTER_EDGES = 3  # from the edge at which flits fire to that which samples them at an aggregator's interconnect


@dataclass(frozen=True)
class _Selecting(ABC):
    """One part per output, which selects an input. A unicast: every input to the output of its number."""

    ports: int

    kinds = ("unicast",)
    in_waves = False
    simulated_lanes = traffic.SIMULATED_LANES
    module = ""
    flits_pin = ""

    @abstractmethod
    def pins_at(self, output: int, edge: int) -> Row:
        """Inputs at an edge of a situation, beside the flits."""

    @abstractmethod
    def pins_after(self, output: int) -> list[Row]:
        """Inputs at the edges after it."""

    def alike(self) -> object:
        return self

    def situations(self, _kind: str) -> dict[Situation, int]:
        return {Situation(self.module, (output,), (FLITS,) * self.ports): 1 for output in range(self.ports)}

    def flits(self, _kind: str) -> float:
        return self.ports

    def memories(self, _kind: str) -> int:
        return 0

    def stimulus(self, part: Pins, wanted: Sequence[Situation], lanes: int) -> Stimulus:
        """Reset, then every situation by itself; `pins_at` says what follows the edge at which a flit leaves."""
        bits = traffic.flit_bits(lanes)
        streams = traffic.Streams(self.ports, lanes, bfloat=False)
        quiet = dict.fromkeys((name for name, (way, _) in part.ports.items() if way == "input" and name != "clk_i"), 0)
        rows = [dict(quiet)] * 2
        windows = []
        quiet["rst_ni"] = 1
        for situation in wanted:
            [output] = situation.codes
            edges = SETTLE + WINDOW
            for edge in range(edges):
                row = dict(quiet)
                row[self.flits_pin] = traffic.config(streams.next(), bits)
                row.update(self.pins_at(output, edge))
                rows.append(row)
            windows.append((len(rows) - WINDOW, WINDOW))
            rows += [dict(quiet, **{self.flits_pin: rows[-1][self.flits_pin]}, **pins) for pins in self.pins_after(output)]
        return Stimulus(rows, windows)


@dataclass(frozen=True)
class VoqCrossbar(_Selecting):
    """The crossbar of a voq_crossbar."""

    module = "voq_crossbar_mux"
    flits_pin = "in_flit_i"

    def parameters(self, _module: str, lanes: int) -> dict[str, int]:
        return dict(P=self.ports, FLIT_W=traffic.flit_bits(lanes))

    def pins_at(self, output: int, edge: int) -> Row:
        return dict(in_valid_i=(1 << self.ports) - 1, select_i=(1 << output) * int(edge > 0))

    def pins_after(self, _output: int) -> list[Row]:
        return [{}] * 2


@dataclass(frozen=True)
class MeshRouter(_Selecting):
    """The crossbar of a mesh_router, with the output register and the credits of every port: all flits on one virtual channel,
    their credits given back at once."""

    depths: tuple[int, int, int]  # VC_DEPTH, CTRL_DEPTH, PACKET_FLITS

    module = "mesh_output"
    flits_pin = "flits_i"

    def parameters(self, _module: str, lanes: int) -> dict[str, int]:
        return dict(P=self.ports, LANES=lanes, **dict(zip(("VC_DEPTH", "CTRL_DEPTH", "PACKET_FLITS"), self.depths, strict=True)))

    def pins_at(self, output: int, edge: int) -> Row:
        # Launch, grant and flit of one are at three edges, its credit comes after these.
        return dict(launch_i=1, granted_i=(1 << output) * int(edge > 0), out_credit_i=int(edge > 2))

    def pins_after(self, output: int) -> list[Row]:
        return [dict(granted_i=1 << output, out_credit_i=1), dict(out_credit_i=1), dict(out_credit_i=1), {}]


@dataclass(frozen=True)
class Aggregator:
    """An aggregator_interconnect as a whole, but for the memories of its operand FIFOs."""

    ports: int
    adders: int
    form: int

    kinds = traffic.KINDS
    in_waves = False
    simulated_lanes = (4, 8)  # whole ones of 12 ports do not end at 16
    module = "aggregator_interconnect"

    def alike(self) -> object:
        return self

    def situations(self, kind: str) -> dict[Situation, int]:
        senders = 1 if kind in ("distribution", ALONE) else self.ports
        return {Situation(self.module, (kind,), (FLITS,) * senders + (STILL,) * (self.ports - senders)): 1}

    def flits(self, kind: str) -> float:
        """Per edge. A reduction has as many additions as there are adders, at most."""
        if kind == ALONE:
            return 1
        return self.ports * min(1, self.adders / (self.ports - 1)) if kind == "reduction" else self.ports

    def memories(self, kind: str) -> int:
        return int(kind == "reduction")

    def parameters(self, _module: str, lanes: int) -> dict[str, int]:
        return dict(P=self.ports, ADDERS=self.adders, LANES=lanes, FORMAT=self.form)

    def _row(self, kind: str) -> int:
        """A row of the phase store with the flows of a kind, as phased_pkg lays it out."""
        ports = range(self.ports)
        codes = {"unicast": ([p + 1 for p in ports], [p + 1 for p in ports]),
                 "reduction": ([1 for p in ports], [int(p == 0) for p in ports]),
                 "distribution": ([int(p == 0) for p in ports], [1 for p in ports]),
                 ALONE: ([int(p == 0) for p in ports], [int(p == 0) for p in ports])}[kind]  # fmt: skip
        layout = constants("phased_pkg")
        return 1 << layout["ROW_VALID_BIT"] | traffic.config([*codes[0], *codes[1]], self.ports.bit_length()) << layout["ROW_FLOWS_LSB"]

    def stimulus(self, part: Pins, wanted: Sequence[Situation], lanes: int) -> Stimulus:
        """Reset; then of every kind its phase, flits that fire at full rate, and as many edges as empty the interconnect."""
        bits = traffic.flit_bits(lanes)
        streams = traffic.Streams(self.ports, lanes, bool(self.form))
        quiet = dict.fromkeys((name for name, (way, _) in part.ports.items() if way == "input" and name != "clk_i"), 0)
        rows = [dict(quiet)] * 2
        windows = []
        quiet["rst_ni"] = 1
        drain = 2 * self.ports + 4 * SETTLE
        window = math.ceil(WINDOW / (self.ports - 1)) * (self.ports - 1)  # whole rounds of additions
        for situation in wanted:
            [kind] = situation.codes
            new = [dict(quiet) for _ in range(1 + drain + window + drain)]
            new[0].update(change_i=1, row_i=self._row(kind))
            senders = sum(1 << port for port, seen in enumerate(situation.inputs) if seen == FLITS)
            receivers = 1 if kind in ("reduction", ALONE) else (1 << self.ports) - 1
            rate = 1 if kind == ALONE else self.flits(kind) / self.ports
            for edge in range(drain + window):
                if int((edge + 1) * rate + 1e-9) == int(edge * rate + 1e-9):
                    continue
                new[1 + edge + 1].update(fire_in_i=senders, fire_out_i=receivers)
                flits = streams.next(situation.inputs)
                new[1 + edge + ENTER_EDGES].update(in_valid_i=senders, in_flit_i=traffic.config(flits, bits))
            for before, row in zip(new, new[1:]):  # pins without a flit hold
                if not row["in_valid_i"]:
                    row["in_flit_i"] = before["in_flit_i"]
            windows.append((len(rows) + 1 + drain, window))
            rows += new
        return Stimulus(rows, windows)
