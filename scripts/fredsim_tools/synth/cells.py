# SPDX-License-Identifier: Apache-2.0
"""The cell library: osu018 of Debian's qflow-tech-osu018, and black boxes for memories beside it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import technology

LIBERTY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
REGISTER = "DFFPOSX1"  # D, CLK, Q
UNIT_GATE = "NAND2X1"  # one gate equivalent
GATE_UM2 = 24
INVERTER = "INVX1"

PIN_PF = 0.01  # input of a memory

# Delay of an inverter that drives four of its kind, at 14 to 16 nm (Stillmaker & Baas 2017).
FO4_PS_FAST, FO4_PS_SLOW = 5.7, 8.4


def areas(text: str) -> dict[str, float]:
    """Cell name -> area, in µm²."""
    return _numbers("area", text)


def leakages(text: str) -> dict[str, float]:
    """Cell name -> leakage, in nW."""
    return _numbers("cell_leakage_power", text)


def _numbers(key: str, text: str) -> dict[str, float]:
    cells = re.findall(rf"^cell \((\w+)\) \{{.*?\b{key} : ([\d.]+);", text, re.MULTILINE | re.DOTALL)
    return {name: float(number) for name, number in cells}


def clock_ghz(fo4: float) -> list[float]:
    """Clock of a path of the given FO4 at 14 to 16 nm, slow corner: [slow end, fast end]."""
    return [1000 / technology.slow_corner(fo4 * ps) for ps in (FO4_PS_SLOW, FO4_PS_FAST)]


def typical_clock_ghz(fo4: float) -> list[float]:
    """Value at the typical corner, without margin."""
    return [1000 / (fo4 * ps) for ps in (FO4_PS_SLOW, FO4_PS_FAST)]


def wire_fo4(mm: float) -> float:
    """Delay of a wire with repeaters, in FO4 of the slow end, where it is most of a cycle in ns and least in FO4."""
    return float(technology.DATA["wire"]["ns_per_mm"]) * 1000 / FO4_PS_SLOW * mm


def inverter_chain(length: int) -> str:
    """A netlist of inverters in a chain, each of which drives the next and three more."""
    lines = ["module top(a, y);", "input a;", "output y;", f"wire [{length}:0] n;", "assign n[0] = a;",
             f"assign y = n[{length}];"]  # fmt: skip
    for i in range(length):
        lines.append(f"{INVERTER} u{i}(.A(n[{i}]), .Y(n[{i + 1}]));")
        lines += [f"{INVERTER} load{i}_{k}(.A(n[{i + 1}]));" for k in range(3)]
    return "\n".join([*lines, "endmodule", ""])


class Memory:
    """One memory that is left as a black box."""

    def __init__(self, name: str, parameters: Mapping[str, str]) -> None:
        def number(key: str) -> int:
            return int(parameters[key], 2)

        def bits(key: str, count: int) -> list[bool]:
            return [digit == "1" for digit in reversed(parameters[key][-count:].zfill(count))] if count else []

        self.name = name
        self.words, self.width = number("SIZE"), number("WIDTH")
        self.address_bits = number("ABITS")
        self.reads, self.writes = number("RD_PORTS"), number("WR_PORTS")
        self.synchronous = bits("RD_CLK_ENABLE", self.reads)  # by read port
        self.cell = ""

    def bits(self) -> int:
        return self.words * self.width

    def read_kinds(self) -> tuple[int, int]:
        """Numbers of read ports: (synchronous, asynchronous)."""
        return sum(self.synchronous), self.reads - sum(self.synchronous)

    def pins(self) -> dict[str, tuple[str, int]]:
        """Name -> (direction, bits), as yosys names them."""
        return {
            "RD_CLK": ("input", self.reads), "RD_EN": ("input", self.reads), "RD_ARST": ("input", self.reads),
            "RD_SRST": ("input", self.reads), "RD_ADDR": ("input", self.reads * self.address_bits),
            "RD_DATA": ("output", self.reads * self.width),
            "WR_CLK": ("input", self.writes), "WR_EN": ("input", self.writes * self.width),
            "WR_ADDR": ("input", self.writes * self.address_bits), "WR_DATA": ("input", self.writes * self.width),
        }  # fmt: skip

    def liberty(self, read_ns: float, setup_ns: float, capacitance: float) -> str:
        """The cell for timing analysis. An asynchronous read takes as long, from address to data, as a synchronous
        one from clock to data."""

        def setup(clock: str) -> str:
            both = f'rise_constraint(scalar) {{ values("{setup_ns}"); }} fall_constraint(scalar) {{ values("{setup_ns}"); }}'
            return f'timing() {{ related_pin : "{clock}"; timing_type : setup_rising; {both} }}'

        def delay(pin: str, kind: str) -> str:
            both = " ".join(f'cell_{edge}(scalar) {{ values("{read_ns}"); }} {edge}_transition(scalar) {{ values("0.1"); }}'
                            for edge in ("rise", "fall"))  # fmt: skip
            return f'timing() {{ related_pin : "{pin}"; {kind} {both} }}'

        out = [f"cell ({self.cell}) {{ area : 0;"]
        for pin, (direction, count) in self.pins().items():
            if count == 0:
                continue
            out.append(f"bus ({pin}) {{ bus_type : bits_{count}; direction : {direction};")
            # yosys gives every bit a write enable of its own; a memory has one per port.
            load = capacitance / self.width if pin == "WR_EN" else capacitance
            for bit in range(count):
                out.append(f"pin ({pin}[{bit}]) {{ direction : {direction}; capacitance : {load:.7f};")
                if pin == "RD_DATA":
                    port = bit // self.width
                    if self.synchronous[port]:
                        out.append(delay(f"RD_CLK[{port}]", "timing_type : rising_edge;"))
                    else:
                        out += [delay(f"RD_ADDR[{port * self.address_bits + a}]", "timing_sense : non_unate;")
                                for a in range(self.address_bits)]  # fmt: skip
                elif pin in ("WR_EN", "WR_DATA"):
                    out.append(setup(f"WR_CLK[{bit // self.width}]"))
                elif pin == "WR_ADDR":
                    out.append(setup(f"WR_CLK[{bit // self.address_bits}]"))
                elif pin == "RD_ADDR" and self.synchronous[bit // self.address_bits]:
                    out.append(setup(f"RD_CLK[{bit // self.address_bits}]"))
                elif pin in ("RD_EN", "RD_SRST") and self.synchronous[bit]:
                    out.append(setup(f"RD_CLK[{bit}]"))
                elif pin in ("RD_CLK", "WR_CLK"):
                    out.append("clock : true;")
                out.append("}")
            out.append("}")
        return "\n".join([*out, "}"])


def memory_library(memories: Sequence[Memory], read_ns: float, setup_ns: float, capacitance: float = PIN_PF) -> str:
    """A library of such memories."""
    counts = sorted({count for memory in memories for _, count in memory.pins().values() if count})
    types = [f"type (bits_{n}) {{ base_type : array; data_type : bit; bit_width : {n}; bit_from : {n - 1}; bit_to : 0; }}"
             for n in counts]  # fmt: skip
    return "\n".join([
        "library (memories) {", "delay_model : table_lookup;", 'time_unit : "1ns";', 'voltage_unit : "1V";',
        'current_unit : "1uA";', 'pulling_resistance_unit : "1kohm";', "capacitive_load_unit (1,pf);",
        *(f"{edge}_threshold_pct_{way} : 50;" for edge in ("input", "output") for way in ("rise", "fall")),
        *(f"slew_{end}_threshold_pct_{way} : {level};" for end, level in (("upper", 80), ("lower", 20))
          for way in ("rise", "fall")),
        *types, *(memory.liberty(read_ns, setup_ns, capacitance) for memory in memories), "}", "",
    ])  # fmt: skip
