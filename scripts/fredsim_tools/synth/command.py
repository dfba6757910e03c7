# SPDX-License-Identifier: Apache-2.0
"""Synthesis of the RTL with yosys and timing with OpenSTA, in the cells of osu018: area, memories, longest paths.

A MODULE is a name with or without parameters: fred_paths:P=4,M=3. Those not given are the RTL's; LANES is 256
where a module has it. Without any MODULE: a Fred_3(4), a Fred_3(12) and a mesh router with 4 local ports and 2 for I/O.
Parts that are done already are kept in the folder, named after what they were made of, and not done again.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .. import checkout
from ..checkout import CHECKOUT
from . import floorplan, paper, report, rows, waveform
from .energy import network_of
from .flow import Flow, Top
from .sources import Sources
from .yosys import ToolError, Unfinished

QUICK = ("fred_switch:P=4,M=3", "mesh_router:NUM_LOCAL=1,NUM_IO=0")
ALL = ("fred_switch:P=4,M=3", "fred_switch:P=12,M=3", "mesh_router:NUM_LOCAL=4,NUM_IO=2")
EXAMPLE = """example:
  scripts/synth.sh fred_switch:P=4,M=3,LANES=4 phased_control:P=12 --json synth.json
"""


class Wrong(Exception):
    """A word on the command line that cannot be meant."""


def parse_module(text: str, sources: Sources) -> tuple[str, dict[str, int]]:
    """"name:A=1,B=2" -> (name, parameters)."""
    name, _, rest = text.partition(":")
    if name not in sources.modules():
        raise Wrong(f"unknown module '{name}'; allowed: {', '.join(sources.modules())}")
    allowed = sources.parameters(name)
    parameters = {}
    for word in rest.split(",") if rest else ():
        match = re.fullmatch(r"(\w+)=(\d+)", word)
        if not match or match[1] not in allowed:
            raise Wrong(f"'{word}' in '{text}'; allowed: NAME=NUMBER with NAME one of {', '.join(allowed)}")
        parameters[match[1]] = int(match[2])
    return name, parameters


def parse_pair(text: str) -> tuple[float, float]:
    numbers = re.fullmatch(r"(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)", text)
    if not numbers:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: READ,SETUP, two numbers of FO4")
    return float(numbers[1]), float(numbers[2])


def positive(text: str) -> int:
    if not re.fullmatch(r"\d+", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: a whole number from 1")
    return int(text)


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/synth.sh", description=__doc__, epilog=EXAMPLE, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--quick", action="store_true", help=f"under 3 minutes: {' '.join(QUICK)}")
    parser.add_argument("--list", action="store_true", help="prints the modules with their parameters, and ends")
    parser.add_argument("--json", metavar="FILE", type=Path,
                        help="writes the figures; complete, or not at all. -: to standard output, the tables to standard error")  # fmt: skip
    parser.add_argument("--energy", action="store_true",
                        help="the energy of a flit in the interconnect too, which takes a simulation of gates")  # fmt: skip
    parser.add_argument("--energy-only", action="store_true", help="that alone, without areas and paths")
    parser.add_argument("--rows", metavar="FILE", type=Path,
                        help="with --energy, without any MODULE: writes the energy rows of all kinds of switches, from which fredsim has the"
                        " energy of its runs (sc_models/energy/rows.json)")  # fmt: skip
    parser.add_argument("--wave", metavar="FILE.fst[:INSTANCE]", type=parse_wave,
                        help="the energy of the traffic in a waveform of fredsim, from its first cycle on, with one MODULE of the same"
                        " parameters, LANES too; INSTANCE where there are several")  # fmt: skip
    parser.add_argument("--full-width", action="store_true",
                        help="synthesises and times at the LANES that are asked for, in place of a line through two smaller numbers; parts, or"
                        " small switches")  # fmt: skip
    parser.add_argument("--floorplan", metavar="FILE.svg", type=Path,
                        help="a sketch of one MODULE, a whole switch: blocks by area, wires with their lengths and what they add to paths")  # fmt: skip
    parser.add_argument("--paper", action="store_true", help="a Fred_3(12) chiplet, and the paper's figures beside it")
    parser.add_argument("--limit", metavar="SECONDS", type=positive, default=240, help="for each run of a tool (default: 240)")
    parser.add_argument("--jobs", metavar="NUMBER", type=positive, default=os.cpu_count(), help="runs at a time (default: all cores)")
    parser.add_argument("--memory-fo4", metavar="READ,SETUP", type=parse_pair, default=(20.0, 4.0),
                        help="delay of memories, clock or address to data, and set-up (default: 20,4)")  # fmt: skip
    parser.add_argument("--folder", metavar="FOLDER", type=Path, default=CHECKOUT / "build" / "synth",
                        help="for netlists and logs (default: build/synth)")  # fmt: skip
    return parser.parse_args(words)


def parse_wave(text: str) -> tuple[Path, str | None]:
    file, _, instance = text.partition(".fst:")
    return (Path(f"{file}.fst"), instance) if instance else (Path(text), None)


def add_traffic(top: Top, file_and_instance: tuple[Path, str | None], flow: Flow) -> None:
    network = network_of(top, flow.sources.kinds)
    if network is None or not network.in_waves:
        raise Wrong(f"--wave: found the module {top.kind}; allowed: one of µSwitches or adder trees, such as fred_switch")
    try:
        top.traffic = waveform.measure(*file_and_instance, top, network, flow)
    except Unfinished:
        top.lacks.append("energy of the waveform: a tool did not finish in time")


def draw_floorplan(top: Top, module: str, file: Path) -> None:
    if top.plan is None:
        raise Wrong(f"--floorplan: found {top.kind}; allowed: a whole switch, such as fred_switch, of adders of one stage")
    checkout.prepare("synth.sh", ["python3-matplotlib"])
    top.plan.draw(module, file)


def write_rows(arguments: argparse.Namespace, sources: Sources) -> None:
    if not arguments.energy or arguments.modules or arguments.quick or arguments.paper or arguments.wave or arguments.json:
        raise Wrong("--rows has modules of its own; allowed: --energy --rows FILE alone, with --limit, --jobs and --folder")
    if not arguments.rows.parent.is_dir():
        raise Wrong(f"--rows {arguments.rows}: no folder {arguments.rows.parent}")
    flow = Flow(sources, arguments.folder.resolve(), arguments.jobs, arguments.limit, arguments.memory_fo4)
    write_whole(arguments.rows, rows.text_of(rows.document(flow)))


def write_whole(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        part.write_text(text)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def main(words: Sequence[str]) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run(parse_arguments(words))
    except Wrong as error:
        print(f"synth.sh: {error}", file=sys.stderr)
        return 2
    except (ToolError, OSError) as error:
        print(f"synth.sh: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("synth.sh: interrupted", file=sys.stderr)
        return 130
    return 0


def run(arguments: argparse.Namespace) -> None:
    sources = Sources(CHECKOUT)
    if arguments.list:
        for name in sources.modules():
            print("\n".join(report.wrapped([name, *sources.parameters(name)], "")))
        return
    if arguments.quick and arguments.modules:
        raise Wrong("--quick has modules of its own; allowed: --quick or MODULE…")
    if arguments.paper and (arguments.quick or arguments.modules):
        raise Wrong("--paper has a module of its own; allowed: --paper alone, --quick or MODULE…")
    wanted = [parse_module(text, sources) for text in (QUICK if arguments.quick else arguments.modules or ALL)]
    if arguments.paper:
        wanted = [paper.MODULE]
    if arguments.wave:
        if len(wanted) != 1:
            raise Wrong(f"--wave: found {len(wanted)} modules; allowed: one MODULE")
        if not arguments.wave[0].is_file():
            raise Wrong(f"--wave {arguments.wave[0]}: no such file")
    if arguments.floorplan:
        if len(arguments.modules) != 1:
            raise Wrong(f"--floorplan: found {len(arguments.modules)} modules; allowed: one MODULE")
        if arguments.floorplan.suffix != ".svg" or not arguments.floorplan.parent.is_dir():
            raise Wrong(f"--floorplan {arguments.floorplan}: allowed: a file NAME.svg in a folder that is there")
    if arguments.rows:
        write_rows(arguments, sources)
        return
    to_output = arguments.json == Path("-")
    if arguments.json and not to_output and not arguments.json.parent.is_dir():
        raise Wrong(f"--json {arguments.json}: no folder {arguments.json.parent}")
    start = time.monotonic()
    flow = Flow(sources, arguments.folder.resolve(), arguments.jobs, arguments.limit, arguments.memory_fo4, arguments.full_width)
    tops = flow.energies(wanted) if arguments.energy_only else flow.tops(wanted, arguments.energy)
    if arguments.wave:
        add_traffic(tops[0], arguments.wave, flow)
    for top in tops:
        top.plan = floorplan.plan(top)
    if arguments.floorplan:
        draw_floorplan(tops[0], arguments.modules[0], arguments.floorplan)
    with contextlib.redirect_stdout(sys.stderr if to_output else sys.stdout):
        for top in tops:
            print(report.table(top, flow.fo4_ns), end="\n\n")
            if arguments.paper:
                print("\n".join(paper.comparison(top)), end="\n\n")
        for line in report.assumptions(flow.fo4_ns, arguments.memory_fo4):
            print("\n".join(report.wrapped(line.split(), "")))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{time.monotonic() - start:.0f} s; the largest tool took {peak:.0f} MB.")
    if arguments.json:
        text = json.dumps(report.as_json(tops, flow.fo4_ns, arguments.memory_fo4), indent=1) + "\n"
        sys.stdout.write(text) if to_output else write_whole(arguments.json, text)
