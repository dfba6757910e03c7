# SPDX-License-Identifier: Apache-2.0
"""Machines as objects and arrays, and what this fredsim has."""

import json
import random
import unittest

from command import fredsim as command
from machines import random_machine

import fredsim


class FactsTest(unittest.TestCase):
    def test_machines_of_the_program_have_names(self) -> None:
        self.assertEqual(fredsim.Machine("fred_small").to_dict(), fredsim.Machine("configs/fred_small.yaml").to_dict())
        with self.assertRaisesRegex(fredsim.BadInput, "found 'fred_smal', .* did you mean 'fred_small'"):
            fredsim.Machine("fred_smal")

    def test_a_machine_is_that_of_results(self) -> None:
        for file in ("configs/fred_d.yaml", "configs/fred_64.yaml", "configs/mesh.yaml", "configs/torus3d.yaml"):
            machine = fredsim.Machine(file, {"switch.input_buffer": "12 KiB"})
            done = command("run", f"{file}@switch.input_buffer=12 KiB", "--size", "512", "--quiet", "--json", "-")
            self.assertEqual(machine.to_dict(), json.loads(done.stdout)["runs"][0]["machine"])
            self.assertEqual(fredsim.Machine(machine.to_dict()).to_dict(), machine.to_dict())

    def test_the_description_is_that_of_info(self) -> None:
        machine = fredsim.Machine("configs/fred_d.yaml")
        self.assertEqual(machine.describe().split(), command("info", "configs/fred_d.yaml").stdout.split())

    def test_keys(self) -> None:
        machine = fredsim.Machine("configs/fred_d.yaml")
        other = machine.with_(**{"switch.kind": "aggregator", "npu.bandwidth": "1.5 TB/s"})
        self.assertEqual((machine["switch.kind"], other["switch.kind"]), ("fred", "aggregator"))
        self.assertEqual(other.settings, {"switch.kind": "aggregator", "npu.bandwidth": "1.5 TB/s"})
        machine["switch.vc_order"] = ["dp", "mp", "control", "pp"]
        self.assertEqual(machine["switch.vc_order"], ["dp", "mp", "control", "pp"])
        self.assertEqual(machine["switch"]["vc_order"], machine["switch.vc_order"])
        self.assertIn("fabric.middle", machine)
        self.assertNotIn("fabric.width", machine)
        machine["name"] = 'a, "b"'
        self.assertEqual(machine.name, 'a, "b"')
        self.assertEqual(fredsim.run(machine, size=512).runs[0].fabric, 'a, "b"')

    def test_objects_and_arrays_are_the_same(self) -> None:
        for seed in range(8):
            file, settings = random_machine(random.Random(seed))
            machine = fredsim.Machine(file, settings)
            with self.subTest(f"seed {seed}"):
                links = machine.links
                for field in ("name", "source_port", "target_port", "bytes_per_second", "flits_per_cycle", "latency_cycles", "on_die"):
                    self.assertEqual([getattr(link, field) for link in links], machine.link_array[field].tolist())
                self.assertEqual([link.source.index for link in links], machine.link_array["source"].tolist())
                self.assertEqual([node.name for node in machine.nodes], machine.node_array["name"].tolist())
                self.assertEqual(len(machine.npus), machine["npu.count"])
                self.assertTrue(all(node.kind == "npu" for node in machine.npus))
                ends = {(link.source.index, link.target.index) for link in links}
                self.assertTrue(all((target, source) in ends for source, target in ends))

    def test_plans(self) -> None:
        machine = fredsim.Machine("configs/fred_d.yaml")
        plan = machine.plan("all_reduce", "1MiB", algorithm="in_switch")
        self.assertEqual(plan.algorithm, "in_switch")
        self.assertEqual(int(plan.trees["size_bytes"].sum()), 1 << 20)
        self.assertTrue(plan.trees["in_switch"].all())
        self.assertEqual(plan.parts[0].members, tuple(node.index for node in machine.npus))
        rings = machine.plan("all_reduce", 1 << 20, group=[0, 1, 2, 3], algorithm="ring")
        self.assertGreater(rings.bound_ns, 0)
        self.assertEqual(rings.parts[0].size_bytes, 1 << 20)
        with_io = machine.plan("broadcast", "4KiB", group=["io0", 1, 2])
        self.assertEqual(with_io.parts[0].members[0], machine.io_controllers[0].index)

    def test_what_there_is(self) -> None:
        self.assertIn("all_reduce", fredsim.collectives())
        self.assertIn("ring", fredsim.algorithms())
        self.assertNotIn("in_switch", fredsim.algorithms("all_to_all"))
        kinds = {kind.name: kind for kind in fredsim.switch_kinds()}
        self.assertEqual(kinds["fred"].rtl_top, "fred_switch")
        self.assertIn("VC_DEPTH", [parameter.name for parameter in kinds["fred"].parameters])
        self.assertIn("fred_tree", fredsim.topology_kinds())
        self.assertEqual(command("--version").stdout.strip(), f"fredsim {fredsim.__version__} (commit {fredsim.__commit__})")


if __name__ == "__main__":
    unittest.main()
