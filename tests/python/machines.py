# SPDX-License-Identifier: Apache-2.0
"""Small machines of every kind of switch and fabric, from a seed: a file and settings over it."""

import random


def random_machine(source: random.Random) -> tuple[str, dict[str, object]]:
    common: dict[str, object] = {
        "fabric.link_latency": f"{source.randint(1, 30)} ns",
        "switch.input_buffer": f"{source.choice([8, 12, 24, 40])} KiB",
        "fabric.packet": f"{source.choice([1, 2, 4])} KiB",
    }
    kind = source.randrange(4)
    if kind == 0:
        width, height = source.randint(2, 3), source.randint(2, 3)
        file = source.choice(["configs/mesh.yaml", "configs/mesh_reducing.yaml"])
        return file, common | {"fabric.width": width, "fabric.height": height, "npu.count": width * height, "io.count": 0}
    if kind == 1:
        switches, per_switch = source.randint(2, 4), source.randint(1, 2)
        return "configs/fully_connected.yaml", common | {"npu.count": switches * per_switch, "fabric.switches": switches,
                                                         "fabric.npus_per_switch": per_switch}  # fmt: skip
    l1, npus, slices, l2 = source.randint(2, 3), source.randint(1, 3), source.randint(1, 2), source.randint(1, 2)
    rates = [768, 600, 576, 384, 192]
    return "configs/fred_d.yaml", common | {
        "switch.kind": source.choice(["fred", "reducing_crossbar", "aggregator"]), "npu.count": l1 * npus, "io.count": 0,
        "npu.bandwidth": f"{slices * source.choice(rates)} GB/s", "fabric.l1_switches": l1, "fabric.npus_per_l1": npus, "fabric.slices": slices,
        "fabric.uplinks": l2, "fabric.l2_chiplets_per_slice": l2, "fabric.uplink_bandwidth": f"{slices * l2 * source.choice(rates)} GB/s",
        "fabric.in_switch": source.choice([True, False]),
    }  # fmt: skip
