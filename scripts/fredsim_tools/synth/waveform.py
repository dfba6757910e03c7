# SPDX-License-Identifier: Apache-2.0
"""Energy of the traffic of a simulation: the pins of every µSwitch, or node of an adder tree, of a switch out of its waveform
(`--wave` of fredsim), played at that part's netlist edge by edge. Flits are counted at the interconnect's pins."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import energy, traffic
from .flow import Flow, Top
from .timing import CLOCK
from .yosys import Part, ToolError, Unfinished, locked

INTERCONNECT = "i_interconnect"
# Instances in an interconnect that are measured, by the last part of their names.
PARTS = {"i_r_uswitch": "fred_r_uswitch", "i_rd_uswitch": "fred_rd_uswitch", "i_mux": "fred_port_mux",
         "i_demux": "fred_port_demux", "i_node": "reducing_crossbar_node"}  # fmt: skip
CYCLE = ("wave",), "cycle"  # scope and name of the number of the cycle: a waveform has no clock edges
VALID = "out_valid_o"  # pin of every part
RESET_ROWS = 2

Ports = Mapping[str, tuple[str, int]]  # name -> (way, bits)
Scope = tuple[str, ...]
Codes = dict[Scope, dict[str, tuple[str, int]]]  # scope -> name of a net -> (code, bits)
PartPins = dict[str, tuple[str, str]]  # pin -> (code, way)


@dataclass
class Wave:
    """An interconnect's part of a waveform, every value as it is after a rising edge of the clock."""

    instance: str
    rows: dict[tuple[str, str], list[traffic.Row]]  # (name, module) of a part -> input pin -> value, of every edge
    valid: dict[tuple[str, str], list[int]]  # likewise -> outputs with a flit, at every edge
    flits_in: int
    flits_out: int


def read(file: Path, instance: str | None, ports_of: Callable[[str], Ports]) -> Wave:
    """A Wave of an instance, or with None of the only one in the file. ports_of(module): the ports of a part, name ->
    (way, bits). Errors: ToolError where the file has no such pins."""
    lines = vcd_lines(file)
    codes = declared(lines)
    instances = sorted({scope[0] for scope in codes if INTERCONNECT in scope})
    if instance is None and len(instances) == 1:
        instance = instances[0]
    if instance not in instances:
        allowed = ", ".join(instances) or "none, there is no switch with an interconnect in it"
        raise ToolError(f"{file}: found the instance {instance or 'not given'}; allowed: {allowed}")
    top = next(scope for scope in codes if scope[0] == instance and scope[-1] == INTERCONNECT)
    parts = {scope: PARTS[scope[-1]] for scope in codes if scope[:len(top)] == top and scope[-1] in PARTS
             and not any(outer in PARTS for outer in scope[:-1])}  # fmt: skip
    watched = {scope: pins_of(file, codes[scope], ports_of(module)) for scope, module in parts.items()}
    return sampled(file, lines, codes, top, instance, {(".".join(scope[len(top):]), parts[scope]): pins for scope, pins in watched.items()})


