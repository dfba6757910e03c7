# SPDX-License-Identifier: Apache-2.0
"""Timing with OpenSTA: a netlist between registers, with ideal wires and an ideal clock."""

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from . import clock_gates
from .cells import INVERTER, LIBERTY, REGISTER, Memory, inverter_chain, memory_library
from .yosys import Part, ToolError, run

TimingPath = tuple[float, str, str]  # FO4, from, to

PERIOD_NS = 1000  # longer than any path; only the delays count
CLOCK, RESET = "clk_i", "rst_ni"

# Prints "path DELAY FROM TO" for the latest path into every end, delays with clock-to-output and
# set-up.
REPORT = """
proc register_of {pin} {
  set name [get_full_name $pin]
  set slash [string last "/" $name]
  if {[string match "*/Q" $name] || [string match "*/D" $name]} {
    set q [get_pins -quiet "[string range $name 0 $slash]Q"]
    if {[llength $q] > 0} {
      set nets [get_nets -quiet -of_objects $q]
      if {[llength $nets] > 0} { return "[string range $name 0 $slash] [get_full_name [lindex $nets 0]]" }
    }
  }
  return "$name $name"
}
foreach end [find_timing_paths -path_delay max -group_count @ENDS@] {
  set late [expr @PERIOD@ - [get_property $end slack]]
  puts "path\t$late\t[register_of [get_property $end startpoint]]\t[register_of [get_property $end endpoint]]"
}
set enables {}
foreach gate [get_cells -hierarchical *] {
  if {[get_property $gate ref_name] == "@GATE@"} { lappend enables "[get_full_name $gate]/en_i" }
}
if {[llength $enables] > 0} {
  foreach end [find_timing_paths -path_delay min -to [get_pins $enables]] {
    puts "hold\t[get_property $end slack]\t[get_full_name [get_property $end endpoint]]"
  }
}
"""


def sta(folder: Path, script: str, limit: int) -> str:
    (folder / "log").unlink(missing_ok=True)
    (folder / "sta.tcl").write_text(script)
    run(["sta", "-no_splash", "-exit", "sta.tcl"], folder, limit)
    log = (folder / "log").read_text(errors="replace")
    if wrong := re.search(r"^Error: .*", log, re.MULTILINE):  # OpenSTA goes on after one
        raise ToolError(f"sta: {wrong[0]}; in {folder}")
    return log


def measure_fo4_ns(folder: Path) -> float:
    """Delay of an inverter that drives four of its kind, mean of rising and falling, in the middle of a chain. Measured in a folder of its own
    in `folder`, in which other processes may synthesise at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fo4-", dir=folder) as own:
        (Path(own) / "chain.v").write_text(inverter_chain(12))
        log = sta(Path(own), f"""read_liberty {LIBERTY}
read_verilog chain.v
link_design top
create_clock -name clock -period {PERIOD_NS}
set_input_delay 0 -clock clock [get_ports a]
set_output_delay 0 -clock clock [get_ports y]
report_checks -path_delay max -format full -digits 5
""", 60)  # fmt: skip
    times = [float(line.split()[1]) for line in log.splitlines() if f"/Y ({INVERTER})" in line]
    return (times[9] - times[5]) / 4


def measure_gate_ns(folder: Path, fo4_ns: float) -> tuple[float, float]:
    """Set-up and hold of a clock gate's enable to the clock's rising edge. Set-up: from its pin through OR and open latch, mean of the delays
    that OpenSTA finds, to the AND. Hold: what the latch's own clock is later by an inverter, and the latch's."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gate-", dir=folder) as own:
        (Path(own) / "gate.v").write_text(clock_gates.SETUP_NETLIST)
        log = sta(Path(own), f"""read_liberty {LIBERTY}
read_verilog gate.v
link_design top
create_clock -name clock -period {PERIOD_NS}
set_input_delay 0 -clock clock [get_ports {{en clk}}]
set_output_delay 0 -clock clock [get_ports q]
report_checks -path_delay max -from [get_ports en] -format full -digits 5
""", 60)  # fmt: skip
    times = {name: float(line.split()[1]) for line in log.splitlines() for name in ("driver/Y", "i_latch/Q") if name in line}
    return times["i_latch/Q"] - times["driver/Y"], fo4_ns + clock_gates.LATCH_HOLD_NS


