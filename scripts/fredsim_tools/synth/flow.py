# SPDX-License-Identifier: Apache-2.0
"""From a module and a size to its figures: parts synthesised side by side, put together, timed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from . import cells, clock_gates, timing, trees
from .energy import Energy, WaveTraffic, of_tops
from .sources import Sources
from .timing import TimingPath
from .traffic import FLIT_LANES
from .yosys import Part, ToolError, Unfinished, end_all, locked

if TYPE_CHECKING:
    from .floorplan import Plan

# Lanes that are synthesised. The area of other numbers follows a line through these; paths are
# taken from the first.
LANES = (4, 32)
# Parameters of parts that grow with the lanes. A part with another one that does is an error.
WIDTHS = frozenset(("LANES", "FLIT_W"))

Item = TypeVar("Item")
Result = TypeVar("Result")
Wanted = tuple[str, dict[str, int]]  # module, parameters
Step = Callable[[int], None]  # step of a part: prepare or build
Place = tuple[Any, ...]

WAKE_SECONDS = 1  # a signal that arrives just before a wait is seen only after it


class RowMemory(TypedDict):
    """reads: numbers of synchronous and asynchronous ones."""

    name: str
    words: int
    width: int
    reads: tuple[int, int]
    writes: int


@dataclass
class Row:
    """One module of a top, with all that is below it flattened or in rows of its own."""

    module: str
    count: int
    parameters: dict[str, int]
    kge: float = 0.0  # per part, at the top's lanes, without its parts
    register_kge: float = 0.0
    leakage_nw: float = 0.0  # per part, without its parts
    memories: list[RowMemory] = field(default_factory=list)  # per part
    path_fo4: float | None = None  # longest of it alone, between registers, its parts included
    seconds: float = 0.0
    unfinished: str | None = None


@dataclass
class Top:
    """A module of one size, with everything in it."""

    kind: str
    parameters: dict[str, int]
    ports: int | None
    lanes: int | None
    rows: list[Row]
    paths: list[TimingPath]  # latest first
    lacks: list[str]  # modules that are not in the figures, with the reason
    seconds: float
    energy: Energy | None = None  # energy of its interconnect
    traffic: WaveTraffic | None = None
    plan: "Plan | None" = None  # its floorplan


def on_line(at_first: float, at_second: float, lanes: int) -> float:
    """Value at a number of lanes, from the values at LANES."""
    first, second = LANES
    return at_first + (at_second - at_first) * (lanes - first) / (second - first)


class Flow:
    def __init__(self, sources: Sources, folder: Path, jobs: int, limit: int, memory_fo4: tuple[float, float],
                 full_width: bool = False) -> None:
        self.sources, self.folder, self.limit, self.memory_fo4 = sources, folder, limit, memory_fo4
        self.full_width = full_width  # synthesises and times at the lanes that are asked for, in place of LANES
        self.pool = ThreadPoolExecutor(jobs)
        self.parts: dict[str, Part] = {}
        self._grown: dict[str, trees.Grown] = {}  # name of a part -> its netlist with buffer trees
        self._growing = threading.RLock()
        self.areas = cells.areas(cells.LIBERTY.read_text())
        self.areas[clock_gates.GATE] = clock_gates.area(self.areas)
        self.leakages = cells.leakages(cells.LIBERTY.read_text())
        self.leakages[clock_gates.GATE] = clock_gates.leakage(self.leakages)
        self.fo4_ns = timing.measure_fo4_ns(folder)
        self.gate_ns = timing.measure_gate_ns(folder, self.fo4_ns)

    # ------------------------------------------------------------------ synthesis
    def part(self, module: str, parameters: dict[str, int]) -> tuple[Part, bool]:
        """The part with that name, and whether it is a new one."""
        part = Part(module, parameters, self.sources, self.folder)
        known = self.parts.setdefault(part.name, part)
        return known, known is part

    def synthesise(self, tops: Iterable[Part]) -> None:
        """Synthesises parts, and the parts in them."""
        running: dict[Future[None], tuple[Part, Step]] = {}

        def submit(part: Part, step: Step) -> None:
            running[self.pool.submit(self._run, part, step)] = (part, step)

        for part in tops:
            submit(part, part.prepare)
        while running:
            for future in wait(running, WAKE_SECONDS, FIRST_COMPLETED).done:
                part, step = running.pop(future)
                future.result()
                if step == part.prepare and not part.unfinished:
                    for _, module, parameters in part.children:
                        child, new = self.part(module, parameters)
                        part.parts.append(child)
                        if new:
                            submit(child, child.prepare)
                    submit(part, part.build)

    def _run(self, part: Part, step: Step) -> None:
        try:
            with locked(part.folder):
                step(self.limit)
        except Unfinished:
            part.unfinished = f"did not finish in {self.limit} s"
            part.seconds += self.limit
        except ToolError as error:
            raise ToolError(f"{part.module}: {error}; in {part.folder}") from None

    # ------------------------------------------------------------------ putting together
    def tops(self, wanted: Sequence[Wanted], with_energy: bool) -> list[Top]:
        """Figures of (module, parameters) each, in that order."""
        try:
            tops = self._tops(wanted)
            if with_energy:
                of_tops(tops, self)
            return tops
        except BaseException:
            self.pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise

    def energies(self, wanted: Sequence[Wanted]) -> list[Top]:
        """Tops with their energy alone. One lane of each is elaborated, to know its parameters."""
        parts = [(parameters.get("LANES", FLIT_LANES), self.part(module, dict(parameters, LANES=1))[0]) for module, parameters in wanted]
        for _, part in parts:
            self._run(part, part.prepare)
        tops = [Top(part.module, dict(part.parameters, LANES=lanes), part.parameters.get("P"), lanes, [], [], [], part.seconds)
                for lanes, part in parts]  # fmt: skip
        of_tops(tops, self)
        return tops

    def _tops(self, wanted: Sequence[Wanted]) -> list[Top]:
        sized = []
        for module, parameters in wanted:
            if "LANES" in self.sources.parameters(module):
                lanes = parameters.get("LANES", FLIT_LANES)
                sizes = [dict(parameters, LANES=n) for n in ((lanes,) if lanes in LANES or self.full_width else LANES)]
            else:
                lanes, sizes = None, [parameters]
            sized.append((lanes, [self.part(module, size) for size in sizes]))
        self.synthesise([part for _, parts in sized for part, new in parts if new])
        self._widen([(lanes, part) for lanes, parts in sized if lanes and len(parts) > 1 for part, _ in parts[:1]])
        paths = self._paths([parts[0][0] for _, parts in sized])
        return [self._top(lanes, [part for part, _ in parts], paths) for lanes, parts in sized]

    def _widen(self, tops: Iterable[tuple[int, Part]]) -> None:
        """Synthesises parts that are not on a line at their full width."""
        new = []
        for lanes, top in tops:
            for part, _ in self._below(top).values():
                if "LANES" in part.parameters and not part.children and part.module not in self.sources.line:
                    part.wide[lanes], is_new = self.part(part.module, dict(part.parameters, LANES=lanes))
                    if is_new:
                        new.append(part.wide[lanes])
        self.synthesise(new)

    def _below(self, part: Part) -> dict[str, tuple[Part, int]]:
        """The part and all in it: name -> (part, number)."""
        found = {part.name: (part, 1)}
        for child in part.parts:
            for name, (inner, count) in self._below(child).items():
                found[name] = (inner, count + (found[name][1] if name in found else 0))
        return found

    def _paths(self, tops: Iterable[Part]) -> dict[str, list[TimingPath]]:
        """Longest paths of these and of every part in them: name -> paths."""
        wanted = {name: part for top in tops for name, (part, _) in self._below(top).items() if part.netlist}
        return dict(zip(wanted, self.each(self._paths_of, wanted.values()), strict=True))

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """The function's results, of all items side by side."""
        futures = [self.pool.submit(function, item) for item in items]
        while wait(futures, WAKE_SECONDS).not_done:
            pass
        return [future.result() for future in futures]

    def netlists(self, part: Part) -> list[str]:
        parts = [inner for inner, _ in self._below(part).values() if inner.netlist]
        return [self._with_trees(inner).text for inner in parts]

    def _with_trees(self, part: Part) -> trees.Grown:
        """A part's netlist with its buffer trees, which are counted among its cells."""
        with self._growing:
            if part.name not in self._grown:
                children = {}
                for child in part.parts:
                    inputs = self._with_trees(child).input_pf if child.netlist else {
                        name: [0.0] * bits for name, (way, bits) in child.ports.items() if way == "input"}  # fmt: skip
                    outputs = frozenset(name for name, (way, _) in child.ports.items() if way == "output")
                    children[child.name] = trees.Child(outputs, inputs)
                for memory in part.memories:
                    pins = memory.pins()
                    loads = {pin: [cells.PIN_PF / (memory.width if pin == "WR_EN" else 1)] * max(bits, 1)
                             for pin, (way, bits) in pins.items() if way == "input"}  # fmt: skip
                    children[memory.cell] = trees.Child(frozenset(("RD_DATA",)), loads)
                grown = trees.grow(part.verilog([child.name for child in part.parts]), part.ports, children)
                part.cells[trees.BUFFER] = part.cells.get(trees.BUFFER, 0) + grown.buffers
                self._grown[part.name] = grown
            return self._grown[part.name]

    def memories(self, part: Part) -> list[cells.Memory]:
        return [memory for inner, _ in self._below(part).values() if inner.netlist for memory in inner.memories]

    def _paths_of(self, part: Part) -> list[TimingPath]:
        netlists, memories = self.netlists(part), self.memories(part)
        with locked(part.folder):
            return timing.longest_paths(part, netlists, memories, part.folder / "timing", self.fo4_ns, self.memory_fo4,
                                        self.gate_ns, self.limit)  # fmt: skip

    def _top(self, lanes: int | None, parts: Sequence[Part], paths: Mapping[str, list[TimingPath]]) -> Top:
        first = parts[0]
        below = [{self._place(part): (part, count) for part, count in self._below(top).values()} for top in parts]
        if len(below) > 1:
            self._check_alike(below, parts)
        rows, lacks = [], []
        full = lanes or 0  # a part without lanes has no second size either
        for place, (part, count) in below[0].items():
            row = Row(part.module, count, part.parameters or part.given, seconds=part.seconds)
            rows.append(row)
            other, other_count = below[1].get(place, (None, 0)) if len(below) > 1 else (None, 0)
            wide = part.wide.get(full) if len(below) > 1 else None
            row.unfinished = part.unfinished or (wide or other or part).unfinished
            if len(below) > 1 and other is None and not row.unfinished:
                row.unfinished = f"has no figures at {LANES[1]} lanes"
            if row.unfinished:
                lacks.append(f"{part.module} {row.unfinished}")
                continue
            row.path_fo4 = paths[part.name][0][0] if paths[part.name] else None
            row.memories = [dict(name=memory.name, words=memory.words, width=memory.width, reads=memory.read_kinds(),
                                 writes=memory.writes) for memory in part.memories]  # fmt: skip
            own = self._own(part)
            if wide is not None:
                for memory, same in zip(row.memories, wide.memories, strict=True):
                    memory["width"] = same.width
                own = self._own(wide)
            elif other is not None:
                for memory, more in zip(row.memories, other.memories, strict=True):
                    memory["width"] = round(on_line(memory["width"], more.width, full))
                own = [on_line(a, b, full) for a, b in zip(own, self._own(other), strict=True)]
            if other is not None:
                row.count = round(on_line(count, other_count, full))
            row.kge, row.register_kge, row.leakage_nw = own
        ports = first.ports.get("in_valid_i", (None, None))[1] if "in_credit_o" in first.ports else first.parameters.get("P")
        return Top(first.module, first.parameters or first.given, ports, lanes, rows, paths.get(first.name, []), lacks,
                   sum(part.seconds for part, _ in [pair for both in below for pair in both.values()]))  # fmt: skip

    def _own(self, part: Part) -> list[float]:
        """Figures of a part without its children: kGE, kGE of registers, nW of leakage."""
        self._with_trees(part)
        kge = [area / self.areas[cells.UNIT_GATE] / 1000 for area in part.area(self.areas)]
        return [*kge, part.leakage(self.leakages)]

    @staticmethod
    def _place(part: Part) -> Place:
        """Key that a part and its like with other lanes have in common."""
        return part.module, *sorted(item for item in (part.parameters or part.given).items() if item[0] not in WIDTHS)

    @staticmethod
    def _check_alike(below: Sequence[Mapping[Place, tuple[Part, int]]], tops: Sequence[Part]) -> None:
        """Errors: ToolError where a part has no counterpart in the top with other lanes, whose area would be that of the first lanes."""
        if any(part.unfinished for both in below for part, _ in both.values()):
            return
        for here, there, top in (below[0], below[1], tops[0]), (below[1], below[0], tops[1]):
            for place in here.keys() - there.keys():
                parameters = ", ".join(f"{name}={value}" for name, value in place[1:])
                raise ToolError(f"{tops[0].module}: found {place[0]} with {parameters} at {top.parameters['LANES']} lanes only; allowed:"
                                f" parts that differ in {', '.join(sorted(WIDTHS))}")  # fmt: skip
