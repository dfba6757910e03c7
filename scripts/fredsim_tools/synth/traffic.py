# SPDX-License-Identifier: Apache-2.0
"""Traffic through an interconnect, as its µSwitches see it, and what the pins of one of them see, edge by edge at full rate.

A network (Fred, Crossbar, networks of crossbars.py) says of an interconnect which parts it is made of and what these see:
  kinds           of traffic that it carries, of KINDS
  situations()    of a kind: Situation -> number of parts in it, with all senders at full rate
  parameters()    of a part, at a number of lanes
  stimulus()      the pins of a part in situations, one after the other
  flits()         of a kind, per edge: what energy is divided by. Those that leave at an output; of a reduction, that enter
  memories()      inside, beside the parts, that a flit of a kind goes through
  alike()         the same for networks that have the same parts
  in_waves        whether a waveform has the pins of its parts
  simulated_lanes that are simulated for more lanes, which follow a line through these; fewer are simulated as they are
"""

from __future__ import annotations

import math
import random
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ..rtl import constants

NOC = constants("noc_pkg")
FLIT_LANES, PACKET_FLITS, HEADER_BITS = NOC["FLIT_LANES"], NOC["PACKET_FLITS"], NOC["HEADER_W"]
# Codes of an output of an R- or RD-µSwitch.
NONE, IN0, IN1, SUM = (constants("fred_pkg")[f"USEL_{code}"] for code in ("NONE", "IN0", "IN1", "SUM"))
KINDS = ("unicast", "reduction", "distribution")
ALONE = "alone"  # additional kind: port 0 to itself, all other ports idle
SETTLE = 4  # edges before a window, in addition to the pipeline depth
WINDOW = 4 * PACKET_FLITS  # edges
SIMULATED_LANES = (8, 16)  # networks whose parts are simulated separately

# Activity at an input: nothing; flits that are for another one, without their valid; flits.
STILL, HEARD, FLITS = "still", "heard", "flits"
SIDES = ("left", "right")  # sides of a node of a reducing crossbar


Row = dict[str, int]  # input pin -> value


class Pins(Protocol):
    """A part: its name and its pins, name -> (way, bits)."""

    @property
    def module(self) -> str: ...
    @property
    def ports(self) -> Mapping[str, tuple[str, int]]: ...


@dataclass(frozen=True)
class Situation:
    """A µSwitch or a node of an adder tree, its configuration and what its inputs see."""

    module: str
    codes: tuple[Any, ...]  # codes of its outputs; a node has none
    inputs: tuple[str, ...]


class Network(Protocol):
    """See above."""

    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def in_waves(self) -> bool: ...
    @property
    def simulated_lanes(self) -> tuple[int, int]: ...
    def situations(self, kind: str, /) -> Mapping[Situation, int]: ...
    def parameters(self, module: str, lanes: int, /) -> dict[str, int]: ...
    def stimulus(self, part: Pins, wanted: Sequence[Situation], lanes: int, /) -> Stimulus: ...
    def flits(self, kind: str, /) -> float: ...
    def memories(self, kind: str, /) -> int: ...
    def alike(self) -> object: ...


