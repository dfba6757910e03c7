# SPDX-License-Identifier: Apache-2.0
"""Pre-emption: collectives of a higher priority beside ones of a lower priority, and the cost of a phase change."""

from typing import Any

from ..rtl import constants
from ..runs import Json
from ..tables import KIB, size
from .study import Study, changes


def part_cycles(result: Json, priority: str) -> int:
    return max(part["cycles"] for part in result["parts"] if part["priority"] == priority)


def preempted(study: Study, machine: str, work: str, dp: list[str], amount: str, *sets: str) -> list[Any]:
    """The MP part alone, the DP part alone, both together: a row of cycles and phase changes."""
    mp_alone = study.run(machine, "--work", "configs/paper/mp2_dp5_pp2_mp.yaml", "--size", amount, *sets)
    dp_alone = study.run(machine, *dp, "--size", "4MiB", *sets)
    both = study.run(machine, "--work", f"configs/works/{work}.yaml", "--size", amount, *sets)
    mp, d = part_cycles(both, "mp"), part_cycles(both, "dp")
    return [mp_alone["cycles"], mp, mp - mp_alone["cycles"], dp_alone["cycles"], d, d - dp_alone["cycles"],
            f"{both['cycles'] / (mp_alone['cycles'] + dp_alone['cycles']):.3f}",
            f"{changes(dp_alone)} + {changes(mp_alone)}", changes(both)]


SLICES = 5  # slices of Fred-A to -D


def measure(study: Study) -> None:
    flit = constants("noc_pkg")["FLIT_BYTES"]
    groups = ("mp_interrupts_dp", ["--work", "configs/paper/mp2_dp5_pp2_dp.yaml"])
    everyone = ("mp_interrupts_all", ["--priority", "dp"])
    head = ["MP alone", "beside DP", "loses", "DP alone", "beside MP", "loses", "both / sum", "phase changes alone", "together"]
    rows = []
    machines = [("Fred-D", "fred_d"), ("Fred-C", "fred_c"), ("mesh", "paper/mesh")]
    for name, machine in machines[:1] if study.smoke else machines:
        for dp, (work, alone) in (("4 groups of 5", groups), ("all 20", everyone)):
            rows.append([name, dp, *preempted(study, machine, work, alone, "256KiB")])
    after = study.run("fred_c", "--work", "configs/works/mp_after_all.yaml", "--size", "256KiB")
    print("Ten MP all-reduces of 256 KiB start 700 ns after DP all-reduces of 4 MiB; cycles, of the slowest group:\n")
    study.table(["machine", "DP", *head], rows)
    print(f"On Fred-C the DP part over all 20 takes {part_cycles(after, 'dp')} cycles when the MP part starts after its end.\n")

    works = [(20, 24)]  # KiB
    if not study.smoke:
        works = [(n, 24) for n in (5, 20, 80, 120, 160, 256, 1024)] + [(256, 32), (256, 48)]
    rows = []
    for amount, buffer in works:
        row = preempted(study, "fred_d", *groups, f"{amount}KiB", "--set", f"switch.input_buffer={buffer}KiB")
        rows.append([size(amount * KIB), size(buffer * KIB), *row[:6]])
    print("The same on Fred-D with four DP groups, for other sizes of the MP part and other input buffers; cycles:\n")
    study.table(["MP size", "input buffer", *head[:6]], rows)

    # Links as fast as the switch and buffers for their round trip: nothing else makes up for losses
    # in the switch.
    fast = ["--set", "npu.bandwidth=3840GB/s", "--set", "switch.input_buffer=96KiB", "--set", "npu.receive_buffer=96KiB"]
    dp_alone = study.run("fred_d", "--collective", "unicast", "--group", "0,1", "--size", "2560KiB", *fast)
    rows = []
    for flits in (8, 64) if study.smoke else (8, 16, 64, 128):
        payload = str(SLICES * flit * flits)
        mp_alone = study.run("fred_d", "--collective", "unicast", "--group", "2,3", "--priority", "mp", "--size", payload, *fast)
        both = study.run("fred_d", "--work", "configs/works/phase_change.yaml", "--size", payload, *fast)
        lost = part_cycles(both, "dp") - dp_alone["cycles"]
        rows.append([flits, part_cycles(both, "mp") - mp_alone["cycles"], lost, lost - flits,
                     (changes(both) - changes(dp_alone)) // SLICES])
    print("Two unicasts that share a switch and no link, links as fast as the switch, cycles:\n")
    study.table(["MP, flits per slice", "MP loses", "DP loses", "DP loses beyond these flits", "phase changes more"], rows)

    rows = []
    for flits in (1, 8) if study.smoke else (1, 2, 4, 8):
        payload = str(4 * SLICES * flit * flits)
        one, four = (study.run("fred_d", "--collective", c, "--group", "0,1,2,3", "--algorithm", "in_switch", "--size", payload, *fast)
                     for c in ("reduce", "reduce_scatter"))
        more = (changes(four) - changes(one)) // SLICES
        rows.append([flits, one["cycles"], four["cycles"], more, f"{(four['cycles'] - one['cycles']) / more:.1f}"])
    print("reduce (one phase) and reduce_scatter (four phases of one priority) of the same size in one L1 switch, same links, cycles:\n")
    study.table(["flits per phase and slice", "reduce", "reduce_scatter", "phase changes more", "cycles per change"], rows)

    rows = []
    for name, machine in machines[:1] if study.smoke else machines:
        cycles = [study.run(machine, "--work", "configs/works/mp_interrupts_dp.yaml", "--size", "256KiB", "--model", model)["cycles"]
                  for model in ("tlm", "rtl", "lockstep")]
        if len(set(cycles)) != 1:
            study.runs.fail(f"{machine}: tlm, rtl and lockstep differ: {cycles}")
        rows.append([name, *cycles])
    print("Cycles by implementation of the switches:\n")
    study.table(["machine", "tlm", "rtl", "lockstep"], rows)
