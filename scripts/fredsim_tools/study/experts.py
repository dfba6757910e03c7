# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts on a wafer: time per token and to the first token by EP, TP and batch, skew, placements of experts, costs."""

from collections.abc import Sequence

from ..runs import Json
from . import rates
from .study import MACHINES, TITLE, Study, config

DEEPSEEK = "configs/models/deepseek_v3.yaml"
FP8 = ("--set", "npu.value_bytes.weights=1")
SLOTS = ("--expert-slots", "13")  # 256 experts over 20 ranks, and four copies
SOME = ("mesh", "torus", "fred_a", "fred_d")


def runs_of(study: Study, phase: str, ep: int, tp: int, batch: int, context: int, *more: str,
            machines: Sequence[str] = MACHINES) -> list[Json]:
    slots = SLOTS if 256 % ep and "--expert-slots" not in more else ()
    return study.fredsim("train", *map(config, machines), "--placement", study.placement(), "--workload", DEEPSEEK, "--phase",
                         phase, "--mp", str(tp), "--dp", str(ep // tp), "--ep", str(ep), "--batch", str(batch), "--context", str(context),
                         *FP8, *slots, *more)


def all_to_all(run: Json) -> float:
    return run["breakdown_ns"]["ep"]


def row_of(title: str, runs: list[Json], key: str) -> list[str]:
    times = [f"{run[key] / 1e3:.0f} ({100 * all_to_all(run) / run['iteration_ns']:.1f} %)" for run in runs]
    return [title, *times, f"{runs[0][key] / runs[-1][key]:.3f}", f"{all_to_all(runs[0]) / all_to_all(runs[-1]):.2f}"]


def row_at_rates(study: Study, title: str, key: str, phase: str, ep: int, tp: int, batch: int, context: int, *more: str,
                 machines: Sequence[str] = MACHINES) -> list[str]:
    def runs(*settings: str, machines: Sequence[str] = machines) -> list[Json]:
        return runs_of(study, phase, ep, tp, batch, context, *more, *settings, machines=machines)

    return rates.row_with_efficiencies(row_of(title, runs(), key), runs, key)


def at_rates(study: Study, phase: str, key: str, batch: int, context: int) -> None:
    def runs(*more: str, machines: Sequence[str]) -> list[Json]:
        return runs_of(study, phase, 20, 1, batch, context, *more, machines=machines)

    print(f"{phase}, EP20, TP1, {batch} × {context}, at rates that exist, ms, and the share of it that is exposed all-to-all:\n")
    if phase == "decode":
        return rates.table(study, "decode at rates", runs, key, all_to_all, rates.EFFICIENCIES[-1:])
    rates.table(study, "prefill at rates", runs, key, all_to_all)


def measure(study: Study) -> None:
    head = [*TITLE.values(), "Fred-D, times faster", "exposed, times less"]
    short = [*map(TITLE.__getitem__, SOME), "Fred-D, times faster", "exposed, times less"]
    decode, prefill = "time_per_token_ns", "time_to_first_token_ns"
    # EP, TP, sequences.
    decodes = [(20, 1, 20), (20, 1, 160), (20, 1, 640), (20, 1, 2560), (20, 4, 160), (20, 4, 640), (20, 20, 160), (16, 1, 160), (16, 1, 640),
               (16, 4, 160), (16, 16, 160)]
    prefills = [(20, 1, 20, 128), (20, 1, 20, 512), (20, 4, 5, 2048), (16, 16, 1, 2048)]
    if study.smoke:
        decodes, prefills = [(20, 1, 20)], [(20, 1, 20, 8)]
    print("decode, µs per token of each sequence behind 2048 others, and the share of it that is exposed all-to-all:\n")
    study.table(rates.head_with_efficiencies(["EP, TP, sequences", *head]),
                [row_at_rates(study, f"EP{ep}, TP{tp}, {batch}", decode, "decode", ep, tp, batch, 2048) for ep, tp, batch in decodes],
                "decode")  # fmt: skip
    print("prefill, µs to the first token, likewise:\n")
    study.table(rates.head_with_efficiencies(["EP, TP, prompts × tokens", *head]),
                [row_at_rates(study, f"EP{ep}, TP{tp}, {batch} × {tokens}", prefill, "prefill", ep, tp, batch, tokens)
                 for ep, tp, batch, tokens in prefills], "prefill")  # fmt: skip
    at_rates(study, "decode", decode, 40 if study.smoke else 2560, 8 if study.smoke else 2048)
    at_rates(study, "prefill", prefill, 40, 8 if study.smoke else 256)
    large = (20, 1, 20 if study.smoke else 640, 2048)
    print("decode, EP20, TP1, 640 × 2048, by bandwidth of the HBM:\n")
    study.table(rates.head_with_efficiencies(["`npu.memory_bandwidth`", *short]),
                [row_at_rates(study, f"{3 * times} TB/s", decode, "decode", *large, "--set", f"npu.memory_bandwidth={3 * times}TB/s", machines=SOME)
                 for times in (1, 4, 16)], "memory")  # fmt: skip
    skew_of(study, large)


def skew_of(study: Study, large: tuple[int, int, int, int]) -> None:
    print("the same by skew of the router and placement of experts, at the lowest efficiency:\n")
    rows = []
    for router in ("uniform", "zipf:0.5", "zipf:1"):
        placements = (("contiguous", "13"),) if router == "uniform" else (("contiguous", "13"), ("balanced", "13"), ("balanced", "16"))
        for placement, slots in placements:
            experts, cells = skewed(study, large, "--router", router, "--expert-placement", placement, "--expert-slots", slots)
            rows.append([f"{router}, {placement}, {slots}", f"{experts['imbalance']:.2f}", *cells])
    head = [*map(TITLE.__getitem__, SOME), *(f"Fred-D over the mesh, {efficiency}" for efficiency in SKEW_EFFICIENCIES),
            f"over the torus, {SKEW_EFFICIENCIES[-1]}"]  # fmt: skip
    study.table(["router, placement, experts of an NPU", "busiest NPU / mean", *head], rows, "skew")
    print("the same with zipf:1, contiguous, by capacity:\n")
    rows = []
    for capacity in ("1", "1.5", "3"):
        experts, cells = skewed(study, large, "--router", "zipf:1", "--capacity", capacity)
        rows.append([capacity, f"{100 * experts['dropped'] / (experts['routed'] + experts['dropped']):.1f} %", *cells])
    study.table(["`--capacity`", "dropped", *head], rows, "capacity")


SKEW_EFFICIENCIES = (rates.EFFICIENCIES[0], rates.EFFICIENCIES[-1])


def skewed(study: Study, large: tuple[int, int, int, int], *router: str) -> tuple[Json, list[str]]:
    """Experts of a run, and its cells: times and exposed all-to-all at the lowest efficiency, leads over the mesh at the peak and there, over
    the torus there."""
    decode = "time_per_token_ns"

    def runs(efficiency: str, machines: Sequence[str]) -> list[Json]:
        return runs_of(study, "decode", *large, *router, "--iterations", "1", *rates.at_efficiency(efficiency), machines=machines)

    ideal, real = runs(SKEW_EFFICIENCIES[0], ("mesh", "fred_d")), runs(SKEW_EFFICIENCIES[-1], SOME)
    times = [f"{run[decode] / 1e3:.0f} ({all_to_all(run) / 1e3:.0f})" for run in real]
    return real[0]["experts"], [*times, rates.lead(ideal, decode), rates.lead(real, decode), rates.lead(real, decode, 1)]