def network(ports: int, middle: int, kind: str | None, inputs: Sequence[str]) -> tuple[list[Situation], list[str]]:
    """Situations in a Fred_m(ports), one for every µSwitch, and what its outputs show: ([Situation], [output]).
    unicast: every port to itself. reduction: all ports to port 0. distribution: port 0 to all. alone: port 0 to itself. None: nothing is routed.
    rtl/fred/fred_network.sv has the structure."""
    if ports == 2:
        codes: tuple[int, ...] = {"unicast": (IN0, IN1), "reduction": (SUM, NONE), "distribution": (IN0, IN0), ALONE: (IN0, NONE),
                                  None: (NONE, NONE)}[kind]  # fmt: skip
        return [Situation("fred_rd_uswitch", codes, tuple(inputs))], _r_outputs(codes, inputs)
    pairs, odd = divmod(ports, 2)
    found: list[Situation] = []
    into: list[list[str]] = [[] for _ in range(middle)]
    for pair in range(pairs):
        first = {"unicast": IN0, "reduction": SUM, "distribution": NONE if pair else IN0, ALONE: NONE if pair else IN0, None: NONE}[kind]
        codes = (first, IN1 if kind == "unicast" else NONE, *[NONE] * (middle - 2))
        found.append(Situation("fred_r_uswitch", codes, tuple(inputs[2 * pair:2 * pair + 2])))
        for sub, shown in zip(into, _r_outputs(codes, inputs[2 * pair:2 * pair + 2]), strict=True):
            sub.append(shown)
    if odd:
        code = int(kind in ("unicast", "reduction"))
        found.append(Situation("fred_port_demux", (code,), (inputs[-1],)))
        for number, sub in enumerate(into):  # one register serves all
            sub.append(STILL if inputs[-1] != FLITS else FLITS if number + 1 == code else HEARD)
    from_subs = []
    for number, sub in enumerate(into):
        used = kind if number == 0 or (number == 1 and kind == "unicast") else None
        situations, outputs = network(pairs + odd, middle, used, sub)
        found += situations
        from_subs.append(outputs)
    out = []
    for port in range(ports):
        second = port < 2 * pairs and port % 2 == 1
        code = {"unicast": 1 + second, "reduction": int(port == 0), "distribution": 1, ALONE: int(port == 0), None: 0}[kind]
        heard = tuple(outputs[port // 2] for outputs in from_subs)
        found.append(Situation("fred_port_mux", (code,), heard))
        out.append(FLITS if code and heard[code - 1] == FLITS else STILL)
    return found, out


def _r_outputs(codes: Sequence[int], inputs: Sequence[str]) -> list[str]:
    sees = {NONE: False, IN0: inputs[0] == FLITS, IN1: inputs[1] == FLITS, SUM: inputs[0] == inputs[1] == FLITS}
    return [FLITS if sees[code] else STILL for code in codes]


@dataclass(frozen=True)
class Adding:
    """Common part of networks of small parts that add. form: FORMAT of the RTL."""

    ports: int

    kinds = KINDS
    in_waves = True
    simulated_lanes = SIMULATED_LANES

    def alike(self) -> Adding:
        return replace(self, ports=0)

    def flits(self, kind: str) -> float:
        return 1 if kind == ALONE else self.ports

    def memories(self, _kind: str) -> int:
        return 0


@dataclass(frozen=True)
class Fred(Adding):
    """A fred_interconnect."""

    middle: int
    form: int

    def situations(self, kind: str) -> Counter[Situation]:
        """Situation -> number of µSwitches in it, with all senders of a kind at full rate."""
        senders = 1 if kind in ("distribution", ALONE) else self.ports
        return Counter(network(self.ports, self.middle, kind, [FLITS] * senders + [STILL] * (self.ports - senders))[0])

    def _shape(self, module: str) -> tuple[dict[str, int], int]:
        """Its parameters without lanes, bits of a code."""
        select = self.middle.bit_length()
        return {"fred_r_uswitch": (dict(FORMAT=self.form, OUTPUTS=self.middle), 2), "fred_rd_uswitch": (dict(FORMAT=self.form), 2),
                "fred_port_mux": (dict(M=self.middle), select), "fred_port_demux": (dict(M=self.middle), select)}[module]  # fmt: skip

    def parameters(self, module: str, lanes: int) -> dict[str, int]:
        return dict(self._shape(module)[0], LANES=lanes)

    def stimulus(self, part: Pins, wanted: Sequence[Situation], lanes: int) -> Stimulus:
        return stimulus(lanes, self.form, wanted, self._shape(part.module)[1])


@dataclass(frozen=True)
class Crossbar(Adding):
    """A reducing_crossbar_interconnect: the nodes of its trees, not the registers in front of them."""

    form: int

    def situations(self, kind: str) -> Counter[Situation]:
        """Situation -> number of nodes in it, with all senders of a kind at full rate."""
        found: Counter[Situation] = Counter()
        for output in range(self.ports):
            chosen = {"unicast": {output}, "reduction": set() if output else set(range(self.ports)), "distribution": {0},
                      ALONE: set() if output else {0}}[kind]  # fmt: skip
            shown = [FLITS if port in chosen else STILL for port in range(self.ports)]  # inputs not chosen stay in its registers
            while len(shown) > 1:
                pairs = list(zip(shown[::2], shown[1::2]))
                found.update(Situation("reducing_crossbar_node", (), pair) for pair in pairs)
                alone = shown[-1:] if len(shown) % 2 else []  # waits in a register
                shown = [FLITS if FLITS in pair else STILL for pair in [*pairs, *zip(alone)]]
        return found

    def parameters(self, _module: str, lanes: int) -> dict[str, int]:
        return dict(FORMAT=self.form, LANES=lanes)

    def stimulus(self, _part: Pins, wanted: Sequence[Situation], lanes: int) -> Stimulus:
        return stimulus(lanes, self.form, wanted, 0)


# ---------------------------------------------------------------------- pins
@dataclass
class Stimulus:
    rows: list[Row]  # rows of every edge
    windows: list[tuple[int, int]]  # (first edge, edges)


def config(codes: Sequence[int], width: int) -> int:
    return sum(code << place * width for place, code in enumerate(codes))


def flit_bits(lanes: int) -> int:
    """Whole words of 32 bit, as flit_w() of noc_pkg has them."""
    return HEADER_BITS + 32 * math.ceil(lanes * NOC["LANE_W"] / 32)


def flit(source: int, number: int, lanes: int, bfloat: bool, numbers: random.Random) -> int:
    """A flit of a stream: its header, and lanes that are normally distributed around 0, as gradients are."""
    packet, place = divmod(number, PACKET_FLITS)
    value = packet | source << NOC["SRC_LSB"] | packet % (1 << NOC["SEQ_W"]) << NOC["SEQ_LSB"]
    value |= int(place == 0) << NOC["HEAD_BIT"] | int(place == PACKET_FLITS - 1) << NOC["TAIL_BIT"]
    for lane in range(lanes):
        operand = numbers.gauss(0, 1)
        code = struct.pack(">f", operand)[:2] if bfloat else struct.pack(">e", operand)
        value |= int.from_bytes(code, "big") << HEADER_BITS + NOC["LANE_W"] * lane
    return value


class Streams:
    """A stream of flits from every port, without a pause."""

    def __init__(self, ports: int, lanes: int, bfloat: bool, seed: int = 1) -> None:
        self.lanes, self.bfloat, self.numbers = lanes, bfloat, random.Random(seed)
        self.flits, self.number = [0] * ports, 0

    def next(self, seen: Sequence[str] | None = None) -> list[int]:
        """Next flit of every port that is not STILL, if its kind is given."""
        self.flits = [old if seen and seen[port] == STILL else flit(port, self.number, self.lanes, self.bfloat, self.numbers)
                      for port, old in enumerate(self.flits)]  # fmt: skip
        self.number += 1
        return self.flits


def pins_of_node(row: Row, width: int) -> Row:
    """Pins of a µSwitch in the order of a node."""
    pins = dict(rst_ni=row["rst_ni"])
    for place, side in enumerate(SIDES):
        pins[f"{side}_valid_i"] = row["in_valid_i"] >> place & 1
        pins[f"{side}_flit_i"] = row["in_flit_i"] >> place * width & (1 << width) - 1
    return pins


def stimulus(lanes: int, form: int, wanted: Sequence[Situation], code_width: int, seed: int = 1) -> Stimulus:
    """For a µSwitch or a node: reset, then every one of the wanted situations by itself."""
    width = flit_bits(lanes)
    numbers = random.Random(seed)
    pins = dict(rst_ni=0, step_i=1, load_i=1, config_i=0, in_valid_i=0, in_flit_i=0)
    rows = [dict(pins)] * 2
    windows = []
    for situation in wanted:
        pins.update(rst_ni=1, load_i=1, config_i=config(situation.codes, code_width), in_valid_i=0)
        rows.append(dict(pins))
        pins["load_i"] = 0
        valid = config([int(shown == FLITS) for shown in situation.inputs], 1)
        old = [pins["in_flit_i"] >> port * width & (1 << width) - 1 for port in range(len(situation.inputs))]
        for number in range(SETTLE + WINDOW):
            flits = [old[port] if shown == STILL else flit(port, number, lanes, bool(form), numbers)
                     for port, shown in enumerate(situation.inputs)]  # fmt: skip
            pins.update(in_valid_i=valid if number else 0, in_flit_i=config(flits, width))
            rows.append(dict(pins))
        windows.append((len(rows) - WINDOW, WINDOW))
        rows += [dict(pins, in_valid_i=0)] * 2
    if wanted[0].module == "reducing_crossbar_node":
        rows = [pins_of_node(row, width) for row in rows]
    return Stimulus(rows, windows)
