# SPDX-License-Identifier: Apache-2.0
"""Execution traces, node by node: against what `fredsim trace info` finds, and as JSON."""

import collections
import gzip
import pathlib
import re
import tempfile
import unittest

from command import fredsim as command

import fredsim

SMALL = "configs/traces/small.0.et"


class TracesTest(unittest.TestCase):
    def test_nodes_are_those_of_info(self) -> None:
        nodes = list(fredsim.Trace(SMALL))
        text = command("trace", "info", SMALL).stdout
        for kind, count in collections.Counter(node.type for node in nodes).items():
            self.assertRegex(text, rf"{kind} +{count} ")
        self.assertEqual(int(re.search(r"small\.0\.et +(\d+)", text).group(1)), len(nodes))
        ids = {node.id for node in nodes}
        self.assertEqual(len(ids), len(nodes))
        self.assertTrue(all(set(node.after) <= ids for node in nodes))
        reduce = next(node for node in nodes if node.collective == "ALL_REDUCE")
        self.assertGreater(reduce.bytes, 0)
        self.assertIsNone(next(node for node in nodes if node.type == "COMP_NODE").bytes)

    def test_json_has_the_same_nodes(self) -> None:
        def fields(path: pathlib.Path | str) -> list[tuple[object, ...]]:
            return [(n.id, n.name, n.type, n.after, n.duration_ps, n.collective, n.bytes, n.group, n.peer) for n in fredsim.Trace(path)]

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command("trace", "convert", SMALL, "--to", "json", "--out", str(folder / "t"))
            self.assertEqual(fields(folder / "t.0.json"), fields(SMALL))
            groups = pathlib.Path(SMALL).parent / "small.groups.json"
            self.assertEqual((folder / "t.groups.json").read_bytes(), groups.read_bytes())
            (folder / "z.json.gz").write_bytes(gzip.compress((folder / "t.0.json").read_bytes()))
            self.assertEqual(fields(folder / "z.json.gz"), fields(SMALL))

    def test_faults_are_bad_input(self) -> None:
        with self.assertRaisesRegex(fredsim.BadInput, "none.et: No such file"):
            fredsim.Trace("none.et")
        with self.assertRaisesRegex(fredsim.BadInput, "dependencies: found 'some'; allowed: 'all', 'data'"):
            fredsim.Trace(SMALL, dependencies="some")
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "a.json"
            path.write_text('{"id": 1, "type": "COMP_NODE"}{"id": "x"}', encoding="utf-8")
            nodes = iter(fredsim.Trace(path))
            self.assertEqual(next(nodes).id, 1)
            with self.assertRaisesRegex(fredsim.BadInput, 'a.json: node x: id: found "x"; allowed: a whole number'):
                next(nodes)

    def test_groups_and_dependencies(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "a.jsonl"
            path.write_text(
                '{"id": 1, "name": "## process_group:init ##", "type": 1, "inputs": {"values": "[\'[{\\"pg_name\\": \\"dp\\", \\"ranks\\": [0, 2]}]\']"}}\n'
                '{"id": 2, "type": "COMP_NODE", "ctrlDeps": ["1"]}\n', encoding="utf-8")  # fmt: skip
            self.assertEqual(fredsim.Trace(path).groups(), {"dp": [0, 2]})
            self.assertEqual([node.after for node in fredsim.Trace(path)], [[], [1]])
            self.assertEqual([node.after for node in fredsim.Trace(path, dependencies="data")], [[], []])


if __name__ == "__main__":
    unittest.main()
