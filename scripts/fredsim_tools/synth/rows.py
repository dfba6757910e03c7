# SPDX-License-Identifier: Apache-2.0
"""Energy rows: what a pass, an addition and a copy of a flit take in a switch of each kind and size, and its clock; all measured as energy.py has it,
at 14 to 16 nm, the middle of the range. fredsim multiplies them with what its runs count (sc_models/energy/energy_rows.h has the fields).

  unicast_pj   a unicast, all ports sending
  flow_pj      a flit of a flow that comes in by one port and leaves by one, all others at rest
  addition_pj  each further flit that is added to it, with all that it goes through on the way: all ports become one
  copy_pj      each further port that it leaves by: one port becomes all
  clock_pj     of the interconnect's registers and clock gates, per cycle, gates closed
  unicast_load_pj, flow_load_pj, addition_load_pj, copy_load_pj
               clock of the registers behind the gates that these open
  operand_memories  memories inside the interconnect that each flit of a sum goes through
So a flow of k input and j output ports takes flow + (k - 1) addition + (j - 1) copy, which is what was measured where k or j is all ports.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import crossbars, technology, traffic
from .energy import Energy, of_networks
from .flow import Flow
from .yosys import ToolError

LANES = 256
FORMAT = 0
MESH_DEPTHS = (80, 4, 8)  # VC_DEPTH, CTRL_DEPTH, PACKET_FLITS: 40 KiB, 2 KiB and 4 KiB, as in configs/mesh.yaml
AGGREGATOR_SIZES = (*((ports, adders) for ports in (4, 8, 12) for adders in (1, 2, 4)), (10, 11), (12, 11))  # ports, adders


@dataclass(frozen=True)
class Size:
    """A size of a kind: parameters by which its row is found, beside its ports."""

    kind: str
    ports: int
    parameters: tuple[tuple[str, int], ...]
    network: traffic.Network


def sizes() -> list[Size]:
    """Sizes of all kinds, in the order of their rows. A reducing mesh router's interconnect is that of a reducing crossbar."""
    found = [Size("fred", ports, (("M", m), ("ADDER_STAGES", 1)), traffic.Fred(ports, m, FORMAT)) for m in (2, 3, 4) for ports in range(2, 33)]
    for kind in ("reducing_crossbar", "mesh_reducing"):
        found += [Size(kind, ports, (), traffic.Crossbar(ports, FORMAT)) for ports in range(2, 33)]
    found += [Size("aggregator", ports, (("ADDERS", adders),), crossbars.Aggregator(ports, adders, FORMAT)) for ports, adders in AGGREGATOR_SIZES]
    found += [Size("voq_crossbar", ports, (), crossbars.VoqCrossbar(ports)) for ports in (4, 8, 12)]
    found += [Size("mesh", ports, (), crossbars.MeshRouter(ports, MESH_DEPTHS)) for ports in (5, 8, 10)]
    return found


def row_of(size: Size, energy: Energy) -> dict[str, Any]:
    def middle(pj: float) -> float:
        return round(sum(technology.scaled("energy", pj)) / 2, 4)

    pj = energy.glitch_pj
    row: dict[str, Any] = {"kind": size.kind, "ports": size.ports, "parameters": dict(size.parameters),
                           "unicast_pj": middle(pj["unicast"]), "clock_pj": middle(energy.clock_pj)}  # fmt: skip
    row["unicast_load_pj"] = middle(energy.loading_pj["unicast"])
    if traffic.ALONE in pj:
        row.update({f"{name}_pj": middle(value) for name, value in of_flows(size.ports, pj).items()})
        row.update({f"{name}_load_pj": middle(value) for name, value in of_flows(size.ports, energy.loading_pj).items()})
        if energy.memories["reduction"]:
            row["operand_memories"] = energy.memories["reduction"]
    return row


def of_flows(ports: int, pj: Mapping[str, float]) -> dict[str, float]:
    """Energies of a flit through one port each way, of a further input and of a further output."""
    more = ports - 1
    alone = min(pj[traffic.ALONE], pj["distribution"] * ports)  # lanes are random: by themselves they may take more
    return {"flow": alone, "addition": (pj["reduction"] * ports - alone) / more, "copy": (pj["distribution"] * ports - alone) / more}


def document(flow: Flow, wanted: Sequence[Size] | None = None) -> Mapping[str, Any]:
    """Errors: ToolError where a tool did not finish."""
    chosen = sizes() if wanted is None else wanted
    measured = of_networks([(size.network, LANES) for size in chosen], flow, (traffic.ALONE,))
    rows = []
    for size, energy in zip(chosen, measured, strict=True):
        if energy is None:
            raise ToolError(f"{size.kind} of {size.ports} ports: a tool did not finish in {flow.limit} s; allowed: a longer --limit")
        rows.append(row_of(size, energy))
    memory, link = technology.DATA["memory"], technology.DATA["link"]
    least, most = traffic.SIMULATED_LANES
    return {
        "made_by": "scripts/synth.sh --energy --rows FILE",
        "source": f"gate-level simulation with glitches in osu018 at {least} and {most} lanes, of aggregators at 4 and 8, a line through these to {LANES};"
                  " 14 to 16 nm, the middle of the range (Stillmaker & Baas 2017)",
        "lanes": LANES, "flit_bits": traffic.flit_bits(LANES),
        "memory_read_pj_per_bit": memory["read_pj_per_bit"], "memory_write_pj_per_bit": memory["write_pj_per_bit"],
        "link_pj_per_bit": link["pj_per_bit"],
        "rows": rows,
    }  # fmt: skip


def text_of(found: Mapping[str, Any]) -> str:
    """JSON with a row a line."""
    head = {key: value for key, value in found.items() if key != "rows"}
    lines = [f' "{key}": {json.dumps(value)},' for key, value in head.items()]
    rows = ",\n".join(f"  {json.dumps(row)}" for row in found["rows"])
    return "\n".join(["{", *lines, f' "rows": [\n{rows}\n ]', "}"]) + "\n"