def between_registers(part: Part, scalars: Callable[[Part, str], list[str]] | None = None) -> str:
    """A netlist that has the part between registers: one before every input, one after every output. scalars: names the pins
    of a port, of a part without vectors."""
    ports = [*part.ports]
    out = [f"module top({CLOCK}, {RESET});", f"input {CLOCK}, {RESET};"]
    connections = []
    for port in ports:
        direction, bits = part.ports[port]
        if port in (CLOCK, RESET):
            connections.append(f".{port}({port})")
            continue
        out.append(f"wire [{bits - 1}:0] {port}, {port}_pin;")
        if scalars is None:
            connections.append(f".{port}({port})")
        else:
            connections += [f".{pin}({port}[{bit}])" for bit, pin in enumerate(scalars(part, port))]
        for bit in range(bits):
            here, there = f"{port}[{bit}]", f"{port}_pin[{bit}]"
            data, output = (there, here) if direction == "input" else (here, there)
            out.append(f"{REGISTER} \\{port}[{bit}]_pin (.CLK({CLOCK}), .D({data}), .Q({output}));")
    return "\n".join([*out, f"{part.name} i ({', '.join(connections)});", "endmodule", ""])


def longest_paths(part: Part, netlists: Sequence[str], memories: Sequence[Memory], folder: Path, fo4_ns: float,
                  memory_fo4: tuple[float, float], gate_ns: tuple[float, float], limit: int, ends: int = 3000) -> list[TimingPath]:
    """Latest paths [(FO4, from, to)] through a part, latest first; one for every pair of registers;
    equal generated instances count once. gate_ns: set-up and hold of clock gates. Errors: ToolError for an enable that
    changes before its gate's latch is closed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memories.lib").write_text(memory_library(memories, *(round(fo4 * fo4_ns, 5) for fo4 in memory_fo4)))
    (folder / "design.v").write_text("\n".join([*netlists, between_registers(part)]))
    (folder / "clock_gates.lib").write_text(clock_gates.liberty(*gate_ns))
    report = REPORT.replace("@ENDS@", str(ends)).replace("@PERIOD@", str(PERIOD_NS)).replace("@GATE@", clock_gates.GATE)
    clock = f"create_clock -name clock -period {PERIOD_NS} [get_ports {CLOCK}]"
    log = sta(folder, f"read_liberty {LIBERTY}\nread_liberty memories.lib\nread_liberty clock_gates.lib\nread_verilog design.v\nlink_design top\n"
               f"{clock}\n{report}", limit)  # fmt: skip
    paths: dict[tuple[str, ...], TimingPath] = {}
    for line in log.splitlines():
        if line.startswith("path\t"):
            _, late, start, end = line.split("\t")
            path = (float(late) / fo4_ns, readable(start), readable(end))
            pair = tuple(re.sub(r"\[\d+\]", "", name) for name in path[1:])
            paths[pair] = max(paths.get(pair, path), path)
        elif line.startswith("hold\t"):
            _, slack, pin = line.split("\t")
            if float(slack) < 0:
                raise ToolError(f"{part.module}: {pin}: the enable changes {-float(slack):.3f} ns before the latch of its clock gate is closed")
    return sorted(paths.values(), key=lambda path: (-path[0], path[1:]))


def readable(pin: str) -> str:
    """`instance.register` of "CELL NET" or "PIN PIN" as OpenSTA writes them, bit numbers of registers left out."""
    cell, net = (word.replace("\\", "") for word in pin.split(" ", 1))
    name = net.removeprefix("i/")
    if re.search(r"(^|/)_\d+_$", name):  # a net without a name of its own
        name = cell.removeprefix("i/").rstrip("/")
    name = re.sub(r"/(RD|WR)_(CLK|EN|ADDR|DATA|SRST|ARST)(\[\d+\])?$", r"", name)
    return re.sub(r"\[\d+\]$", "", name).replace("/", ".").removesuffix("_pin")
