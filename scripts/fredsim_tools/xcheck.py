# SPDX-License-Identifier: Apache-2.0
"""Every kind of switch from unknown state: its RTL in a four-state simulation, in which all registers and memories are unknown before the
reset, and inputs are where nothing may depend on them, under random work that keeps the rules.

yosys writes the RTL as one module of registers and multiplexers, whose output is unknown where the choice is unknown, unless both sides agree;
iverilog simulates it. The work and what the pins have to show are recorded from the twin (tests/xcheck/record.cpp): every output bit is to be as
recorded, at every edge: none unknown, no flit lost or added, nothing overflows. Payload counts where a flit is valid, a register's value where it is read.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import checkout, kinds
from .rtl import constants, listed

SHOWN = 5  # differences

BENCH = """`timescale 1ns/1ns
module bench;
  reg [{inputs}-1:0] rows [0:{edges}-1];
  reg [{inputs}-1:0] in;
  reg clock;
  integer edge_number, file;
{wires}
  assign {{{names}}} = in;
  {top} i (.clk_i(clock), {pins});
  initial begin
    $readmemb("stimulus.txt", rows);
    file = $fopen("outputs.txt", "w");
    clock = 0;
    for (edge_number = 0; edge_number < {edges}; edge_number = edge_number + 1) begin
      in = rows[edge_number];
      #5 clock = 1;
      #5 $fwrite(file, "%b\\n", {{{outputs}}});
      clock = 0;
    end
    $fclose(file);
    $finish;
  end
endmodule
"""


class Failed(Exception):
    """A tool that fails."""


def pins_of(ports: int, lanes: int) -> tuple[dict[str, int], dict[str, int]]:
    """Inputs and outputs with their bits, in the order of the record."""
    noc = constants("noc_pkg")
    by_vc = noc["NUM_VCS"] * ports
    flit = ports * (noc["HEADER_W"] + 32 * ((lanes + 1) // 2))
    return ({"rst_ni": 1, "in_valid_i": ports, "in_flit_i": flit, "out_ready_i": ports, "out_credit_i": by_vc, "reg_valid_i": 1, "reg_write_i": 1,
             "reg_addr_i": noc["REG_ADDR_W"], "reg_wdata_i": 32},
            {"in_credit_o": by_vc, "out_valid_o": ports, "out_flit_o": flit, "reg_rdata_o": 32, "idle_o": 1, "error_o": 32})  # fmt: skip


def run(words: Sequence[str], folder: Path) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{words[0]}: exit code {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")


class Switch:
    """A switch of a size, `entry` as in the size list, elaborated once."""

    def __init__(self, entry: str, folder: Path) -> None:
        name, *values = entry.split()
        self.kind = kinds.load()[name]
        self.values = {key: int(value) for key, value in (word.split("=") for word in values)}
        given = {key: parameter.default for key, parameter in self.kind.parameters.items()} | self.values
        self.ports = self.kind.ports_of(given)
        self.inputs, self.outputs = pins_of(self.ports, given["LANES"])
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._elaborate()

    def _elaborate(self) -> None:
        sources = listed(checkout.CHECKOUT / self.kind.files[0])
        names = " ".join(os.path.relpath(source, self.folder.resolve()) for source in sources)
        settings = "".join(f" -chparam {key} {value}" for key, value in self.values.items())
        script = (f"read_verilog -sv -defer -noassert {names}; hierarchy -check -top {self.kind.top}{settings}; proc; flatten; "
                  f"chformal -remove; opt_clean; rename -top {self.kind.top}; write_verilog -noattr switch.v")  # fmt: skip
        run(["yosys", "-Q", "-q", "-p", script], self.folder)

    def outputs_of(self, rows: Sequence[str]) -> list[str]:
        """Output bits under these inputs, edge by edge."""
        wires = "".join(f"  wire [{bits - 1}:0] {pin};\n" for pin, bits in (self.inputs | self.outputs).items())
        (self.folder / "stimulus.txt").write_text("\n".join(rows) + "\n")
        top = (self.folder / "switch.v").read_text().partition(f"module {self.kind.top}(")[2].partition(";")[0]
        bus = constants("bist_pkg")["BUS_W"]
        tied = f", .bist_i({bus}'d0)" if "bist_i" in top else ""
        (self.folder / "bench.v").write_text(BENCH.format(
            inputs=sum(self.inputs.values()), edges=len(rows), wires=wires, names=", ".join(self.inputs), outputs=", ".join(self.outputs), top=self.kind.top,
            pins=", ".join(f".{pin}({pin})" for pin in self.inputs | self.outputs) + tied))  # fmt: skip
        run(["iverilog", "-g2012", "-s", "bench", "-o", "switch.vvp", "bench.v", "switch.v"], self.folder)
        run(["vvp", "-n", "switch.vvp"], self.folder)
        return (self.folder / "outputs.txt").read_text().splitlines()

    def differences(self, wanted: Sequence[str], found: Sequence[str]) -> list[str]:
        """Messages for outputs that are not as recorded; x in the record means anything."""
        if len(wanted) != len(found):
            return [f"{len(found)} edges, {len(wanted)} recorded"]
        said = []
        for edge, (want, shown) in enumerate(zip(wanted, found, strict=True)):
            at = next((place for place, (a, b) in enumerate(zip(want, shown, strict=True)) if a not in ("x", b)), None)
            if at is not None:
                said.append(f"edge {edge}: {self.pin(at)}: found {shown[at]}; recorded: {want[at]}")
        return said

    def pin(self, place: int) -> str:
        for pin, bits in self.outputs.items():
            if place < bits:
                return f"{pin}[{bits - 1 - place}]"
            place -= bits
        raise IndexError(place)


def recorded(program: str, size: str, seed: int, packets: int) -> tuple[str, list[str], list[str]]:
    """Entry of the size list, inputs and outputs of every edge."""
    done = subprocess.run([program, size, str(seed), str(packets)], capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip())
    entry, *lines = done.stdout.splitlines()
    pairs = [line.split() for line in lines]
    return entry, [given for given, _ in pairs], [shown for _, shown in pairs]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/xcheck.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", metavar="SIZE", nargs="*", help="fred, fred_two_phases, reducing_crossbar, … (default: all)")
    parser.add_argument("--seeds", metavar="N", type=int, default=5, help="seeds 1 to N of each (default %(default)s)")
    parser.add_argument("--packets", metavar="N", type=int, default=300, help="packets of a seed (default %(default)s)")
    parser.add_argument("--record", metavar="PROGRAM", help="xcheck_record, which else is built")
    parser.add_argument("--folder", metavar="FOLDER", help="for what the tools write (default build/xcheck)")
    options = parser.parse_args(words)
    if not options.record:
        checkout.prepare("xcheck.sh", ["BUILD_PACKAGES", "TEST_BUILD_PACKAGES", "XCHECK_PACKAGES"], ["-DBUILD_TESTING=ON", "xcheck_record"])
    program = options.record or str(checkout.CHECKOUT / "build" / "xcheck_record")
    known = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for size in options.sizes:
        if size not in known:
            print(f"xcheck.sh: SIZE: found {size}; allowed: {', '.join(known)}", file=sys.stderr)
            return 2
    folder = Path(options.folder) if options.folder else checkout.CHECKOUT / "build" / "xcheck"
    try:
        return max([_check(program, size, folder / size, options.seeds, options.packets) for size in options.sizes or known])
    except Failed as error:
        print(f"xcheck.sh: {error}", file=sys.stderr)
        return 1


def _check(program: str, size: str, folder: Path, seeds: int, packets: int) -> int:
    switch = None
    edges = flits = 0
    for seed in range(1, seeds + 1):
        entry, given, wanted = recorded(program, size, seed, packets)
        switch = switch or Switch(entry, folder)
        said = switch.differences(wanted, switch.outputs_of(given))
        if said:
            print(f"{size}: seed {seed}: {len(said)} edges differ")
            print("".join(f"  {line}\n" for line in said[:SHOWN]), end="")
            return 1
        edges += len(wanted)
        flits += sum(row[1 : 1 + switch.ports].count("1") for row in given)
    print(f"{size}: {edges} edges, {flits} flits in: as recorded")
    return 0
