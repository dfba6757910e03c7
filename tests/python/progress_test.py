# SPDX-License-Identifier: Apache-2.0
"""Progress as a callback."""

import itertools
import unittest

import fredsim

MACHINES = ["configs/mesh_2x2.yaml", "configs/fred_small.yaml"]


class StopHere(Exception):
    pass


class ProgressTest(unittest.TestCase):
    def check_jobs(self, calls: list[fredsim.Progress], jobs: int) -> None:
        """Every job begins at 0, ends at 1 and rises between."""
        found = [(job, list(group)) for job, group in itertools.groupby(calls, lambda call: call.job)]
        self.assertEqual(len(found), jobs, [job for job, _ in found])
        for _, group in found:
            fractions = [call.fraction for call in group]
            self.assertEqual(fractions, sorted(fractions))
            self.assertEqual((fractions[0], fractions[-1]), (0, 1))

    def test_runs(self) -> None:
        calls: list[fredsim.Progress] = []
        found = fredsim.compare(MACHINES, begin="1KiB", end="4MiB", factor=4096, no_skip=True, on_progress=calls.append)
        self.check_jobs(calls, 4)
        self.assertEqual([call.time_ns for call in calls if call.fraction == 1],
                         [run.time_ns for size in (0, 1) for run in (found.runs[size], found.runs[2 + size])])  # fmt: skip
        self.assertTrue(all(call.text.endswith("delivered") or "kcycles/s" in call.text for call in calls))

    def test_traffic_and_training(self) -> None:
        calls: list[fredsim.Progress] = []
        fredsim.traffic(MACHINES[0], [0.1, 0.2], on_progress=calls.append)
        self.check_jobs(calls, 2)
        calls.clear()
        fredsim.train(MACHINES, "configs/models/small.yaml", mp=2, dp=2, compute_rate="10PFLOP/s", on_progress=calls.append)
        self.check_jobs(calls, 2)

    def test_a_study(self) -> None:
        calls: list[fredsim.Progress] = []
        fredsim.sweep({"machines": MACHINES, "run": {"size": ["1KiB", "2KiB"]}}, on_progress=calls.append)
        self.check_jobs(calls, 1)
        self.assertEqual((calls[-1].points, calls[-1].complete, calls[-1].failed, calls[-1].time_ns), (4, 4, 0, None))

    def test_what_it_raises_ends_the_run(self) -> None:
        def stop(_: fredsim.Progress) -> None:
            raise StopHere

        with self.assertRaises(StopHere):
            fredsim.run(MACHINES[0], size="64GiB", no_skip=True, on_progress=stop)  # would take hours


if __name__ == "__main__":
    unittest.main()
