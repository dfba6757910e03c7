# SPDX-License-Identifier: Apache-2.0
"""Synthesis of one part with yosys and abc: RTL -> netlist of library cells, with other parts and memories as black boxes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from . import clock_gates, trees
from .cells import LIBERTY, REGISTER, Memory
from .sources import Sources

# Fewer bits than this, or a write port for a constant address (a reset of all words), and it is
# built of registers.
MEMORY_BITS = 512

# abc's steps. Long chains of logic are restructured for depth, twice, before they are mapped; the
# rest is mapped over structural choices as it is, which is faster and, where paths are short, as
# good. Then buffers, then sizes.
MAP_DEEP = "strash; dch; if -g -K 6; dch; if -g -K 6; dch; map -B 0.9; topo"
MAP = "strash; &get -n; &dch -f; &nf; &put"
SIZE = "buffer -p -N 16; upsize; dnsize; stime -p"

# RTL to gates of yosys: without `share`, whose search takes too long. The library has no registers
# with enable or synchronous reset; registers with an asynchronous reset have a set, too.
COARSE = ("synth -run coarse:fine -flatten -noshare",)
# Script for a module that is mostly wires when it is flattened, with a name in every module that
# they go through. Each pass of `synth` walks through all names: a Fred_4(12) of 32 lanes took 322 s
# in place of 70. One name a wire is left.
COARSE_WIRES = ("proc", "flatten", "opt_expr", "opt_clean -purge", "synth -run coarse:fine -noshare")
FINE = ("memory_map", "opt -undriven -fine", "techmap", "opt -fast -full",
        "dfflegalize -cell $_DFF_P_ 01 -cell $_DFFSR_PNN_ 01", "opt -fast", "dfflibmap -liberty cells.lib",
        "abc -liberty cells.lib -constr constraints -script abc", "setundef -zero", "splitnets", "opt_clean -purge")  # fmt: skip

FORMAT = 1  # incremented when a part's files change for a reason outside of its key

# Cells that drive an input and load an output of a part while abc sizes its gates.
DRIVER, LOAD_FF = "BUFX2", 20


class Unfinished(Exception):
    """A run that its time limit ended."""


class ToolError(Exception):
    """A tool that failed."""


_lock = threading.Lock()
_running: set[int] = set()  # processes, each the first of a group of its own
_ended = threading.Event()  # no more are started


def end_all() -> None:
    """Ends the tools that run, and starts no more."""
    with _lock:
        for process in _running:
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
        _ended.set()


def run(command: Sequence[str], folder: Path, limit: int) -> float:
    """Runs a tool in a folder, its output in a log; returns its processor time. More of that than the limit ends it: what
    finishes does not depend on how busy the machine is."""
    with open(folder / "log", "ab") as log:
        with _lock:
            if _ended.is_set():
                raise Unfinished
            process = subprocess.Popen(["prlimit", f"--cpu={limit}", *command], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, start_new_session=True)  # fmt: skip
            _running.add(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with _lock:  # its number is not given to another process before
            _running.discard(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode != 0:
        if seconds > 0.8 * limit:
            raise Unfinished
        lines = (folder / "log").read_text(errors="replace").splitlines()
        wrong = [line for line in lines if line.startswith(("ERROR", "Error"))] or lines[-1:]
        raise ToolError(f"{command[0]}: exit code {process.returncode}: {' '.join(wrong)}")
    return seconds


def one_by_one(text: str, widths: Mapping[str, int]) -> str:
    """A netlist with assignments of concatenations, which OpenSTA does not read, as one assignment per bit. Wires that are
    no ports have one bit."""

    def split(match: re.Match[str]) -> str:
        to, source = (trees.bits_of(match[side], widths) for side in (1, 2))
        assert len(to) == len(source), match[0]
        return "\n".join(f"  assign {a} = {b};" for a, b in zip(to, source, strict=True))

    return re.sub(r"^  assign (\{.*\}) = (.*);$", split, text, flags=re.MULTILINE)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other runs of this program out of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Part:
    """A module with parameters, synthesised on its own."""

    def __init__(self, module: str, parameters: dict[str, int], sources: Sources, folder: Path) -> None:
        self.module, self.given, self.sources = module, parameters, sources
        packages, boxes, modules = sources.needed(module)
        self.read = [f"read_verilog -D{clock_gates.DEFINE} {option} rtl/{sources.files[name].relative_to('rtl')}" for option, names in
                     (("-sv", packages), ("-lib -defer -sv", boxes), ("-defer -sv", modules)) for name in names]  # fmt: skip
        self.coarse = COARSE_WIRES if module in sources.wires else COARSE
        self.map = MAP_DEEP if module in sources.deep else MAP
        # Everything the netlist depends on. For parts of a switch only the pins, so that a change
        # in one does not synthesise all again.
        of_box = sources.pins if module in sources.tops() else sources.text
        texts = [*map(sources.text, packages), *map(of_box, boxes), *map(sources.text, modules)]
        key = [module, sorted(parameters.items()), texts,
               " ".join(self.coarse), FINE, self.map, SIZE, DRIVER, LOAD_FF, MEMORY_BITS, FORMAT, clock_gates.DEFINE,
               LIBERTY.stat().st_size]  # fmt: skip
        self.name = f"{module}__{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]}"
        self.folder = folder / self.name
        self.children: list[tuple[str, str, dict[str, int]]] = []  # (instance, module, parameters), from prepare() on
        self.parts: list[Part] = []  # parts of the children
        self.memories: list[Memory] = []
        self.ports: dict[str, tuple[str, int]] = {}
        self.parameters: dict[str, int] = {}
        self.cells: dict[str, int] = {}  # library cell -> number, from build() on
        self.netlist: Path | None = None
        self.wide: dict[int, Part] = {}  # number of lanes -> the part with that number, if its area is taken from there
        self.unfinished: str | None = None  # why there is no netlist
        self.seconds = 0.0

    # ------------------------------------------------------------------ RTL -> gates of yosys, memories
    def prepare(self, limit: int) -> None:
        """Elaborates, and finds its children and memories. The folder is there already, and locked."""
        if not (self.folder / "prepared.json").exists():
            (self.folder / "rtl").unlink(missing_ok=True)
            (self.folder / "rtl").symlink_to((self.sources.checkout / "rtl").resolve())
            # Not by hierarchy's -chparam: yosys 0.23 then fails where an instance's output is an
            # element of an unpacked net.
            chparams = [f"chparam -set {name} {value} {self.module}" for name, value in self.given.items()]
            script = [*self.read, *chparams, f"hierarchy -check -top {self.module}", "chformal -remove", *self.coarse,
                      "write_rtlil prepared.il", "write_json prepared.json.part"]  # fmt: skip
            seconds = self._yosys("prepare", script, limit)
            (self.folder / "prepare_seconds").write_text(f"{seconds:.1f}")
            (self.folder / "prepared.json.part").rename(self.folder / "prepared.json")
        self.seconds += float((self.folder / "prepare_seconds").read_text())
        modules = json.loads((self.folder / "prepared.json").read_text())["modules"]
        this = next(module for module in modules.values() if "top" in module["attributes"])
        self.parameters = {name: int(value, 2) for name, value in this.get("parameter_default_values", {}).items()
                           if set(value) <= set("01")}  # fmt: skip
        self.ports = {name: (port["direction"], len(port["bits"])) for name, port in this["ports"].items()}
        self._types: dict[str, int] = {}  # name that yosys gave a black box -> index of a child with it
        for instance, cell in this["cells"].items():
            if cell["type"] == "$mem_v2":
                memory = Memory(instance, cell["parameters"])
                constant = any(all(isinstance(bit, str) for bit in
                                   cell["connections"]["WR_ADDR"][port * memory.address_bits:][: memory.address_bits])
                               for port in range(memory.writes))  # fmt: skip
                if memory.bits() >= MEMORY_BITS and not constant:
                    memory.cell = f"memory_{len(self.memories)}_{self.name}"
                    self.memories.append(memory)
            elif cell["type"] in modules and cell["type"] != clock_gates.GATE:
                box = modules[cell["type"]]
                self._types.setdefault(cell["type"], len(self.children))
                self.children.append((instance, box["attributes"]["hdlname"].lstrip("\\"),
                                      {name: int(value, 2) for name, value in box.get("parameter_default_values", {}).items()}))  # fmt: skip

    # ------------------------------------------------------------------ gates of yosys -> library cells
    def build(self, limit: int) -> None:
        done = self.folder / "netlist.v"
        if not done.exists():
            (self.folder / "cells.lib").unlink(missing_ok=True)
            (self.folder / "cells.lib").symlink_to(LIBERTY)
            (self.folder / "constraints").write_text(f"set_driving_cell {DRIVER}\nset_load {LOAD_FF}\n")
            steps = f"{self.map}; {SIZE}"
            (self.folder / "abc").write_text("\n".join(steps.split("; ")) + "\n")
            boxes = []
            for memory in self.memories:
                pins = memory.pins()
                boxes.append(f"module {memory.cell}({', '.join(pins)});")
                boxes += [f"{way} [{max(count, 1) - 1}:0] {pin};" for pin, (way, count) in pins.items()]
                boxes.append("endmodule")
            (self.folder / "boxes.v").write_text("\n".join([*boxes, ""]))
            gates = (self.folder / "prepared.il").read_text()
            for memory in self.memories:
                start = gates.index(f"  cell $mem_v2 \\{memory.name}\n")
                end = gates.index("\n  end\n", start)
                cell = gates[start:end].replace("$mem_v2", f"\\{memory.cell}", 1)
                gates = gates[:start] + re.sub(r"\n    parameter [^\n]*", "", cell) + gates[end:]
            (self.folder / "boxed.il").write_text(gates)
            script = ["read_rtlil boxed.il", "read_verilog -lib boxes.v", *FINE,
                      f"tee -q -o cells.txt stat -top {self.module}", "write_verilog -noattr -noexpr mapped.v"]  # fmt: skip
            seconds = self._yosys("map", script, limit)
            (self.folder / "map_seconds").write_text(f"{seconds:.1f}")
            (self.folder / "mapped.v").rename(done)
        self.seconds += float((self.folder / "map_seconds").read_text())
        for name, count in re.findall(rf"^ +([A-Z]\w+|{clock_gates.GATE}) +(\d+)$", (self.folder / "cells.txt").read_text(), re.MULTILINE):
            self.cells[name] = self.cells.get(name, 0) + int(count)
        self.netlist = done

    def verilog(self, child_names: Sequence[str]) -> str:
        """The netlist's text, with the names of its children's netlists in place of yosys's, in order of `children`."""
        assert self.netlist
        text = one_by_one(self.netlist.read_text(), {name: bits for name, (_, bits) in self.ports.items()})
        for kind, index in self._types.items():
            text = text.replace(f"\\{kind} ", f"{child_names[index]} ").replace(f"  {kind} ", f"  {child_names[index]} ")
        return re.sub(rf"^module {self.module}\(", f"module {self.name}(", text, flags=re.MULTILINE)

    def area(self, areas: Mapping[str, float]) -> tuple[float, float]:
        """Area of its own cells: (all, registers), in µm²."""
        total = sum(areas[name] * count for name, count in self.cells.items())
        return total, areas[REGISTER] * self.cells.get(REGISTER, 0)

    def leakage(self, leakages: Mapping[str, float]) -> float:
        """Leakage of its own cells, in nW."""
        return sum(leakages[name] * count for name, count in self.cells.items())

    def _yosys(self, name: str, script: Sequence[str], limit: int) -> float:
        (self.folder / f"{name}.ys").write_text("\n".join([*script, ""]))
        return run(["yosys", "-Q", "-T", f"{name}.ys"], self.folder, limit)
