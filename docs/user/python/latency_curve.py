# SPDX-License-Identifier: Apache-2.0
"""Latency by load: uniform traffic on the mesh and on Fred-D. A notebook as a script: an editor runs it cell by cell, python3 all of it."""

# %% [markdown]
# Two machines, and the rates at which their NPUs send, in flits per cycle.

# %%
from concurrent.futures import ThreadPoolExecutor

from matplotlib import pyplot

import fredsim

MACHINES = {"mesh": fredsim.Machine("configs/mesh.yaml"), "Fred-D": fredsim.Machine("configs/fred_d.yaml")}
RATES = {"mesh": [0.05, 0.2, 0.35, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7], "Fred-D": [0.1, 0.5, 1.0, 1.5, 2.0, 2.4, 2.7, 2.9, 3.0, 3.1]}

# %% [markdown]
# Each call runs a process of its own, so threads keep all processors busy.


# %%
def measure(name: str) -> fredsim.records.TrafficResults:
    return fredsim.traffic(MACHINES[name], RATES[name], packet_flits=8, cycles=10_000)


with ThreadPoolExecutor() as pool:
    results = dict(zip(MACHINES, pool.map(measure, MACHINES)))

# %% [markdown]
# Runs are rows, keys of the results columns. A saturated rate has no latency that lasts.

# %%
for name, found in results.items():
    print(f"{name}: first saturated rate {found.saturation.first_saturated_rate}, at most {found.saturation.accepted_rate:.3f} flits/cycle accepted")

figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
for (name, found), colour in zip(results.items(), ("#777777", "#d1601e")):
    is_kept = ~found.column("saturated")
    rate, mean, p99 = (found.column(key)[is_kept] for key in ("offered_rate", "latency_cycles.mean", "latency_cycles.p99"))
    axis.plot(rate, mean, marker="o", color=colour, label=f"{name}, mean")
    axis.plot(rate, p99, linestyle=":", color=colour, label=f"{name}, 99th percentile")
axis.set_xlim(left=0)
axis.set_ylim(0, 1000)
axis.set_xlabel("offered rate, flits per cycle and NPU")
axis.set_ylabel("latency, cycles")
axis.legend(loc="upper center", bbox_to_anchor=(0.62, 1))
pyplot.show()
