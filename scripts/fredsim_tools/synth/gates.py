# SPDX-License-Identifier: Apache-2.0
"""Simulation of a netlist with iverilog under given traffic: toggles of every cell. The RTL's outputs under the same
traffic, from Verilator, are what the netlist's are held against."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import clock_gates
from .cells import LIBERTY, REGISTER, Memory
from .sources import Sources
from .timing import CLOCK
from .traffic import Stimulus
from .yosys import Part, ToolError, run

LIBRARY = LIBERTY.with_suffix(".v")
HALF_NS = 500  # half a period; longer than any path
UNITS_PER_NS = 100  # time unit of a VCD: 10 ps each
OUTPUT_PINS = frozenset(("Y", "Q"))  # outputs of the cells that abc maps to: one each

# The library's own register starts as x, and stays so where nothing resets it; Verilator's starts
# as 0.
REGISTER_MODEL = f"""
module {REGISTER}(CLK, D, Q);
  input CLK, D;
  output Q;
  reg q;
  initial q = 0;
  always @(posedge CLK) q <= D;
  buf (Q, q);
  specify
    (CLK *> Q) = (0.094, 0.16);
  endspecify
endmodule
"""


def flatten(part: Part, netlists: Sequence[str], folder: Path, limit: int) -> Path:
    """Writes the netlist as one module without vectors, flat.v: iverilog passes a vector on as a whole for every bit that
    changes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log").unlink(missing_ok=True)
    (folder / "parts.v").write_text("\n".join(netlists))
    (folder / "box.v").write_text(clock_gates.BOX)
    (folder / "flatten.ys").write_text(f"read_verilog -lib box.v\nread_verilog parts.v\nhierarchy -top {part.name}\nflatten\nsplitnets -ports\nclean\n"
                                       "write_verilog -noattr -noexpr flat.v\n")  # fmt: skip
    run(["yosys", "-Q", "-T", "flatten.ys"], folder, limit)
    return folder / "flat.v"


def scalars(part: Part, port: str) -> list[str]:
    """Names of a port's pins in such a netlist, lowest first."""
    bits = part.ports[port][1]
    return [port] if bits == 1 else [f"\\{port}[{bit}] " for bit in range(bits)]


def bench(part: Part, rtl: bool, edges: int) -> str:
    """A Verilog module that plays stimulus.txt at a part, and writes its outputs after every edge, all settled."""
    connections, into, declared = [f".{CLOCK}(clock)"], [], []
    for port, (way, bits) in part.ports.items():
        if port == CLOCK:
            continue
        declared.append(f"  wire [{bits - 1}:0] pin_{port};")
        pins = [(port, f"pin_{port}")] if rtl else [(pin, f"pin_{port}[{bit}]") for bit, pin in enumerate(scalars(part, port))]
        connections += [f".{pin}({net})" for pin, net in pins]
        into += [port] if way == "input" else []
    inputs = ", ".join(f"pin_{port}" for port in into)
    outputs = ", ".join(f"pin_{port}" for port in part.ports if part.ports[port][0] == "output")
    width = sum(part.ports[port][1] for port in into)
    if rtl:
        settings = ", ".join(f".{name}({value})" for name, value in part.parameters.items())
        instance, dump = f"{part.module} #({settings})", ""
    else:
        instance, dump = part.name, 'initial begin\n    $dumpfile("toggles.vcd");\n    $dumpvars(0, i);\n  end'
    newline = "\n"
    return f"""`timescale 1ns/10ps
module bench;
  reg [{width - 1}:0] rows [0:{edges}];
  reg [{width - 1}:0] in;
  reg clock;
  integer edge_number, file;
{newline.join(declared)}
  assign {{{inputs}}} = in;
  {instance} i ({", ".join(connections)});
  {dump}
  initial begin
    $readmemb("stimulus.txt", rows);
    file = $fopen("outputs.txt", "w");
    clock = 0;
    in = rows[0];
    for (edge_number = 1; edge_number <= {edges}; edge_number = edge_number + 1) begin
      #{HALF_NS};
      clock = 1;
`ifdef TIMED
      in <= #0.13 rows[edge_number];
`elsif SETTLED
      in <= rows[edge_number];
`endif
      #1;
`ifdef RTL
      in = rows[edge_number];
`endif
      #{HALF_NS - 2};
      $fwrite(file, "%b\\n", {{{outputs}}});
      #1;
      clock = 0;
    end
    $fclose(file);
    $finish;
  end
endmodule
"""


