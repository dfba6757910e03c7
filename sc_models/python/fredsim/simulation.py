# SPDX-License-Identifier: Apache-2.0
"""Simulations and searches: each call is a command of fredsim, whose JSON it returns.

in_process: True, the default of traffic and of what simulates nothing: by a thread of this process; False: in a process that is forked from it. Runs and
training are answered once in a process, since SystemC is elaborated once, and none afterwards in forked ones. RTL is in the program `fredsim` alone, which
answers where a model asks for it, and everywhere if the environment names one by FREDSIM_PROGRAM.

Keyword arguments beyond those named are the options of the command (docs/reference/options.md), with underscores: `timeout_cycles=10**6`,
`no_skip=True`. on_progress is called in the thread of the call, at the start and the end of every job and at most ten times a second between them; what
it raises ends the run. Ctrl-C ends the run and raises KeyboardInterrupt; nothing is left of it.

Raises BadInput, RunFailed, RoutingConflict and Interrupted, with the words that the command prints."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from .errors import RunFailed
from .machine import MachineLike, machine_words
from .options import Files, Group, Option, groups_of, rates_text, words_of
from .program import VARIABLE, OnProgress, Where, execute
from .record import Results
from .records import (
    ConflictsResults, FailedPointResults, OptimizeResults, OptimizeTopologyResults, RunResults, StrategiesResults, SweepResults, TrafficResults,
    TrainingResults,
)  # fmt: skip

__all__ = ["compare", "conflicts", "load", "optimize", "run", "strategies", "sweep", "traffic", "train"]

R = TypeVar("R", bound=Results)


def run(machine: MachineLike, collective: str | None = None, size: int | str | None = None, *, group: Group | Sequence[Group] | None = None,
        algorithm: str | None = None, work: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | None = None, model: str | None = None,
        seed: int | None = None, in_process: bool = False, on_progress: OnProgress | None = None, **options: Option) -> RunResults:  # fmt: skip
    """A collective, or the collectives of a work file, on one machine.

    size: bytes or "1MiB", of NCCL's meaning; in place of it begin, end and factor. group: one, or a list of several at the same time.
    algorithm: auto, paper or one of algorithms(). work: a work file, or its contents as an object. model: tlm, rtl or lockstep."""
    return _simulate("run", [machine], RunResults, in_process, on_progress, collective=collective, size=size, group=_group(group), algorithm=algorithm,
                     work=work, model=model, seed=seed, **options)  # fmt: skip


def compare(machines: Sequence[MachineLike], collective: str | None = None, size: int | str | None = None, *, group: Group | Sequence[Group] | None = None,
            algorithm: str | None = None, work: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | None = None, model: str | None = None,
            seed: int | None = None, in_process: bool = False, on_progress: OnProgress | None = None, **options: Option) -> RunResults:  # fmt: skip
    """Compares one work on several machines with the first; arguments as of run(). Failed components of a Machine apply to all machines."""
    return _simulate("compare", machines, RunResults, in_process, on_progress, collective=collective, size=size, group=_group(group), algorithm=algorithm,
                     work=work, model=model, seed=seed, **options)  # fmt: skip


def traffic(machine: MachineLike, rate: float | str | Iterable[float] | None = None, *, pattern: str | None = None, saturation: bool = False,
            model: str | None = None, seed: int | None = None, in_process: bool = True, on_progress: OnProgress | None = None,
            **options: Option) -> TrafficResults:  # fmt: skip
    """Latency and throughput under synthetic traffic, a run per rate.

    rate: flits per cycle and node, several of them, or "0.1:0.5:0.1"; or saturation=True, which searches it."""
    return _simulate("traffic", [machine], TrafficResults, in_process, on_progress, pattern=pattern, rate=rates_text(rate), saturation=saturation, model=model,
                     seed=seed, **options)  # fmt: skip


def train(machines: MachineLike | Sequence[MachineLike], workload: str | os.PathLike[str] | Mapping[str, Any] | None = None, *, mp: int | None = None,
          dp: int | None = None, pp: int | None = None, model: str | None = None, seed: int | None = None, in_process: bool = False,
          on_progress: OnProgress | None = None, **options: Option) -> TrainingResults:  # fmt: skip
    """Training iterations or inference on one machine, or on several against the first.

    workload: a model by name, a model file, or its contents as an object. mp, dp, pp: workers of each kind of parallelism."""
    several = machines if isinstance(machines, Sequence) and not isinstance(machines, str) else [machines]
    return _simulate("train", several, TrainingResults, in_process, on_progress, workload=workload, mp=mp, dp=dp, pp=pp, model=model, seed=seed, **options)


def optimize(machine: MachineLike, total: str | None = None, *, workload: str | os.PathLike[str] | Mapping[str, Any] | None = None,
             size: int | str | None = None, topology: str | None = None, in_process: bool = True,
             **options: Option) -> OptimizeResults | OptimizeTopologyResults:  # fmt: skip
    """Bandwidths of the links, or with topology="topoopt" a network, for the least time of a workload or an all-reduce.

    total: bandwidth of an NPU, "300GB/s". workload: a model by name, a model file, or its contents as an object. size: of the all-reduce."""
    asked: dict[str, Option] = {"total": total, "workload": workload, "size": size, "topology": topology, **options}
    if topology is not None:
        return _simulate("optimize", [machine], OptimizeTopologyResults, in_process, None, **asked)
    return _simulate("optimize", [machine], OptimizeResults, in_process, None, **asked)


def strategies(machine: MachineLike, middle: int | str | None = None, *, in_process: bool = True, **options: Option) -> StrategiesResults:
    """Strategies of parallelism that the switches of a machine can route, by dimension.

    middle: middle sub-networks, 3, "2,3" or "2:4"; None: the values of the machine."""
    return _simulate("strategies", [machine], StrategiesResults, in_process, None, middle=middle, **options)


def conflicts(ports: int, middle: int | str, flows: int | str, *, kind: str | None = None, trials: int | None = None, seed: int | None = None,
              in_process: bool = True, **options: Option) -> ConflictsResults:  # fmt: skip
    """Frequency of random sets of flows without a routing through one Fred switch.

    middle: middle sub-networks; flows: of a set; both 3, "2,3" or "2:4". kind: unicast, multicast, reduce, all_reduce or any. trials: sets."""
    return _simulate("conflicts", [], ConflictsResults, in_process, None, ports=ports, middle=middle, flows=flows, kind=kind, trials=trials, seed=seed,
                     **options)  # fmt: skip


def sweep(study: str | os.PathLike[str] | Mapping[str, Any], results: str | os.PathLike[str] | None = None, *, jobs: int = 1, retry: bool = False,
          check: bool = True, on_progress: OnProgress | None = None) -> SweepResults:  # fmt: skip
    """A study: machines x settings x works, each point once.

    study: a study file, or its contents as an object. results: folder of the results, in which points stay, also those of an interrupted study, and
    are not run again; None: a temporary folder. jobs: points at a time. retry: runs failed points again.
    RunFailed, with all points as its `results`, where some failed; check=False: failed points are rows with a status and a message."""
    with Files() as files:
        path = files.write_object("study.yaml", study) if isinstance(study, Mapping) else os.fspath(study)
        folder = os.fspath(results) if results is not None else files.folder("results")
        words = ["sweep", path, "--results", folder, "--quiet", *words_of({"jobs": jobs, "retry": retry}, files)]
        ended = execute(words, on_progress)
        table = os.path.join(folder, "table.json")
        error = None if ended.exit_code == 0 else ended.error()
        if error is not None and not (isinstance(error, RunFailed) and os.path.exists(table)):
            raise error
        with open(table, encoding="utf-8") as file:
            found = SweepResults(json.load(file))
        if error is not None and check:
            error.results = found
            raise error
        return found


def load(path: str | os.PathLike[str]) -> Results:
    """A file that --json, or sweep (table.json and points), has written."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if "points" in found:
        return SweepResults(found)
    if "failed" in found:
        return FailedPointResults(found)
    if "saturation" in found:
        return TrafficResults(found)
    if "optimum" in found:
        return OptimizeTopologyResults(found) if "topology" in found else OptimizeResults(found)
    if "strategies" in found:
        return StrategiesResults(found)
    first = found["runs"][0] if found["runs"] else {}
    if "trials" in first:
        return ConflictsResults(found)
    return TrainingResults(found) if "iterations_ns" in first else RunResults(found)


def _group(group: Group | Sequence[Group] | None) -> Option:
    return groups_of(group)


def _where(in_process: bool, model: Option = None, rtl_instances: Option = None) -> Where:
    if model not in (None, "tlm") or rtl_instances or os.environ.get(VARIABLE):
        return "program"
    return "here" if in_process else "fork"


def _simulate(command: str, machines: Sequence[MachineLike], document: type[R], in_process: bool, on_progress: OnProgress | None, **options: Option) -> R:
    with Files() as files:
        words = [command]
        faults: list[str] = []
        for machine in machines:
            word, of_machine = machine_words(machine, files)
            words.append(word)
            faults += of_machine
        where = _where(in_process, options.get("model"), options.get("rtl_instances"))
        ended = execute([*words, *faults, *words_of(options, files), "--quiet", "--json", "-"], on_progress, where)
    if ended.exit_code != 0:
        raise ended.error()
    return document(json.loads(ended.out))
