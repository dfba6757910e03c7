# SPDX-License-Identifier: Apache-2.0
"""Buffer trees on the nets that abc does not see whole, because they leave the module that it maps: to other parts, to memories, to clock
gates. Works on a part's netlist as yosys writes it; clock and reset are ideal and have none."""

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import clock_gates
from .cells import LIBERTY

MOST_PF = 0.5  # a net with more has a tree, if it drives more pins than FANOUT or one that is not a cell of the library
FANOUT = 16
LEAF_PF = 1.0  # most that a buffer drives
ROOTS = 4  # buffers that the net's own driver drives at most
BUFFER = "BUFX4"
IDEAL = frozenset(("clk_i", "rst_ni"))
CLOCK_PINS = frozenset(("CLK", "clk_i", "clk_o", "RD_CLK", "WR_CLK"))
OUTPUT_PINS = frozenset(("Y", "Q", "YC", "YS", "clk_o", "RD_DATA"))

TOKEN = re.compile(r"(\d+)'([bh])([0-9a-f]+)|(\\\S+\s|[A-Za-z_]\w*)\s*(?:\[(\d+)(?::(\d+))?\])?")
INSTANCE = re.compile(r"  (\w+)\s+(\\\S+|\w+)\s+\($")
CONNECTION = re.compile(r"    \.(\w+)\((.*)\),?$")
ASSIGN = re.compile(r"  assign (.*) = (.*);$")


def bits_of(text: str, widths: Mapping[str, int]) -> list[str]:
    """A net, part of one or concatenation as its bits, highest first. widths: of ports; other nets have one bit."""
    found: list[str] = []
    for size, base, digits, name, left, right in TOKEN.findall(text):
        if size:
            value = int(digits, 2 if base == "b" else 16)
            found += [f"1'b{value >> bit & 1}" for bit in reversed(range(int(size)))]
        elif left:
            found += [f"{name}[{bit}]" for bit in range(int(left), int(right or left) - 1, -1)]
        elif widths.get(name, 1) > 1:
            found += [f"{name}[{bit}]" for bit in reversed(range(widths[name]))]
        else:
            found.append(name)
    return found


@functools.cache
def pin_capacitances() -> dict[tuple[str, str], float]:
    """(cell, pin) -> pF, of the library's inputs."""
    found = {}
    for cell, body in re.findall(r"^cell \((\w+)\) \{(.*?)^\}", LIBERTY.read_text(), re.MULTILINE | re.DOTALL):
        for pin, direction, pf in re.findall(r"pin\((\w+)\)\s*\{\s*direction : (\w+);\s*capacitance : ([\d.]+);", body):
            if direction == "input":
                found[cell, pin] = float(pf)
    enable = clock_gates.capacitance(clock_gates.OR, "A")
    return found | {(clock_gates.GATE, pin): enable for pin in ("en_i", "test_en_i")}


@dataclass
class Child:
    """Another part, or a memory, in a part."""

    outputs: frozenset[str]
    input_pf: Mapping[str, Sequence[float]]  # by bit, lowest first


@dataclass
class Grown:
    """A netlist with its trees."""

    text: str
    buffers: int
    input_pf: dict[str, list[float]]  # input port -> load of its bits, lowest first


def grow(text: str, ports: Mapping[str, tuple[str, int]], children: Mapping[str, Child]) -> Grown:
    """Puts the trees in. ports: of the part, name -> (way, bits). children: by name of the module in the netlist."""
    widths = {name: bits for name, (_, bits) in ports.items()}
    lines = text.split("\n")
    sinks: dict[str, list[tuple[int, int, float]]] = defaultdict(list)  # net -> (line, bit from the left, pF)
    foreign: set[str] = set()  # nets with a pin that is not of the library
    alias: dict[str, str] = {}
    pins, kind = pin_capacitances(), ""
    for number, line in enumerate(lines):
        if match := CONNECTION.match(line):
            pin, net = match[1], match[2].strip()
            child = children.get(kind)
            if pin in CLOCK_PINS or (pin in OUTPUT_PINS if child is None else pin in child.outputs):
                continue
            bits = bits_of(match[2] + " ", widths)
            for place, net in enumerate(bits):
                pf = pins.get((kind, pin), 0.0) if child is None else child.input_pf[pin][len(bits) - 1 - place]
                sinks[net].append((number, place, pf))
                if child is not None or kind == clock_gates.GATE:
                    foreign.add(net)
        elif match := INSTANCE.match(line):
            kind = match[1]
        elif match := ASSIGN.match(line):
            alias.update(zip(bits_of(match[1] + " ", widths), bits_of(match[2] + " ", widths)))

    def source(net: str) -> str:
        while net in alias:
            net = alias[net]
        return net

    joined: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for net, loads in sinks.items():
        joined[source(net)] += loads
    foreign = {source(net) for net in foreign}
    changed: dict[int, dict[int, str]] = defaultdict(dict)
    added: list[str] = []
    load = {net: sum(pf for *_, pf in loads) for net, loads in joined.items()}
    for net, loads in joined.items():
        if load[net] <= MOST_PF or net in IDEAL or net.startswith("1'") or (len(loads) <= FANOUT and net not in foreign):
            continue
        level: list[tuple[str | tuple[int, int], float]] = [((line, place), pf) for line, place, pf in loads]
        while len(level) > ROOTS or sum(pf for _, pf in level) > MOST_PF:
            above: list[tuple[str | tuple[int, int], float]] = []
            for group in grouped(level):
                output = f"tree_{len(added)}_"
                for sink, _ in group:
                    if isinstance(sink, str):
                        added[int(sink.split("_")[1])] = added[int(sink.split("_")[1])].replace("@", output)
                    else:
                        changed[sink[0]][sink[1]] = output
                added.append(f"  {BUFFER} {output}buffer (\n    .A(@),\n    .Y({output})\n  );")
                above.append((output, pins[BUFFER, "A"]))
            if len(above) >= len(level):
                level = above
                break
            level = above
        for sink, _ in level:
            assert isinstance(sink, str)
            place = int(sink.split("_")[1])
            added[place] = added[place].replace("@", net)
        load[net] = sum(pf for _, pf in level)
    for number, places in changed.items():
        match = CONNECTION.match(lines[number])
        assert match
        bits = bits_of(match[2] + " ", widths)
        for place, output in places.items():
            bits[place] = output
        value = bits[0] if len(bits) == 1 else "{ " + ", ".join(bits) + " }"
        lines[number] = f"    .{match[1]}({value}){',' if lines[number].endswith(',') else ''}"
    if added:
        end = max(number for number, line in enumerate(lines) if line == "endmodule")
        wires = [f"  wire tree_{number}_;" for number in range(len(added))]
        first = next(number for number, line in enumerate(lines) if line.endswith(");"))  # end of the ports, which take several lines
        lines = [*lines[:first + 1], *wires, *lines[first + 1:end], *added, *lines[end:]]
    input_pf = {name: [load.get(bit, 0.0) for bit in reversed(bits_of(name + " ", widths))] for name, (way, _) in ports.items() if way == "input"}
    return Grown("\n".join(lines), len(added), input_pf)


def grouped(level: Sequence[tuple[str | tuple[int, int], float]]) -> list[list[tuple[str | tuple[int, int], float]]]:
    """Adjacent pins, as many as a buffer drives."""
    groups: list[list[tuple[str | tuple[int, int], float]]] = []
    total = 0.0
    for one in level:
        if not groups or len(groups[-1]) == FANOUT or total + one[1] > LEAF_PF:
            groups.append([])
            total = 0.0
        groups[-1].append(one)
        total += one[1]
    return groups