def vcd_lines(file: Path) -> Iterator[str]:
    done = subprocess.run(["fst2vcd", "-f", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise ToolError(f"{file}: fst2vcd: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return iter(done.stdout.splitlines())


def declared(lines: Iterator[str]) -> Codes:
    """Scope -> name of a net -> (code, bits); reads up to the values."""
    scope: list[str] = []
    codes: Codes = defaultdict(dict)
    for line in lines:
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            codes[tuple(scope)][words[4]] = words[3], int(words[2])
        elif words[:1] == ["$enddefinitions"]:
            break
    return codes


def pins_of(file: Path, nets: Mapping[str, tuple[str, int]], ports: Ports) -> PartPins:
    """The codes of a part's pins. Errors: ToolError for a pin that is missing, or as wide as at another number of lanes."""
    for name, (_, bits) in ports.items():
        if name not in nets or nets[name][1] != bits:
            raise ToolError(f"{file}: found {f'{nets[name][1]} bit' if name in nets else 'no pin'} of {name}; allowed: {bits} bit,"
                            " of a switch with the MODULE's parameters, LANES too")  # fmt: skip
    return {name: (nets[name][0], way) for name, (way, _) in ports.items()}


def sampled(file: Path, lines: Iterator[str], codes: Codes, top: Scope, instance: str,
            parts: Mapping[tuple[str, str], PartPins]) -> Wave:
    """Reads the values, a sample for every cycle. Errors: ToolError where cycles are missing."""
    values: dict[str, int] = defaultdict(int)
    rows: dict[tuple[str, str], list[traffic.Row]] = {part: [] for part in parts}
    valid: dict[tuple[str, str], list[int]] = {part: [] for part in parts}
    flits = {"in_valid_i": 0, VALID: 0}
    scope, number = CYCLE
    if number not in codes[scope]:
        raise ToolError(f"{file}: found no number of the cycle; allowed: a waveform of fredsim (--wave)")
    cycle = codes[scope][number][0]
    cycles = 0

    def sample() -> None:
        if values[cycle] != cycles:
            raise ToolError(f"{file}: found cycle {values[cycle]} after {cycles} cycles; allowed: all of them, recorded without windows and"
                            " triggers")  # fmt: skip
        for name in flits:
            flits[name] += values[codes[top][name][0]].bit_count()
        for part, pins in parts.items():
            rows[part].append({name: values[code] for name, (code, way) in pins.items() if way == "input" and name != CLOCK})
            valid[part].append(values[pins[VALID][0]])

    begun = False
    for line in lines:
        if line[:1] == "#":
            if begun:
                sample()
                cycles += 1
            begun = True
        elif line[:1] in ("b", "0", "1"):
            value, code = (line[1:].split() if line[0] == "b" else (line[0], line[1:]))
            values[code] = int(re.sub("[xz]", "0", value), 2)
    return Wave(instance, rows, valid, flits["in_valid_i"], flits[VALID])


def stimulus(rows: list[traffic.Row]) -> traffic.Stimulus:
    """A part's pins: reset, then as they were."""
    reset = [{name: 0 for name in rows[0]}] * RESET_ROWS
    return traffic.Stimulus([*reset, *rows], [(RESET_ROWS + 1, len(rows))])


def measure(file: Path, instance: str | None, top: Top, network: traffic.Network, flow: Flow) -> energy.WaveTraffic:
    """Energy of a waveform's traffic in the interconnect of a top, which has lanes. Errors: ToolError; Unfinished."""
    assert top.lanes is not None
    lanes = top.lanes
    made: dict[str, Part] = {}

    def part_of(module: str) -> Part:
        if module not in made:
            made[module] = flow.part(module, network.parameters(module, lanes))[0]
            flow.synthesise([made[module]])
        return made[module]

    wave = read(file, instance, lambda module: part_of(module).ports)
    found = flow.each(lambda which: _of_part(flow, part_of(which[1]), which[0], wave.rows[which], wave.valid[which]), wave.rows)
    whole = [one for one in found if one]
    if len(whole) < len(found):
        raise Unfinished
    cycles = len(next(iter(wave.rows.values())))
    return energy.WaveTraffic(wave.instance, lanes, cycles, len(found), wave.flits_in, wave.flits_out,
                              cycles * sum(one.clock_pj for one in whole), cycles * sum(one.loading_pj[0] for one in whole),
                              cycles * sum(one.settled_pj[0] for one in whole),
                              cycles * sum(one.glitch_pj[0] for one in whole))  # fmt: skip


def _of_part(flow: Flow, part: Part, name: str, rows: list[traffic.Row], valid: list[int]) -> energy.Measured | None:
    if part.unfinished:
        return None
    folder = part.folder / "wave" / name
    try:
        with locked(part.folder):
            measured = energy.measure(part, flow.netlists(part), flow.memories(part), flow.sources, stimulus(rows), folder, flow.limit)
            check(part, name, (folder / "rtl" / "outputs.txt").read_text().splitlines(), valid)
            return measured
    except Unfinished:
        return None


def check(part: traffic.Pins, name: str, rtl: Sequence[str], valid: Sequence[int]) -> None:
    """Errors: ToolError where the RTL, played the pins of the waveform, does not give flits where the waveform has them: it is of
    another RTL."""
    before = 0
    for port, (way, bits) in part.ports.items():
        if port == VALID:
            break
        before += bits if way == "output" else 0
    bits = part.ports[VALID][1]
    for edge, wanted in enumerate(valid[1:], 1):
        found = int(rtl[RESET_ROWS + edge - 1][before:before + bits], 2)
        if found != wanted:
            raise ToolError(f"{name}: at edge {edge} the waveform has {VALID} = {wanted:b}, the RTL {found:b}; the waveform is of another"
                            " RTL or begins inside a run")  # fmt: skip
