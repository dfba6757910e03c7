# SPDX-License-Identifier: Apache-2.0
"""Time against buffers: four machines with buffers of many sizes, and which of them are worth it. A notebook as a script: an editor runs it cell by cell,
python3 all of it."""

# %% [markdown]
# A study is a dictionary, as a study file has it: all machines with all sizes, each point a process of its own.

# %%
from matplotlib import pyplot

import fredsim

MACHINES = {"mesh": ("mesh", "#777777"), "torus": ("torus", "#b08cc8"), "fred_c": ("Fred-C", "#f2b880"), "fred_d": ("Fred-D", "#d1601e")}
STUDY = {
    "machines": [f"configs/{name}.yaml" for name in MACHINES],
    "settings": {"switch.input_buffer": [f"{kib} KiB" for kib in (6, 8, 12, 16, 20, 24, 32, 40)]},
    "run": {"collective": "all_reduce", "size": "1MiB"},
}
found = fredsim.sweep(STUDY, jobs=2)

# %% [markdown]
# The buffers of a whole wafer: a machine knows its switches and their ports, and a port has buffers for three virtual channels of data and one of
# control.

# %%
DATA_CHANNELS = 3


def kib_of(size: str) -> float:
    return float(size.removesuffix(" KiB"))


def buffer_mib(point: fredsim.records.SweepPoint) -> float:
    machine = fredsim.Machine(point.machine, point.settings)
    ports = sum(node.ports for node in machine.nodes if node.kind == "switch")
    return ports * (DATA_CHANNELS * kib_of(machine["switch.input_buffer"]) + kib_of(machine["switch.control_buffer"])) / 1024


points = sorted((buffer_mib(point), float(point.results["time_ns"]) / 1000, str(point.results["fabric"])) for point in found.points)

# %% [markdown]
# The Pareto front: points that no other beats in both.

# %%
front: list[tuple[float, float, str]] = []
for point in points:
    if not front or point[1] < front[-1][1]:
        front.append(point)
for mib, time, name in front:
    print(f"{mib:6.2f} MiB  {time:5.2f} µs  {MACHINES[name][0]}")

figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
axis.step([mib for mib, _, _ in front], [time for _, time, _ in front], where="post", color="#222222", linewidth=1, label="Pareto front", zorder=1)
for name, (title, colour) in MACHINES.items():
    axis.scatter(*zip(*((mib, time) for mib, time, of_point in points if of_point == name)), color=colour, label=title, s=36)
axis.set_xlim(0, 50)
axis.set_yscale("log")
axis.set_yticks([0.5, 1, 2, 5], ["0.5", "1", "2", "5"])
axis.minorticks_off()
axis.set_xlabel("input buffers of all switches, MiB")
axis.set_ylabel("all-reduce of 1 MiB, µs")
axis.legend(loc="upper right")
pyplot.show()
