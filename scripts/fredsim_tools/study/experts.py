# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts on a wafer: time per token and to the first token by EP, TP and batch, skew, placements of experts, costs."""

from collections.abc import Sequence

from ..runs import Json
from . import rates
from .study import MACHINES, TITLE, Study, config

DEEPSEEK = "configs/models/deepseek_v3.yaml"
FP8 = ("--set", "npu.value_bytes.weights=1")
SLOTS = ("--expert-slots", "13")  # 256 experts over 20 ranks, and four copies


def runs_of(study: Study, phase: str, ep: int, tp: int, batch: int, context: int, *more: str, machines: list[str] | None = None) -> list[Json]:
    slots = SLOTS if 256 % ep and "--expert-slots" not in more else ()
    return study.fredsim("train", *(machines or [config(m) for m in MACHINES]), "--placement", "auto", "--workload", DEEPSEEK, "--phase",
                         phase, "--mp", str(tp), "--dp", str(ep // tp), "--ep", str(ep), "--batch", str(batch), "--context", str(context),
                         *FP8, *slots, *more)


def all_to_all(run: Json) -> float:
    return run["breakdown_ns"]["ep"]


def row_of(title: str, runs: list[Json], key: str) -> list[str]:
    times = [f"{run[key] / 1e3:.0f} ({100 * all_to_all(run) / run['iteration_ns']:.1f} %)" for run in runs]
    return [title, *times, f"{runs[0][key] / runs[-1][key]:.3f}", f"{all_to_all(runs[0]) / all_to_all(runs[-1]):.2f}"]


def row_at_rates(study: Study, title: str, key: str, phase: str, ep: int, tp: int, batch: int, context: int) -> list[str]:
    def below_peak(*more: str, machines: Sequence[str]) -> list[Json]:
        return runs_of(study, phase, ep, tp, batch, context, *more, machines=[config(m) for m in machines])

    return rates.row_with_efficiencies(row_of(title, runs_of(study, phase, ep, tp, batch, context), key), below_peak, key)


def at_rates(study: Study, phase: str, key: str, batch: int, context: int) -> None:
    def runs(*more: str, machines: Sequence[str]) -> list[Json]:
        return runs_of(study, phase, 20, 1, batch, context, *more, machines=[config(m) for m in machines])

    print(f"{phase}, EP20, TP1, {batch} × {context}, at rates that exist, ms, and the share of it that is exposed all-to-all:\n")
    if phase == "decode":
        return rates.table(study, "decode at rates", runs, key, all_to_all, rates.EFFICIENCIES[-1:])
    rates.table(study, "prefill at rates", runs, key, all_to_all)


def measure(study: Study) -> None:
    some = [config("mesh"), config("torus"), config("fred_a"), config("fred_d")]
    head = [*TITLE.values(), "Fred-D, times faster", "exposed, times less"]
    short = ["mesh", "torus", "Fred-A", "Fred-D", "Fred-D, times faster", "exposed, times less"]
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
    study.table(["`npu.memory_bandwidth`", *short],
                [row_of(f"{3 * times} TB/s", runs_of(study, "decode", *large, "--set", f"npu.memory_bandwidth={3 * times}TB/s", machines=some), decode)
                 for times in (1, 4, 16)], "memory")  # fmt: skip
    skew_of(study, large)


def skew_of(study: Study, large: tuple[int, int, int, int]) -> None:
    decode = "time_per_token_ns"
    both = [config("mesh"), config("fred_a"), config("fred_d")]
    print("the same by skew of the router and placement of experts:\n")
    rows = []
    for router in ("uniform", "zipf:0.5", "zipf:1"):
        placements = (("contiguous", "13"),) if router == "uniform" else (("contiguous", "13"), ("balanced", "13"), ("balanced", "16"))
        for placement, slots in placements:
            runs = runs_of(study, "decode", *large, "--router", router, "--expert-placement", placement, "--expert-slots", slots,
                           "--iterations", "1", machines=both)
            rows.append([f"{router}, {placement}, {slots}", f"{runs[0]['experts']['imbalance']:.2f}",
                         *(f"{run[decode] / 1e3:.0f} ({all_to_all(run) / 1e3:.0f})" for run in runs)])
    study.table(["router, placement, experts of an NPU", "busiest NPU / mean", "mesh", "Fred-A", "Fred-D"], rows, "skew")
    print("the same with zipf:1, contiguous, by capacity:\n")
    rows = []
    for capacity in ("1", "1.5", "3"):
        runs = runs_of(study, "decode", *large, "--router", "zipf:1", "--capacity", capacity, "--iterations", "1", machines=both)
        use = runs[0]["experts"]
        rows.append([capacity, f"{100 * use['dropped'] / (use['routed'] + use['dropped']):.1f} %",
                     *(f"{run[decode] / 1e3:.0f} ({all_to_all(run) / 1e3:.0f})" for run in runs)])
    study.table(["`--capacity`", "dropped", "mesh", "Fred-A", "Fred-D"], rows, "capacity")
