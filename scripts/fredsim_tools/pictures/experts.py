# SPDX-License-Identifier: Apache-2.0
"""Experts: exposed all-to-all of decode by sequences, and its share of a token by bandwidth of the memory."""

from ..plots import COLOURS, pyplot
from ..runs import Json
from .picture import BEST_TORUS, TITLE, Picture

MACHINES = ["mesh", "torus", "fred_a", "fred_d"]
TITLES = {**TITLE, "mesh": TITLE["mesh (best)"], "torus": BEST_TORUS}  # EP20 has all NPUs: no placement; by `auto`
OWN_COLOURS = {**COLOURS, "mesh": COLOURS["mesh (best)"]}


def decode(picture: Picture, sequences: int, *more: str) -> dict[str, Json]:
    runs = picture.fredsim("train", *(f"configs/{name}.yaml" for name in MACHINES), "--placement", "auto", "--workload",
                           "configs/models/deepseek_v3.yaml", "--phase", "decode", "--dp", "20", "--ep", "20", "--expert-slots", "13", "--batch",
                           str(sequences), "--context", "2048", "--set", "npu.value_bytes.weights=1", *more)  # fmt: skip
    return {run["fabric"]: run for run in runs}


def experts(picture: Picture) -> None:
    figure, (times, shares) = pyplot.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    batches = [160, 640, 2560]
    by_batch = [decode(picture, n) for n in batches]
    for name in MACHINES:
        times.plot(batches, [runs[name]["breakdown_ns"]["ep"] / 1e3 for runs in by_batch], marker="o", color=OWN_COLOURS[name], label=TITLES[name])
    times.set_xscale("log")
    times.set_yscale("log")
    times.set_xticks(batches, [str(n) for n in batches])
    times.set_yticks([30, 100, 300, 1000, 3000], ["30", "100", "300", "1000", "3000"])
    times.minorticks_off()
    times.set_xlabel("sequences on 20 NPUs")
    times.set_ylabel("exposed all-to-all, µs")
    times.legend()
    rates = (3, 12, 48)
    by_rate = [decode(picture, 640, "--set", f"npu.memory_bandwidth={rate}TB/s") for rate in rates]
    width = 0.8 / len(MACHINES)
    for k, name in enumerate(MACHINES):
        values = [100 * runs[name]["breakdown_ns"]["ep"] / runs[name]["iteration_ns"] for runs in by_rate]
        bars = shares.bar([i + width * (k - (len(MACHINES) - 1) / 2) for i in range(len(rates))], values, 0.9 * width, color=OWN_COLOURS[name])
        shares.bar_label(bars, fmt="%.1f", padding=1, fontsize=7)
    shares.set_xticks(range(len(rates)), [f"{rate} TB/s" for rate in rates])
    shares.grid(axis="x", visible=False)
    shares.set_xlabel("memory bandwidth, 640 sequences")
    shares.set_ylabel("exposed all-to-all, %")
    figure.suptitle("decode of a DeepSeek-V3-like model, EP20, 2048 tokens in the cache", fontsize=10)
    picture.save(figure)
