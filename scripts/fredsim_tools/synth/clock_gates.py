# SPDX-License-Identifier: Apache-2.0
"""The clock gate of rtl/common/clock_gate.sv in cells of the library: its cell for timing analysis, its insides for power, its model for a
simulation of gates. The library has no such cell; area, set-up, hold and energy are those of the cells that it is made of."""

import re
from pathlib import Path

from .cells import LIBERTY, REGISTER

GATE = "clock_gate"  # module and cell; clk_i, en_i, test_en_i, clk_o
DEFINE = "FREDSIM_CLOCK_GATES"
OR, LATCH, AND, INVERTER = "OR2X1", "LATCH", "AND2X2", "INVX1"
# The liberty file has 0 for LATCH. This is what the cell takes in the library's
# osu018_stdcells.lef, beside a REGISTER of 96.
LATCH_AREA = 56
LATCH_HOLD_NS = 0.019  # the largest of the liberty file
CLOCK_DRIVER = "i_and"  # instance that drives the gated clock

# For power analysis: the library's own cells.
NETLIST = f"""
module {GATE}(clk_i, en_i, test_en_i, clk_o);
input clk_i, en_i, test_en_i;
output clk_o;
wire any, low, open;
{OR} i_or (.A(en_i), .B(test_en_i), .Y(any));
{INVERTER} i_inverter (.A(clk_i), .Y(low));
{LATCH} i_latch (.CLK(low), .D(any), .Q(open));
{AND} {CLOCK_DRIVER} (.A(open), .B(clk_i), .Y(clk_o));
endmodule
"""

BOX = f"module {GATE}(input clk_i, en_i, test_en_i, output clk_o); endmodule\n"

# For a simulation: the same instances. The clock is ideal, behind gates too.
MODEL = f"""
module {GATE}(clk_i, en_i, test_en_i, clk_o);
  input clk_i, en_i, test_en_i;
  output clk_o;
  wire any, open;
  {OR} i_or (.A(en_i), .B(test_en_i), .Y(any));
  {GATE}_latch i_latch (.CLK(clk_i), .D(any), .Q(open));
  {GATE}_and {CLOCK_DRIVER} (.A(open), .B(clk_i), .Y(clk_o));
endmodule
module {GATE}_latch(CLK, D, Q);
  input CLK, D;
  output Q;
  reg Q;
  initial Q = 0;
  always @(CLK or D) if (!CLK) Q = D;
endmodule
module {GATE}_and(A, B, Y);
  input A, B;
  output Y;
  assign Y = A & B;
endmodule
"""

# Set-up is measured on this: the way of an enable through the latch, which is open, to the AND.
SETUP_NETLIST = f"""
module top(en, low, clk, q);
input en, low, clk;
output q;
wire a, any, open;
BUFX2 driver (.A(en), .Y(a));
{OR} i_or (.A(a), .B(1'b0), .Y(any));
{LATCH} i_latch (.CLK(1'b1), .D(any), .Q(open));
{AND} i_and (.A(open), .B(clk), .Y(q));
endmodule
"""


def area(areas: dict[str, float]) -> float:
    """Area of a gate in µm²."""
    return areas[OR] + areas[INVERTER] + areas[AND] + LATCH_AREA


def leakage(leakages: dict[str, float]) -> float:
    """Leakage of a gate in nW."""
    return sum(leakages[name] for name in (OR, INVERTER, AND, LATCH))


def capacitance(cell: str, pin: str) -> float:
    """Capacitance of a pin of the library in pF."""
    body = re.search(rf"^cell \({cell}\) \{{(.*?)^\}}", LIBERTY.read_text(), re.MULTILINE | re.DOTALL)
    assert body
    found = re.search(rf"pin\({pin}\)\s*\{{.*?capacitance : ([\d.]+);", body[1], re.DOTALL)
    assert found
    return float(found[1])


def liberty(setup_ns: float, hold_ns: float) -> str:
    """The cell for timing analysis, in a library. Its clock is ideal: no delay. set-up: the enable is through the latch before the clock
    rises, so that the AND has no glitch; hold: until the latch is closed."""

    def constraint(kind: str, ns: float) -> str:
        both = " ".join(f'{edge}_constraint(scalar) {{ values("{ns:.5f}"); }}' for edge in ("rise", "fall"))
        return f'timing() {{ related_pin : "clk_i"; timing_type : {kind}_rising; {both} }}'

    delay = " ".join(f'cell_{edge}(scalar) {{ values("0"); }} {edge}_transition(scalar) {{ values("0.1"); }}' for edge in ("rise", "fall"))
    enable = capacitance(OR, "A")
    clock = capacitance(INVERTER, "A") + capacitance(AND, "B")
    return "\n".join([
        "library (clock_gates) {", "delay_model : table_lookup;", 'time_unit : "1ns";', 'voltage_unit : "1V";',
        'current_unit : "1uA";', 'pulling_resistance_unit : "1kohm";', "capacitive_load_unit (1,pf);",
        *(f"{edge}_threshold_pct_{way} : 50;" for edge in ("input", "output") for way in ("rise", "fall")),
        *(f"slew_{end}_threshold_pct_{way} : {level};" for end, level in (("upper", 80), ("lower", 20))
          for way in ("rise", "fall")),
        f"cell ({GATE}) {{ area : 0; clock_gating_integrated_cell : \"latch_posedge_precontrol\";",
        f"pin (clk_i) {{ direction : input; capacitance : {clock:.6f}; clock : true; clock_gate_clock_pin : true; }}",
        f"pin (en_i) {{ direction : input; capacitance : {enable:.6f}; clock_gate_enable_pin : true;",
        constraint("setup", setup_ns), constraint("hold", hold_ns), "}",
        f"pin (test_en_i) {{ direction : input; capacitance : {enable:.6f}; clock_gate_test_pin : true; }}",
        "pin (clk_o) { direction : output; clock_gate_out_pin : true; function : \"clk_i\";",
        f'timing() {{ related_pin : "clk_i"; timing_sense : positive_unate; {delay} }}', "} }", "}", "",
    ])  # fmt: skip


def gated_registers(flat: Path) -> dict[str, list[str]]:
    """Clock gate -> the registers behind it, out of a flat netlist, one connection a line: names of instances."""
    gates: dict[str, str] = {}  # net -> gate
    registers: dict[str, list[str]] = {}  # net -> registers
    kind = name = ""
    for line in flat.read_text().splitlines():
        if match := re.match(r"\s*(\w+) (\\\S+|\w+)\s+\($", line):
            kind, name = match[1], match[2].removeprefix("\\")
        elif kind == GATE and (match := re.match(r"\s*\.clk_o\((.*?)\s*\)", line)):
            gates[match[1]] = name
        elif kind == REGISTER and (match := re.match(r"\s*\.CLK\((.*?)\s*\)", line)):
            registers.setdefault(match[1], []).append(name)
    return {gate: registers.get(net, []) for net, gate in gates.items()}