def write_stimulus(part: Part, stimulus: Stimulus, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["".join(f"{row[port]:0{bits}b}" for port, (way, bits) in part.ports.items() if way == "input" and port != CLOCK)
             for row in [*stimulus.rows, stimulus.rows[-1]]]  # fmt: skip
    (folder / "stimulus.txt").write_text("\n".join([*lines, ""]))
    (folder / "outputs.txt").unlink(missing_ok=True)
    (folder / "log").unlink(missing_ok=True)


def rtl_outputs(part: Part, sources: Sources, stimulus: Stimulus, folder: Path, limit: int) -> list[str]:
    """Outputs of the RTL, a line per edge: all output pins, the first port's first."""
    write_stimulus(part, stimulus, folder)
    (folder / "bench.v").write_text(bench(part, True, len(stimulus.rows)))
    files = [str(sources.checkout / sources.files[name]) for name in sources.below(part.module)]
    run(["verilator", "--binary", "--timing", "--assert", "--x-assign", "0", "--x-initial", "0", "-Wno-fatal", "-Wno-lint",
         "-Wno-style", "-DRTL", "-CFLAGS", "-O0", "-O1", "--Mdir", "rtl", "--top-module", "bench", *files, "bench.v"],
        folder, limit)  # fmt: skip
    run(["rtl/Vbench"], folder, limit)
    return (folder / "outputs.txt").read_text().splitlines()


def memory_model(memory: Memory) -> str:
    """A memory as Verilog. Errors: ToolError for one with other ports than a write port and a synchronous read port."""
    if memory.read_kinds() != (1, 0) or memory.writes != 1:
        raise ToolError(f"memory {memory.name}: found {memory.reads} read and {memory.writes} write ports; allowed: one of each,"
                        " synchronous")  # fmt: skip
    pins = "\n".join(f"  {way} {'reg ' if way == 'output' else ''}[{bits - 1}:0] {pin};" for pin, (way, bits) in memory.pins().items())
    return f"""
module {memory.cell}({", ".join(memory.pins())});
{pins}
  reg [{memory.width - 1}:0] words [0:{memory.words - 1}];
  integer place;
  initial begin
    RD_DATA = 0;
    for (place = 0; place < {memory.words}; place = place + 1) words[place] = 0;
  end
  always @(posedge WR_CLK[0]) if (|WR_EN) words[WR_ADDR] <= (words[WR_ADDR] & ~WR_EN) | (WR_DATA & WR_EN);
`ifdef TIMED
  always @(posedge RD_CLK[0]) if (RD_EN[0]) RD_DATA <= #2 words[RD_ADDR];
`else
  always @(posedge RD_CLK[0]) if (RD_EN[0]) RD_DATA <= words[RD_ADDR];
`endif
endmodule
"""


def gate_toggles(part: Part, flat: Path, memories: Sequence[Memory], stimulus: Stimulus, timed: bool, folder: Path,
                 limit: int) -> tuple[list[str], list[dict[str, int]]]:
    """Outputs of the netlist, memories in it by a model, and for every window how often every cell's output toggled:
    [instance -> number]. timed: with the cells' own delays, without loads, so that glitches happen; else without any delay."""
    write_stimulus(part, stimulus, folder)
    (folder / "bench.v").write_text(bench(part, False, len(stimulus.rows)))
    library = re.sub(rf"^module {REGISTER} .*?^endmodule", REGISTER_MODEL, LIBRARY.read_text(), flags=re.MULTILINE | re.DOTALL)
    (folder / "cells.v").write_text("\n".join(["`timescale 1ns/10ps", *map(memory_model, memories), clock_gates.MODEL, library]))
    run(["iverilog", *(["-gspecify", "-DTIMED"] if timed else ["-DSETTLED"]), "-s", "bench", "-o", "gates.vvp", "bench.v",
         str(flat), "cells.v"], folder, limit)  # fmt: skip
    run(["vvp", "-n", "gates.vvp"], folder, limit)
    outputs = (folder / "outputs.txt").read_text().splitlines()
    vcd = folder / "toggles.vcd"
    with open(vcd) as lines:
        counted = count(lines, [(first, first + edges) for first, edges in stimulus.windows])
    vcd.unlink()  # it is large
    return outputs, counted


def count(vcd: Iterator[str], windows: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    """Toggles in a VCD, in every window [from edge, to edge): [instance -> number]."""
    scope: list[str] = []
    pins: dict[str, str] = {}
    for line in vcd:
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2].replace("\\", ""))
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"] and words[4] in OUTPUT_PINS and words[2] == "1":
            pins["/".join(scope[1:])] = words[3]
        elif words[:1] == ["$enddefinitions"]:
            break
    per_window: list[Counter[str]] = [Counter() for _ in windows]
    into: Counter[str] | None = None
    values: dict[str, str] = {}
    for line in vcd:
        if line[0] in "01":
            value, code = line[0], line[1:-1]
            if values.get(code) != value:  # vvp also writes what went there and back at the same time
                values[code] = value
                if into is not None:
                    into[code] += 1
        elif line[0] == "#":
            edge = (int(line[1:]) // (UNITS_PER_NS * HALF_NS) + 1) // 2
            into = next((found for found, (first, end) in zip(per_window, windows, strict=True) if first <= edge < end), None)
    return [{name: found[code] for name, code in pins.items()} for found in per_window]


def compare(part: Part, rtl: Sequence[str], gates: Sequence[str]) -> None:
    """Errors: ToolError for the first output bit of the netlist that is not the RTL's."""
    if len(rtl) != len(gates) or not rtl:
        raise ToolError(f"netlist: {len(gates)} edges, {len(rtl)} of the RTL")
    for edge, (wanted, found) in enumerate(zip(rtl, gates, strict=True)):
        if wanted != found:
            place = next(place for place, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b)
            start = 0
            for port, (way, bits) in part.ports.items():
                if way == "output":
                    if place < start + bits:
                        raise ToolError(f"netlist differs from the RTL at edge {edge}: {port}[{start + bits - 1 - place}] is"
                                        f" {found[place]}, not {wanted[place]}")  # fmt: skip
                    start += bits
