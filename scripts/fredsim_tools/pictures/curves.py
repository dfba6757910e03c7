# SPDX-License-Identifier: Apache-2.0
"""Curves: bandwidth and time by size, latency by load, time by errors."""

from ..plots import COLOURS, pyplot
from ..tables import KIB, MIB
from .picture import BEST_TORUS, TITLE, Picture, short, sizes_on


def bandwidth(picture: Picture) -> None:
    """Bus bandwidth of an all-reduce by size."""
    runs = picture.fredsim("compare", "configs/mesh.yaml", "configs/fred_d.yaml", "-b", "1KiB", "-e", "64MiB", "-f", "4", "--algorithm", "paper",
                           "--best-base")  # fmt: skip
    figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    for machine in ("fred_d", "mesh (best)", "mesh"):
        points = [(run["size_bytes"], run["busbw_gbps"] / 1000) for run in runs if run["fabric"] == machine]
        axis.plot(*zip(*points), marker="o", color=COLOURS[machine], label=TITLE[machine])
    sizes_on(axis, [4**k * KIB for k in range(0, 9, 2)])
    axis.set_ylim(bottom=0)
    axis.set_xlabel("size of the all-reduce over 20 NPUs")
    axis.set_ylabel("bus bandwidth, TB/s")
    axis.legend(loc="upper left")
    picture.save(figure)


def traffic(picture: Picture) -> None:
    """Mean latency of uniform traffic by rate."""
    rates = {"mesh": "0.05:0.6:0.05", "torus": "0.05:1.1:0.07", "fred_d": "0.1:2.9:0.2"}
    figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    for machine, offered in rates.items():
        runs = picture.fredsim("traffic", f"configs/{machine}.yaml", "--rate", offered, "--packet-flits", "8")
        points = [(run["offered_rate"], run["latency_cycles"]["mean"]) for run in runs if not run["saturated"]]
        title = "mesh" if machine == "mesh" else TITLE[machine]
        axis.plot(*zip(*points), marker="o", color=COLOURS[machine], label=title)
    axis.set_xlim(left=0)
    axis.set_ylim(0, 500)
    axis.set_xlabel("offered rate, flits per cycle and NPU")
    axis.set_ylabel("mean latency, cycles")
    axis.legend(loc="upper center", bbox_to_anchor=(0.6, 1))
    picture.save(figure)


def latencies(picture: Picture) -> None:
    """Time of an all-reduce by size: all machines of the paper, and a torus at its best."""
    figure, axis = pyplot.subplots(figsize=(6, 4), layout="constrained")
    configs = [f"configs/fred_{machine}.yaml" for machine in ("a", "b", "c", "d")]
    sizes = ("-b", "64", "-e", "16MiB", "-f", "4")
    runs = picture.fredsim("compare", "configs/mesh.yaml", *configs, *sizes, "--algorithm", "paper", "--best-base")
    runs += picture.fredsim("run", "configs/torus.yaml", *sizes, "--algorithm", "auto")
    for machine in ("fred_a", "fred_c", "mesh", "mesh (best)", "torus", "fred_b", "fred_d"):
        points = [(run["size_bytes"], run["time_ns"]) for run in runs if run["fabric"] == machine]
        axis.plot(*zip(*points), marker="o", color=COLOURS[machine], label=BEST_TORUS if machine == "torus" else TITLE[machine])
    sizes_on(axis, [64 * 16**k for k in range(5)])
    axis.set_yscale("log")
    axis.set_ylim(80, 60000)
    axis.set_xlabel("size of the all-reduce over 20 NPUs")
    axis.set_ylabel("time, ns")
    axis.legend(loc="upper left", ncols=2)
    picture.save(figure)


def serial_steps(picture: Picture) -> None:
    """Time over bound of reduce-scatters and all-gathers, in the switches and by rings."""
    figure, axes = pyplot.subplots(1, 2, figsize=(6.6, 3.4), layout="constrained", sharey=True)
    for axis, collective in zip(axes, ("reduce_scatter", "all_gather")):
        for algorithm, colour in (("in_switch", COLOURS["fred_d"]), ("hier_ring", COLOURS["fred_c"]), ("ring", COLOURS["mesh"])):
            runs = picture.fredsim("run", "configs/fred_d.yaml", "--collective", collective, "--algorithm", algorithm, "-b", "4KiB", "-e", "16MiB",
                                   "-f", "4")  # fmt: skip
            axis.plot([run["size_bytes"] for run in runs], [run["time_ns"] for run in runs], marker="o", color=colour, label=algorithm)
        sizes_on(axis, [4 * KIB, 128 * KIB, 4 * MIB])
        axis.set_yscale("log")
        axis.set_yticks([100, 300, 1000, 3000], ["100", "300", "1000", "3000"])
        axis.minorticks_off()
        axis.set_ylim(100, 9000)
        axis.set_title(f"{collective}, Fred-D")
        axis.set_xlabel("size")
    axes[0].set_ylabel("time, ns")
    axes[0].legend(loc="upper left")
    picture.save(figure)


def link_errors(picture: Picture) -> None:
    """Time by bit errors, links that retransmit over perfect ones."""
    rates = ["0", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4"]
    places = [1e-10, *map(float, rates[1:])]
    machines = [("mesh", "auto", TITLE["mesh (best)"], COLOURS["mesh (best)"]), ("torus", "auto", BEST_TORUS, COLOURS["torus"]),
                ("fred_d", "paper", "Fred-D", COLOURS["fred_d"])]  # fmt: skip
    figure, axes = pyplot.subplots(1, 2, figsize=(6.6, 3.4), layout="constrained", sharey=True)
    for axis, n in zip(axes, (64 * KIB, 16 * MIB)):
        for machine, algorithm, title, colour in machines:
            words = ("run", f"configs/{machine}.yaml", "--size", str(n), "--algorithm", algorithm)
            bare = picture.fredsim(*words)[0]["time_ns"]
            times = [picture.fredsim(*words, "--set", "link.reliability=link", "--set", f"link.bit_error_rate={rate}")[0]["time_ns"] for rate in rates]
            axis.plot(places, [time / bare for time in times], marker="o", color=colour, label=title)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(places[::2], [rates[0], *(f"1e{round(float(rate_text[2:]))}" for rate_text in rates[2::2])])
        axis.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        axis.minorticks_off()
        axis.set_title(f"all-reduce of {short(n)}")
        axis.set_xlabel("bit error rate")
    axes[0].set_ylabel("time, perfect links = 1")
    axes[0].legend(loc="upper left")
    picture.save(figure)
