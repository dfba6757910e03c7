# SPDX-License-Identifier: Apache-2.0
"""Inference: time per token and to the first token, and the share of it that is exposed communication."""

from collections.abc import Sequence

from ..runs import Json, exposed_ns
from . import rates
from .study import MACHINES, TITLE, Study, config


def iterations(study: Study, workload: str, phase: str, strategy: tuple[int, int], batch: int, context: int, *more: str,
               machines: Sequence[str] = MACHINES) -> list[Json]:
    words = [word for name, n in zip(("--mp", "--pp"), strategy) for word in (name, str(n))]
    placement = () if "--placement" in more else ("--placement", study.placement())
    return study.fredsim("train", *map(config, machines), *placement, "--workload", workload, "--phase", phase, *words,
                         "--batch", str(batch), "--context", str(context), *more)


def row_of(title: str, runs: list[Json], key: str) -> list[str]:
    exposed = [exposed_ns(run) for run in runs]
    times = [f"{run[key] / 1e3:.0f} ({100 * part / run['iteration_ns']:.1f} %)" for run, part in zip(runs, exposed)]
    return [title, *times, f"{runs[0][key] / runs[-1][key]:.3f}", f"{exposed[0] / exposed[-1]:.2f}"]


def costs(study: Study, model: tuple[str, str]) -> None:
    """Costs that no fabric removes: an overhead of each collective, and ranks that come late to it."""
    work = (model[1], "decode", (16, 1), 1, 64 if study.smoke else 2048)
    head = ["beside its packets", "mesh, the paper's", *TITLE.values(), "Fred-D, times faster", "than the paper's mesh"]
    paper = ("--algorithm", "paper", "--placement", "paper")
    settings: list[tuple[str, tuple[str, ...]]] = [("none", ())]
    settings += [(f"overhead {us} µs", ("--set", f"npu.collective_overhead={us}us")) for us in rates.OVERHEADS[1:]]
    settings += [(f"skew {kind}:{us}us", ("--skew", f"{kind}:{us}us")) for kind, us in (("normal", 1), ("normal", 2), ("uniform", 5))]
    settings += [("overhead 20 µs, skew normal:2us", ("--set", "npu.collective_overhead=20us", "--skew", "normal:2us"))]
    rows = []
    for title, more in settings[:2] if study.smoke else settings:
        runs = [*iterations(study, *work, *paper, *more, machines=["mesh"]), *iterations(study, *work, *more)]
        key = "time_per_token_ns"
        times = [f"{run[key] / 1e3:.0f} ({100 * exposed_ns(run) / run['iteration_ns']:.1f} %)" for run in runs]
        rows.append([title, *times, f"{runs[1][key] / runs[-1][key]:.3f}", f"{runs[0][key] / runs[-1][key]:.3f}"])
    print("decode of Llama-3-70B, MP16-PP1, 1 × 2048, by what each of its 160 all-reduces costs an NPU beside its packets; the same:\n")
    study.table(head, rows, "costs")


def row_at_rates(study: Study, title: str, key: str, workload: str, phase: str, strategy: tuple[int, int], batch: int, context: int,
                 *more: str) -> list[str]:
    def runs(*settings: str, machines: Sequence[str] = MACHINES) -> list[Json]:
        return iterations(study, workload, phase, strategy, batch, context, *more, *settings, machines=machines)

    return rates.row_with_efficiencies(row_of(title, runs(), key), runs, key)


def at_rates(study: Study, phase: str, model: tuple[str, str], batch: int, context: int) -> None:
    def runs(*more: str, machines: Sequence[str]) -> list[Json]:
        return iterations(study, model[1], phase, (16, 1), batch, context, *more, machines=machines)

    key = "time_per_token_ns" if phase == "decode" else "time_to_first_token_ns"
    print(f"{phase} of {model[0]}, MP16, {batch} × {context}, at rates that exist, ms, and the share of it that is exposed communication:\n")
    rates.table(study, f"{phase} at rates", runs, key, exposed_ns, rates.EFFICIENCIES[-1:] if phase == "decode" else rates.EFFICIENCIES)


def measure(study: Study) -> None:
    llama, gpt3 = ("Llama-3-70B", "configs/models/llama3_70b.yaml"), ("GPT-3", "configs/models/gpt3.yaml")
    head = [*TITLE.values(), "Fred-D, times faster", "exposed, times less"]
    # Model, (MP, PP), sequences, tokens.
    decodes = [(model, (mp, 1), batch, 2048) for model in (llama, gpt3) for mp, batch in ((16, 1), (16, 16), (16, 64), (20, 1))]
    decodes.append((llama, (4, 5), 20, 2048))
    prefills = [(model, (16, 1), 1, tokens) for model in (llama, gpt3) for tokens in (128, 512, 2048)]
    if study.smoke:
        decodes, prefills = [(llama, (4, 5), 5, 64)], [(llama, (16, 1), 1, 1)]
    for phase, works in (("decode", decodes), ("prefill", prefills)):
        key, what = ("time_per_token_ns", "per token") if phase == "decode" else ("time_to_first_token_ns", "to the first token")
        rows = []
        for (model, workload), (mp, pp), batch, tokens in works:
            title = f"{model}, MP{mp}{f'-PP{pp}' if pp > 1 else ''}, {batch} × {tokens}"
            rows.append(row_at_rates(study, title, key, workload, phase, (mp, pp), batch, tokens))
        print(f"{phase}, µs {what}, and the share of it that is exposed communication; `--algorithm auto`, `--placement auto`:\n")
        study.table(rates.head_with_efficiencies(["sequences × tokens", *head]), rows, phase)
    at_rates(study, "decode", llama, 4 if study.smoke else 64, 8 if study.smoke else 2048)
    at_rates(study, "prefill", llama, 2, 8 if study.smoke else 1024)
    work = (llama[1], "decode", (16, 1), 16, 64 if study.smoke else 2048)
    rows = [row_at_rates(study, f"{3 * times} TB/s", "time_per_token_ns", *work, "--set", f"npu.memory_bandwidth={3 * times}TB/s")
            for times in (1, 4, 16)]
    print("decode of Llama-3-70B, MP16-PP1, 16 × 2048, by bandwidth of the HBM; the same:\n")
    study.table(rates.head_with_efficiencies(["`npu.memory_bandwidth`", *head]), rows, "memory")
    rows = [row_of(algorithm, iterations(study, *work, "--algorithm", algorithm), "time_per_token_ns") for algorithm in ("auto", "paper")]
    print("The same at 3 TB/s, by algorithm of the all-reduces:\n")
    study.table(["`--algorithm`", *head], rows)
    costs(study, llama)
