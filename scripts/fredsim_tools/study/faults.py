# SPDX-License-Identifier: Apache-2.0
"""Failed components: the cost of a failure of each single component of a machine, and pairs of them."""

import json
import random
from collections.abc import Sequence

from .points import pairs, study_text
from .study import TITLE, Study, config

FAULT_WORKS = [("all-reduce", ["--size", "4MiB"]), ("all-to-all", ["--collective", "all_to_all", "--size", "640KiB"]),
               ("DP of MP2-DP5-PP2", ["--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "4MiB", "--on-conflict", "later"])]  # fmt: skip

GRIDS = ("mesh", "torus")


def kind_of(machine: str, part: str) -> str:
    form, name = part.split(":", 1)
    if form != "link":
        return {"npu": "NPU", "io": "I/O controller", "switch": f"{name.split('_')[0].split('.')[0].upper()} chiplet"}[form]
    ends = name.split("*")[0].split("->")
    kinds = ["I/O" if end.startswith("io") else "NPU" if end.startswith("npu") else end.split("_")[0].split(".")[0].upper() for end in ends]
    text = " - ".join("router" if machine in GRIDS and kind.startswith("R") else kind for kind in kinds)
    return f"link {text}, half its rate" if "*" in name else f"link {text}"


def times_with(study: Study, machine: str, work: Sequence[str], sets: Sequence[Sequence[str]]) -> list[float | None]:
    """ns, by set of faults; None: refused, as by groups that no slice joins any more."""
    more = ["--algorithm", "paper"] if "--work" not in work and "--algorithm" not in work else []
    options = {name.removeprefix("--"): [value] for name, value in pairs([*work, *more])}
    once: list[tuple[str, ...]] = list(dict.fromkeys(tuple(faults) for faults in sets))
    values = [f"[{', '.join(map(json.dumps, faults))}]" for faults in once]
    times: dict[tuple[str, ...], float | None] = {}
    for faults, runs in zip(once, study.points.of(study_text("run", [config(machine)], {"faults": values}, options)), strict=True):
        if runs and runs[0]["payload"] != "exact":
            study.runs.fail(f"{machine}, {' '.join([*work, *more])}, {', '.join(faults)}: payload {runs[0]['payload']}")
        times[faults] = runs[0]["time_ns"] if runs else None
    return [times[tuple(faults)] for faults in sets]


def parts_of(study: Study, machine: str) -> list[str]:
    parts = study.runs.execute(study.runs.program, "info", config(machine), "--parts").split()
    if machine not in GRIDS:
        return parts
    # Routers route X-Y, so links are slower, not failed.
    return [part + "*0.5" if part.startswith("link:") else part for part in parts if not part.startswith("switch:")]


def works_of(machine: str) -> Sequence[tuple[str, Sequence[str]]]:
    """FRED and the mesh by the paper's algorithms, grids by the fastest as well: the torus is there as the better base alone."""
    if machine not in GRIDS:
        return FAULT_WORKS
    single = [work for work in FAULT_WORKS if "--work" not in work[1]]
    best = [(f"{title}, `auto`", [*work, "--algorithm", "auto"]) for title, work in single]
    return best if machine == "torus" else [*single, *best]


def measure(study: Study) -> None:
    draw = random.Random(1)
    for machine in ["fred_d", *GRIDS]:
        parts, works = parts_of(study, machine), works_of(machine)
        number = 200
        if study.smoke:
            parts, works, number = parts[::90], works[:1], 2
        drawn = [draw.sample(parts, 2) for _ in range(number)]
        wholes: dict[str, float] = {}  # work -> ns of the whole machine
        slower: dict[tuple[str, tuple[str, ...]], float | None] = {}  # (work, part or pair) -> times as long; None: refused
        for title, work in works:
            sets_of_faults = [[part] for part in parts] + drawn
            whole, *times = times_with(study, machine, work, [[], *sets_of_faults])
            if whole is None:
                study.runs.fail(f"{machine}, {title}: refused without faults")
            wholes[title] = whole
            for failed, ns in zip(sets_of_faults, times, strict=True):
                slower[title, tuple(failed)] = None if ns is None else ns / whole
        kinds = list(dict.fromkeys(kind_of(machine, part) for part in parts))
        rows = []
        for title, _ in works:
            sets: list[tuple[str, list[tuple[str, ...]]]] = [
                (kind, [(part,) for part in parts if kind_of(machine, part) == kind]) for kind in kinds]  # fmt: skip
            for kind, group in [*sets, ("any two", [tuple(pair) for pair in drawn])]:
                done = sorted((longer, one) for one in group if (longer := slower[title, one]) is not None)
                refused = len(group) - len(done)
                worst = " and ".join(done[-1][1]) if done and done[-1][0] > 1.0005 else "none"
                rows.append([title, kind, str(len(group)), str(refused),
                             *(f"{done[k][0]:.3f}" if done else "–" for k in (0, len(done) // 2, -1)), f"`{worst}`"])
        print(f"{TITLE[machine]}, whole: {', '.join(f'{title} {whole:.0f} ns' for title, whole in wholes.items())}.\n")
        print(f"{TITLE[machine]}, times as long as on the whole machine, payload exact in each; `--algorithm paper` but where named:\n")
        study.table(["work", "failed", "cases", "refused", "min", "median", "max", "worst failure"], rows)
        if study.plot and machine == "fred_d" and not study.smoke:  # a mesh has no chiplet
            from . import pictures  # needs matplotlib

            pictures.chiplets(works, slower, study.plot / "faults")
