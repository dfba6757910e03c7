# SPDX-License-Identifier: Apache-2.0
"""Fifty random machines: results of the package equal the results of the command, key by key, and plans have the bytes that a run finds on its links."""

import json
import os
import random
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from command import comparable, results
from machines import random_machine

import fredsim

MACHINES = 50
COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "reduce")
MODEL = "configs/models/small.yaml"


def text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


class NumbersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.first = int(os.environ.get("FREDSIM_SEED", random.SystemRandom().randrange(1 << 32)))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_random_machines(self) -> None:
        works = {"run": 0, "traffic": 0, "train": 0}
        for seed in range(self.first, self.first + MACHINES):
            with self.subTest(f"FREDSIM_SEED={seed}"):
                source = random.Random(seed)
                file, settings = random_machine(source)
                from_dictionary = source.random() < 0.5
                machine, words = self.both(file, settings, from_dictionary)
                work = source.choice(["run", "run", "traffic", "train"])
                found, wanted = getattr(self, f"{work}_works")(source, machine, words)
                left_out = ("config", "settings") if from_dictionary else ()
                self.assertEqual(comparable(found.to_dict(), left_out), comparable(wanted, left_out))
                self.assertTrue(found.runs)
                works[work] += 1
        self.assertTrue(min(works.values()) > 0 or "FREDSIM_SEED" in os.environ, works)

    def both(self, file: str, settings: dict[str, object], from_dictionary: bool) -> tuple[fredsim.Machine, list[str]]:
        """A machine, and words of the command line for the same."""
        machine = fredsim.Machine(file, settings)
        if not from_dictionary:
            return machine, [f"{file}@{','.join(f'{key}={text(value)}' for key, value in settings.items())}"]
        path = self.folder / "machine.yaml"
        path.write_text(json.dumps(machine.to_dict()), encoding="utf-8")
        return fredsim.Machine(machine.to_dict()), [str(path)]

    def run_works(self, source: random.Random, machine: fredsim.Machine, words: list[str]) -> tuple[fredsim.Results, Any]:
        collective = source.choice(COLLECTIVES)
        size = source.choice([512, 3000, 16384, 40000])
        npus = len(machine.npus)
        group = source.sample(range(npus), source.randint(2, npus)) if source.random() < 0.5 else None
        seed = source.randrange(1000)
        options = ["--collective", collective, "--size", str(size), "--seed", str(seed)] + (["--group", ",".join(map(str, group))] if group else [])
        wanted = results("run", *words, *options)
        found = fredsim.run(machine, collective, size, group=group, seed=seed)
        self.check_plan(machine.plan(collective, size, group=group), machine, found.runs[0])
        return found, wanted

    def check_plan(self, plan: fredsim.Plan, machine: fredsim.Machine, run: fredsim.records.CollectiveRun) -> None:
        self.assertEqual(plan.algorithm, run.algorithm)
        self.assertEqual(plan.bound_ns, run.derived.bound_ns)
        self.assertEqual([link.name for link in machine.links], run.links.column("name").tolist())
        self.assertEqual([link.source.name for link in machine.links], [link.from_ for link in run.links])
        self.assertEqual(plan.link_bytes.tolist(), run.links.column("bytes").tolist())
        if not run.traffic.acknowledgement_packets:
            self.assertEqual(plan.link_flits.tolist(), run.links.column("flits").tolist())
        self.assertGreater(plan.link_bytes.sum(), 0)

    def traffic_works(self, source: random.Random, machine: fredsim.Machine, words: list[str]) -> tuple[fredsim.Results, Any]:
        rates = sorted(source.sample([0.02, 0.05, 0.1, 0.2], 2))
        pattern = source.choice(["uniform", "neighbor"])
        wanted = results("traffic", *words, "--rate", ",".join(map(str, rates)), "--pattern", pattern, "--warmup", "500", "--cycles", "1500")
        return fredsim.traffic(machine, rates, pattern=pattern, warmup=500, cycles=1500), wanted

    def train_works(self, source: random.Random, machine: fredsim.Machine, words: list[str]) -> tuple[fredsim.Results, Any]:
        mp, dp = (2, len(machine.npus) // 2) if source.random() < 0.5 else (1, len(machine.npus))
        wanted = results("train", *words, "--workload", MODEL, "--mp", str(mp), "--dp", str(dp), "--compute-rate", "10PFLOP/s", "--on-conflict", "later")
        return fredsim.train(machine, MODEL, mp=mp, dp=dp, compute_rate="10PFLOP/s", on_conflict="later"), wanted

    def test_compare_and_several_at_once(self) -> None:
        machines = ["configs/mesh.yaml", "configs/fred_d.yaml"]
        wanted = comparable(results("compare", *machines, "--size", "16KiB"))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: fredsim.compare(machines, size="16KiB"), range(4)))
        for one in found:
            self.assertEqual(comparable(one.to_dict()), wanted)
        self.assertGreater(found[0].runs[1].speedup, 1)

    def test_a_work_is_a_file_or_an_object(self) -> None:
        work = [{"name": "first", "collective": "all_reduce", "groups": [[0, 1]]}, {"collective": "all_gather", "groups": [[2, 3]], "after": "first"}]
        path = self.folder / "work.yaml"
        path.write_text(json.dumps(work), encoding="utf-8")
        wanted = results("run", "configs/fred_small.yaml", "--work", str(path), "--size", "8KiB")
        self.assertEqual(comparable(fredsim.run("configs/fred_small.yaml", work=work, size="8KiB").to_dict()), comparable(wanted))
        self.assertEqual(comparable(fredsim.run("configs/fred_small.yaml", work=path, size="8KiB").to_dict()), comparable(wanted))

    def test_faults(self) -> None:
        machine = fredsim.Machine("configs/fred_d.yaml", faults=["npu:3"])
        wanted = results("run", "configs/fred_d.yaml", "--fault", "npu:3", "--size", "8KiB")
        found = fredsim.run(machine, size="8KiB")
        self.assertEqual(comparable(found.to_dict()), comparable(wanted))
        self.assertEqual(machine.plan(size="8KiB").link_bytes.tolist(), found.runs[0].links.column("bytes").tolist())
        self.assertTrue(machine.npus[3].failed)

    def test_a_study(self) -> None:
        study = {"machines": ["configs/mesh_2x2.yaml", "configs/fred_small.yaml"], "run": {"collective": ["all_reduce", "all_gather"], "size": ["4KiB"]}}
        found = fredsim.sweep(study, jobs=2)
        self.assertEqual(len(found.points), 4)
        self.assertEqual(found.missing, 0)
        for point in found.points:
            run = results("run", point.machine, "--collective", point.options["collective"], "--size", point.options["size"])["runs"][0]
            self.assertEqual(point.results["time_ns"], run["time_ns"])

    def test_points_stay_in_a_folder(self) -> None:
        folder = self.folder / "results"
        calls: list[fredsim.Progress] = []
        first = fredsim.sweep("configs/studies/small.yaml", folder, jobs=2)
        again = fredsim.sweep("configs/studies/small.yaml", folder, on_progress=calls.append)
        self.assertEqual(first["points"], again["points"])
        self.assertEqual([call.fraction for call in calls], [1])
        self.assertEqual(fredsim.load(folder / "table.json")["points"], first["points"])


if __name__ == "__main__":
    unittest.main()
